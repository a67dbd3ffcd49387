-- Undoes a payout that was recorded by mistake. The payout stays, and a second entry has the negated amount and the
-- reason.
--
-- Outcomes: undone; repeated (`payout` is the existing entry); payout_unknown; not_undoable (it is such an entry).
create or replace function undo_payout(
  wrong_payout bigint,
  undo_reason text,
  actor text,
  out outcome text,
  out payout payouts
)
language plpgsql
as $$
declare
  wrong payouts;
begin
  perform act_as(actor);
  -- A second undo waits for the first.
  select * into wrong
  from payouts
  where payout_id = wrong_payout
  for no key update;
  if not found then
    outcome := 'payout_unknown';
    return;
  end if;
  if wrong.undoes_payout_id is not null then
    outcome := 'not_undoable';
    return;
  end if;
  select * into payout
  from payouts
  where undoes_payout_id = wrong_payout;
  if found then
    outcome := 'repeated';
    return;
  end if;
  insert into payouts (account_id, amount_nanos, reference, undoes_payout_id, reason)
  values (
    wrong.account_id, -wrong.amount_nanos, 'payout_undo:' || wrong_payout, wrong_payout, undo_reason
  )
  returning * into payout;
  outcome := 'undone';
end
$$;
