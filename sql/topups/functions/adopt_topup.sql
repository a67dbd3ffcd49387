-- Creates the account of a top-up that was paid without a key, once.
--
-- owner_id: null if there is no such top-up
create or replace function adopt_topup(
  paid_topup uuid, -- :topup_id
  account_name text, -- :account_name
  feeds_max int, -- :max_feeds_allowed
  actor text, -- :actor?
  out owner_id uuid -- :account_id?
)
language plpgsql
as $$
begin
  select account_id into owner_id
  from topups
  where topup_id = paid_topup
  for no key update;
  if not found or owner_id is not null then
    return;
  end if;
  perform act_as(actor);
  insert into accounts (name, max_feeds_allowed)
  values (account_name, feeds_max)
  returning account_id into owner_id;
  update topups
  set account_id = owner_id
  where topup_id = paid_topup;
end
$$;
