-- A purchase is in the audit trail with its feed: written when the purchase is, no more when its ledger
-- entry is, which names none.

create or replace trigger credit_ledger_audited
after insert on credit_ledger
for each row
when (new.kind in ('grant', 'promotion'))
execute function note_ledger_audit();

create function note_purchase_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  select
    audit_actor(),
    'purchase record',
    new.account_id,
    new.feed_id,
    json_build_object('balance_nanos', entry.balance_before_nanos),
    json_build_object(
      'entry_id', entry.entry_id,
      'amount_nanos', entry.amount_nanos,
      'balance_nanos', entry.balance_after_nanos,
      'reason', entry.reason,
      'reference', entry.reference
    )
  from credit_ledger as entry
  where entry.entry_id = new.entry_id;
  return null;
end
$$;

create trigger purchases_audited
after insert on purchases
for each row
execute function note_purchase_audit();
