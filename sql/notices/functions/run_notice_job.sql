-- Runs a step of a background job of notices, unless the job is not due or another process is running it. Returns true
-- if more is left. The job's row is locked until the end of the transaction, which also stores the notices.
--
-- A due time that is later than any pause allows was written by a clock that was ahead.
--
-- moment: the time as of which it runs; null for now
-- pause: from the end of a pass to the start of the next
-- age: of what the job removes or compares; null if it has none
-- amount: the most that a step does; for balances, the usual threshold in nano-dollars
-- mail_defaults: see spread_notices
create or replace function run_notice_job(
  job text, -- :job
  moment timestamptz, -- :moment?
  pause interval, -- :pause
  age interval, -- :age?
  amount bigint, -- :amount
  mail_defaults text[] -- :mail_defaults?
)
returns boolean -- :is_more
language plpgsql
as $$
declare
  is_more boolean := false;
begin
  moment := coalesce(moment, clock_timestamp());
  perform from maintenance_jobs
  where name = job
    and (due_at <= moment or due_at > moment + pause + interval '1 minute')
  for update skip locked;
  if not found then
    insert into maintenance_jobs (name)
    values (job)
    on conflict (name) do nothing;
    if not found then
      return false;
    end if;
  end if;

  case job
    when 'notices' then
      is_more := spread_notices(moment, amount::int, mail_defaults);
    when 'notice subscriptions' then
      perform keep_account_feeds(moment);
    when 'updated feeds' then
      is_more := note_updated_feeds(moment, amount::int);
    when 'low balances' then
      perform note_low_balances(moment, amount);
      perform note_spent_budgets(moment);
    when 'notice mails' then
      perform drop_withheld_mails(moment);
    when 'late feeds' then
      perform note_late_feeds(moment);
    when 'closing batches' then
      perform note_closing_batches(moment, age);
    when 'old notices' then
      is_more := remove_old_notices(moment, age, amount::int);
  end case;

  update maintenance_jobs
  set due_at = case when is_more then due_at else moment + pause end
  where name = job;
  return is_more;
end
$$;
