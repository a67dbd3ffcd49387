-- Lets an account buy a one-time feed from its balance. That is a usage event like a paid read, and no ledger entry.

-- purchase_id: names the purchase to its buyer. If it was paid from the balance, it is the id of the usage event.
-- entry_id: of the operator's record. Null: the purchase was paid from the balance.
alter table purchases
  alter column entry_id drop not null,
  add column purchase_id uuid not null default gen_random_uuid(),
  add constraint purchases_id_unique unique (purchase_id);

-- Lists purchases, newest first.
create index purchases_newest on purchases (purchased_at, purchase_id);
