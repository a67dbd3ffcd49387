-- Verifies the ledgers of the next accounts in id order, for about 200 ms, and that each account's payments are equal
-- to the earnings of providers from it. Each account is checked in one snapshot. At the end of a pass, the total of all
-- payments must be equal to the total of all earnings. If it is not, that counts as one more fault, named earnings.
--
-- Accounts that have not changed since they were last verified are skipped. For those that have changed, only the new
-- part of the log is summed, so a pass takes time in proportion to the activity, not to the length of the log. Each
-- account's whole log is summed once a day, and before the account is reported as wrong.
--
-- mark: the last account of the pass that was verified. A wrong account is reported immediately. Success and sums are
--   reported only at the end of a pass
-- is_whole: sums the whole log of all accounts
create or replace function check_ledgers(
  inout mark text,
  moment timestamptz,
  account_limit int,
  is_whole boolean,
  out is_more boolean
)
language plpgsql
as $$
declare
  nil constant uuid := '00000000-0000-0000-0000-000000000000';
  listed_max constant int := 10;
  ends_at constant timestamptz := clock_timestamp() + interval '200 milliseconds';
  -- Gateways of version 0.3 write more after the account.
  reached uuid := coalesce(nullif(split_part(mark, ' ', 1), '')::uuid, nil);
  account record;
  ledger record;
  accounts_done int := 0;
  wrong bigint;
  listed text;
begin
  is_more := false;
  for account in
    select
      accounts.account_id,
      accounts.version,
      counted.version as counted_version,
      proven.summed_to,
      proven.summed_nanos,
      coalesce(proven.summed_at, moment) as summed_at
    from accounts
    left join counted_accounts as counted
      on counted.account_id = accounts.account_id
    left join proven_accounts as proven
      on proven.account_id = accounts.account_id
      and proven.summed_at > moment - interval '1 day'
      and not is_whole
    where accounts.account_id > reached
      and (
        proven.version is distinct from accounts.version
        or proven.counted_version is distinct from counted.version
        or proven.balance_nanos <> accounts.balance_nanos
        or proven.is_wrong
      )
    order by accounts.account_id
    limit account_limit
  loop
    select * into ledger
    from prove_account(account.account_id, account.summed_to, account.summed_nanos);
    if ledger.is_wrong and account.summed_to is not null then
      select * into ledger from prove_account(account.account_id);
      account.summed_at := moment;
    end if;
    insert into proven_accounts as proven (
      account_id, version, counted_version, granted_nanos, revoked_nanos, charged_nanos,
      refunded_nanos, balance_nanos, is_wrong, summed_to, summed_nanos, summed_at
    )
    values (
      account.account_id, account.version, account.counted_version, ledger.granted_nanos,
      ledger.revoked_nanos, ledger.charged_nanos, ledger.refunded_nanos, ledger.balance_nanos,
      ledger.is_wrong, ledger.log_to, ledger.log_nanos, account.summed_at
    )
    on conflict (account_id) do update
    set version = excluded.version,
      counted_version = excluded.counted_version,
      granted_nanos = excluded.granted_nanos,
      revoked_nanos = excluded.revoked_nanos,
      charged_nanos = excluded.charged_nanos,
      refunded_nanos = excluded.refunded_nanos,
      balance_nanos = excluded.balance_nanos,
      is_wrong = excluded.is_wrong,
      summed_to = excluded.summed_to,
      summed_nanos = excluded.summed_nanos,
      summed_at = excluded.summed_at;
    reached := account.account_id;
    accounts_done := accounts_done + 1;
    if accounts_done = account_limit or clock_timestamp() >= ends_at then
      is_more := true;
      exit;
    end if;
  end loop;

  select count(*) into wrong from proven_accounts where is_wrong;
  select string_agg(account_id::text, ',' order by account_id)
  into listed
  from (
    select account_id from proven_accounts where is_wrong order by account_id limit listed_max
  ) as first;
  if not is_more and (select coalesce(sum(paid_nanos), 0) from counted_accounts)
    <> (select coalesce(sum(gross_nanos - refunded_nanos), 0) from earning_days)
  then
    wrong := wrong + 1;
    listed := concat_ws(',', listed, 'earnings');
  end if;
  if wrong > 0 or not is_more then
    insert into findings (name, amount, detail, found_at)
    values ('ledger check', wrong, coalesce(listed, ''), moment)
    on conflict (name) do update
    set amount = excluded.amount, detail = excluded.detail, found_at = excluded.found_at;
  end if;
  if not is_more then
    insert into ledger_proof (
      accounts, wrong, granted_nanos, revoked_nanos, charged_nanos, refunded_nanos, balance_nanos,
      proven_at
    )
    select
      count(*), wrong, coalesce(sum(granted_nanos), 0), coalesce(sum(revoked_nanos), 0),
      coalesce(sum(charged_nanos), 0), coalesce(sum(refunded_nanos), 0),
      coalesce(sum(balance_nanos), 0), moment
    from proven_accounts
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
  mark := case when is_more then reached::text else '' end;
end
$$;
