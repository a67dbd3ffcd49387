-- Verifies the ledgers of the next accounts in id order, for at most 200 ms, and that each account's payments are equal
-- to the earnings of providers from it. Each account is checked in one snapshot. At the end of a pass, the total of all
-- payments must be equal to the total of all earnings. If it is not, that counts as one more fault, named earnings.
--
-- mark: the last account that was verified, the number of wrong accounts in the pass, the first ten of them, and the
--   sums of the pass so far. A wrong account is reported immediately. Success and sums are reported only at the end of
--   a pass.
create or replace function check_ledgers(
  inout mark text,
  moment timestamptz,
  account_limit int,
  out is_more boolean
)
language plpgsql
as $$
declare
  nil constant text := '00000000-0000-0000-0000-000000000000';
  listed_max constant int := 10;
  ends_at constant timestamptz := clock_timestamp() + interval '200 milliseconds';
  reached text := split_part(mark, ' ', 1);
  wrong int := coalesce(nullif(split_part(mark, ' ', 2), ''), '0')::int;
  listed text := split_part(mark, ' ', 3);
  proven_id uuid;
  ledger record;
  accounts_done int := 0;
  -- Accounts, granted, revoked, charged, refunded, balances: of the pass so far.
  sums numeric[] := coalesce(
    string_to_array(nullif(split_part(mark, ' ', 4), ''), ',')::numeric[], array[0, 0, 0, 0, 0, 0]
  );
begin
  is_more := false;
  for proven_id in
    select account_id
    from accounts
    where account_id >= coalesce(nullif(reached, ''), nil)::uuid
      and account_id::text <> reached
    order by account_id
    limit account_limit
  loop
    select * into ledger
    from ledger_of(proven_id) as credit
    cross join lateral sales_of(proven_id, credit.charged_nanos, credit.refunded_nanos);
    if ledger.granted_nanos - ledger.revoked_nanos - ledger.charged_nanos + ledger.refunded_nanos
      <> ledger.balance_nanos
      or ledger.paid_nanos <> ledger.counted_nanos + ledger.waiting_nanos
    then
      wrong := wrong + 1;
      if wrong <= listed_max then
        listed := concat_ws(',', nullif(listed, ''), proven_id);
      end if;
    end if;
    sums := array[
      sums[1] + 1, sums[2] + ledger.granted_nanos, sums[3] + ledger.revoked_nanos,
      sums[4] + ledger.charged_nanos, sums[5] + ledger.refunded_nanos,
      sums[6] + ledger.balance_nanos
    ];
    reached := proven_id;
    accounts_done := accounts_done + 1;
    if accounts_done = account_limit or clock_timestamp() >= ends_at then
      is_more := true;
      exit;
    end if;
  end loop;
  if not is_more and (select coalesce(sum(paid_nanos), 0) from counted_accounts)
    <> (select coalesce(sum(gross_nanos - refunded_nanos), 0) from earning_days)
  then
    wrong := wrong + 1;
    listed := concat_ws(',', nullif(listed, ''), 'earnings');
  end if;
  if wrong > 0 or not is_more then
    insert into findings (name, amount, detail, found_at)
    values ('ledger check', wrong, listed, moment)
    on conflict (name) do update
    set amount = excluded.amount, detail = excluded.detail, found_at = excluded.found_at;
  end if;
  if not is_more then
    insert into ledger_proof (
      accounts, wrong, granted_nanos, revoked_nanos, charged_nanos, refunded_nanos, balance_nanos,
      proven_at
    )
    values (sums[1], wrong, sums[2], sums[3], sums[4], sums[5], sums[6], moment)
    on conflict (is_only) do update
    set accounts = excluded.accounts,
      wrong = excluded.wrong,
      granted_nanos = excluded.granted_nanos,
      revoked_nanos = excluded.revoked_nanos,
      charged_nanos = excluded.charged_nanos,
      refunded_nanos = excluded.refunded_nanos,
      balance_nanos = excluded.balance_nanos,
      proven_at = excluded.proven_at;
  end if;
  mark := case
    when is_more then concat_ws(' ', reached, wrong, listed, array_to_string(sums, ','))
    else ''
  end;
end
$$;
