-- A payout that was recorded by mistake is taken back by an entry of its own, whose amount is the other way round. So
-- what was paid is still the sum of all entries, to gateways of the version before, too.

alter table payouts
  add column undoes_payout_id bigint references payouts,
  -- Why it was taken back.
  add column reason text,
  drop constraint payouts_amount_positive,
  add constraint payouts_amount_sign check (
    case when undoes_payout_id is null then amount_nanos > 0 else amount_nanos < 0 end
  ),
  add constraint payouts_undo_once unique (undoes_payout_id),
  add constraint payouts_undo_reason check ((undoes_payout_id is null) = (reason is null));

create or replace function note_payout_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, account_id, after)
  values (
    audit_actor(),
    case when new.undoes_payout_id is null then 'payout record' else 'payout undo' end,
    new.account_id,
    json_strip_nulls(json_build_object(
      'payout_id', new.payout_id,
      'amount_nanos', new.amount_nanos,
      'reference', new.reference,
      'undoes_payout_id', new.undoes_payout_id,
      'reason', new.reason
    ))
  );
  return null;
end
$$;
