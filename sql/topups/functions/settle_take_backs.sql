-- Revokes from the balance what the payer of a granted top-up has got back, as far as the balance allows, and grants
-- again what the payer has lost again. The caller must have locked the account and the top-up.
--
-- The rest is an alert for the operator, in addition to open ones.
create or replace function settle_take_backs(
  settled_topup uuid,
  actor text
)
returns void
language plpgsql
as $$
declare
  topup topups;
  granted credit_ledger;
  balance bigint;
  -- The amount still to be revoked. Negative if it is to be granted.
  open_nanos bigint;
  moved_nanos bigint;
  missing_nanos bigint;
  appended record;
begin
  select * into strict topup
  from topups
  where topup_id = settled_topup;
  select * into strict granted
  from credit_ledger
  where entry_id = topup.entry_id;
  open_nanos := least(given_back(settled_topup), topup.amount_nanos)
    - topup.taken_back_nanos - topup.unrecovered_nanos;
  if open_nanos = 0 then
    return;
  end if;
  select balance_nanos into strict balance
  from accounts
  where account_id = topup.account_id;

  -- An amount that was never revoked need not be granted.
  moved_nanos := case
    when open_nanos > 0 then least(open_nanos, balance)
    else least(open_nanos + topup.unrecovered_nanos, 0)
  end;
  if moved_nanos <> 0 then
    select * into appended
    from append_ledger_entry(
      topup.account_id,
      case when moved_nanos > 0 then 'revocation' else 'grant' end,
      -moved_nanos,
      format(
        case
          when moved_nanos > 0 then 'payment of top-up %s was returned to the payer'
          else 'return of the payment of top-up %s was reversed'
        end,
        topup.topup_id
      ),
      -- A top-up changes only once at a time, so the count of its changes is the next number.
      format(
        '%s:%s',
        granted.reference,
        1 + (
          select count(*)
          from credit_ledger
          where account_id = topup.account_id
            and entry_id > granted.entry_id
            and starts_with(reference, granted.reference || ':')
        )
      ),
      actor => actor
    );
    if appended.outcome <> 'appended' then
      raise exception 'the payment % can''t be settled: %', granted.reference, appended.outcome;
    end if;
  end if;
  missing_nanos := topup.unrecovered_nanos + open_nanos - moved_nanos;
  update topups
  set taken_back_nanos = taken_back_nanos + moved_nanos,
    unrecovered_nanos = missing_nanos,
    alert = with_alert(
      (
        select string_agg(known.line, E'\n' order by known.place)
        from unnest(string_to_array(alert, E'\n')) with ordinality as known (line, place)
        where not starts_with(known.line, 'unrecovered: ')
      ),
      case
        when missing_nanos > 0 then format(
          'unrecovered: %s nano-dollars of the amount returned to the payer exceeded the balance',
          missing_nanos
        )
      end
    )
  where topup_id = settled_topup;
end
$$;
