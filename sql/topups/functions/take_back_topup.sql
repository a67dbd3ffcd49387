-- Records what a payer has got back of a top-up, such as by a refund or a dispute, and revokes it from the balance as
-- far as that allows. If the top-up is not granted yet, this happens when it is.
--
-- A source reports its total, so messages may be repeated and arrive in any order: within the same rank, the largest
-- total counts, and a higher rank replaces all earlier messages.
--
-- told_ended: the reported amount of a refund that has failed or was canceled. See given_back
-- told_alert: for the operator, if this report is new; null for none
--
-- Outcomes: taken_back; noted (the top-up is not granted yet); repeated (an old message); topup_unknown
create or replace function take_back_topup(
  paid_topup uuid, -- :topup_id
  told_by text, -- :source
  told_rank bigint, -- :rank
  told_nanos bigint, -- :total_nanos
  told_ended bigint, -- :ended_nanos
  told_alert text, -- :alert?
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  topup topups;
begin
  topup := lock_topup(paid_topup);
  if topup.topup_id is null then
    outcome := 'topup_unknown';
    return;
  end if;
  insert into topup_take_backs as known (topup_id, source, rank, total_nanos, ended_nanos)
  values (paid_topup, told_by, told_rank, told_nanos, told_ended)
  on conflict (topup_id, source) do update
  set rank = excluded.rank,
    total_nanos = excluded.total_nanos,
    ended_nanos = excluded.ended_nanos
  where excluded.rank > known.rank
    or excluded.rank = known.rank and excluded.total_nanos > known.total_nanos;
  if not found then
    outcome := 'repeated';
    return;
  end if;
  if told_alert is not null then
    update topups
    set alert = with_alert(alert, told_alert)
    where topup_id = paid_topup;
  end if;
  if topup.status <> 'granted' then
    outcome := 'noted';
    return;
  end if;
  perform settle_take_backs(paid_topup, actor);
  outcome := 'taken_back';
end
$$;
