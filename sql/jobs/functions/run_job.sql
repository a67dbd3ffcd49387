-- Runs a step of a background job, unless the job is not due or another process is running it. Returns true if more is
-- left.
--
-- The job's row is locked until the end of the transaction. No job pauses for a day, so a due time later than that was
-- written by a clock that was ahead.
--
-- moment: the time as of which it runs; null for now
-- pause: from the end of a pass to the start of the next
-- age: of what the job removes or covers; null if it has none
-- amount: the most that a step does, in rows, batches, feeds, entries, or places. For filter indexes, the rows that may
--   stay unindexed; for usage partitions, months
-- work_max: of a step that indexes rows; null for other jobs
create or replace function run_job(
  job text, -- :job
  moment timestamptz, -- :moment?
  pause interval, -- :pause
  age interval, -- :age?
  amount int, -- :amount
  work_max bigint, -- :work_max?
  out is_more boolean -- :is_more
)
language plpgsql
as $$
#variable_conflict use_column
declare
  -- The progress of the pass. Empty at its start.
  reached text;
begin
  moment := coalesce(moment, clock_timestamp());
  is_more := false;
  select mark into reached
  from maintenance_jobs
  where name = job
    and (due_at <= moment or due_at > moment + interval '1 day')
  for update skip locked;
  if not found then
    insert into maintenance_jobs (name)
    values (job)
    on conflict (name) do nothing
    returning mark into reached;
  end if;
  if reached is null then
    return;
  end if;

  case job
    when 'retired batches' then
      is_more := remove_retired_rows(moment, age, amount);
    when 'deleted feeds' then
      is_more := remove_deleted_feeds(moment, age, amount);
    when 'event retention' then
      is_more := remove_expired_events(moment, amount);
    when 'abandoned batches' then
      is_more := retire_abandoned_batches(moment, age, amount);
    when 'usage retention' then
      is_more := retire_usage(moment, age, amount);
    when 'audit retention' then
      is_more := remove_aged_audit(moment, age, amount);
    when 'idempotency keys' then
      is_more := remove_aged_rows(moment, age, amount, 'idempotency_keys');
    when 'unused connections' then
      is_more := remove_unused_connections(moment, age, amount);
    when 'proofs' then
      is_more := remove_old_proofs(moment, age, amount);
    when 'exports' then
      is_more := remove_aged_rows(moment, age, amount, 'exports');
    when 'reliability' then
      select step.mark, step.is_more
      into reached, is_more
      from score_feeds(reached, moment, age, amount) as step;
    when 'push history' then
      select step.mark, step.is_more
      into reached, is_more
      from prune_pushes(reached, moment, age, amount) as step;
    when 'filter entries' then
      is_more := remove_filter_entries(moment, age, amount);
    when 'filter indexes' then
      select step.mark, step.is_more
      into reached, is_more
      from index_large_batches(reached, amount, work_max) as step;
    when 'totals' then
      is_more := count_sales(moment, amount);
    when 'top reads' then
      perform keep_top_reads(moment, age, amount);
    when 'minute retention' then
      is_more := remove_old_minutes(moment, amount);
    when 'overdue feeds' then
      perform count_overdue_feeds(moment);
    when 'ledger check' then
      select step.mark, step.is_more
      into reached, is_more
      from check_ledgers(reached, moment, amount, is_whole => false) as step;
    when 'usage partitions' then
      -- A new partition locks the log. It is better to try again later than to delay the reads that queue after a long
      -- export.
      perform set_config('lock_timeout', '250ms', true);
      perform create_usage_partitions(moment, amount);
  end case;

  update maintenance_jobs
  set mark = reached,
    due_at = case when is_more then due_at else moment + pause end
  where name = job;
end
$$;
