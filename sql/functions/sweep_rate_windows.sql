-- Removes windows whose last hit is older than `idle`, account by account, `window_limit` at most.
--
-- admit reads windows and writes them by their place, under the account's lock; so does this. An account
-- that is locked is being read by, so it is passed over until the next pass.
create or replace function sweep_rate_windows(
  moment timestamptz,
  pause interval,
  idle interval,
  window_limit int
)
returns boolean
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  job constant text := 'rate windows';
  nil constant text := '00000000-0000-0000-0000-000000000000';
  idle_before_us constant bigint := epoch_us(moment - idle);
  mark text := begin_job(job, moment);
  looked_at int;
  last_account uuid;
  idle_accounts uuid[];
  locked_accounts uuid[];
  removed int;
begin
  if mark is null then
    return false;
  end if;
  select
    count(*),
    (array_agg(looked.account_id order by looked.account_id desc))[1],
    array_agg(distinct looked.account_id) filter (where looked.is_idle)
  into looked_at, last_account, idle_accounts
  from (
    select
      windows.account_id,
      coalesce(windows.hits[cardinality(windows.hits)], 0) < idle_before_us as is_idle
    from rate_windows as windows
    where windows.account_id > coalesce(nullif(mark, ''), nil)::uuid
    order by windows.account_id
    limit window_limit
  ) as looked;

  select array_agg(locked.account_id)
  into locked_accounts
  from (
    select accounts.account_id
    from accounts
    where accounts.account_id = any (idle_accounts)
    order by accounts.account_id
    for no key update of accounts skip locked
  ) as locked;

  -- Under the accounts' locks nothing moves a window. One account may have more than a step removes.
  delete from rate_windows
  where ctid = any (array(
    select windows.ctid
    from rate_windows as windows
    where windows.account_id = any (locked_accounts)
      and coalesce(windows.hits[cardinality(windows.hits)], 0) < idle_before_us
    limit window_limit
  ));
  get diagnostics removed = row_count;
  if removed = window_limit then
    return end_job(job, moment, pause, true, mark);
  end if;
  return end_job(job, moment, pause, looked_at = window_limit, last_account::text);
end
$$;
