-- Grants the credits of a top-up whose money has arrived, once, however often it is repeated. This includes one that
-- had expired, because money that has arrived is granted. What the payer has got back by then is revoked immediately.
-- Nobody can use the credits of a closed account, so they leave an alert: the operator pays them back.
--
-- paid_reference: the payment's own reference, which the ledger entry gets
-- paid_nanos: the amount that has arrived
-- new_payment: the payment method's own id of the payment, if it was not known before
-- new_details: details that the payment method adds; null: none
--
-- Outcomes: granted; repeated; topup_unknown; account_unknown (the account is not known yet); and with an alert for the
-- operator, if nothing was granted: amount_differs, paid_twice (by another payment), reference_taken, balance_full
create or replace function grant_topup(
  paid_topup uuid, -- :topup_id
  paid_reference text, -- :reference
  paid_nanos bigint, -- :paid_nanos
  new_payment text, -- :payment_id?
  new_details json, -- :details?
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  topup topups;
  appended record;
begin
  topup := lock_topup(paid_topup);
  if topup.topup_id is null then
    outcome := 'topup_unknown';
    return;
  end if;
  if topup.account_id is null then
    outcome := 'account_unknown';
    return;
  end if;
  if topup.status = 'granted' then
    if exists (
      select
      from credit_ledger
      where entry_id = topup.entry_id
        and reference = paid_reference
    ) then
      outcome := 'repeated';
      return;
    end if;
    outcome := 'paid_twice';
  elsif paid_nanos <> topup.amount_nanos then
    outcome := 'amount_differs';
  else
    select * into appended
    from append_ledger_entry(
      topup.account_id, 'grant', topup.amount_nanos,
      format('top-up %s by %s', topup.topup_id, topup.way), paid_reference, actor => actor
    );
    outcome := case
      when appended.outcome = 'appended' then 'granted'
      -- The entry of another top-up is not this one's.
      when appended.outcome = 'repeated' then 'reference_taken'
      else appended.outcome
    end;
  end if;
  if outcome <> 'granted' then
    update topups
    set alert = with_alert(
      alert, format('%s: %s nano-dollars by %s', outcome, paid_nanos, paid_reference)
    )
    where topup_id = paid_topup;
    return;
  end if;

  update topups
  set status = 'granted',
    ended_at = clock_timestamp(),
    entry_id = (appended.entry).entry_id,
    payment_id = coalesce(payment_id, new_payment),
    details = case
      when new_details is null then details
      else (details::jsonb || new_details::jsonb)::json
    end,
    last_error = null,
    alert = with_alert(
      alert,
      (
        select format(
          'account_closed: %s nano-dollars by %s arrived after the account was closed; refund them',
          paid_nanos, paid_reference
        )
        from accounts
        where accounts.account_id = topup.account_id
          and accounts.closed_at is not null
      )
    )
  where topup_id = paid_topup;
  perform settle_take_backs(paid_topup, actor);
end
$$;
