-- The changes of an account since a gateway last read it, one row per account.
--
-- The events are those that count in windows: from the last window_us, and decided after known_us. If the generation
-- has moved, known_us is meaningless, and the gateway must read the whole account again, for which it passes generation
-- -1. If the clock was set back, events in the future also count.
--
-- news: [version, generation, balance_nanos, logged_us, events, spending] as JSON
-- events: [[window, decided_us], …], oldest first; null if the generation has moved. As in `terms.ts`, data reads are
--   counted by feed, all others by operation
-- spending: [[key_id, day, spent_nanos], …] of the budgets, by the first keys of their chains; null if there are none
create or replace function account_news(
  account_id uuid,
  known_generation bigint,
  known_us bigint,
  now_us bigint,
  window_us bigint
)
returns table (
  version bigint,
  news json,
  suspension_reason text
)
language sql
stable
as $$
  select
    accounts.version,
    json_build_array(
      accounts.version,
      accounts.generation,
      accounts.balance_nanos::text,
      accounts.logged_us,
      case when known_generation in (-1, accounts.generation) then coalesce(
        (
          select json_agg(json_build_array(hits.window_name, hits.hit_us) order by hits.hit_us, hits.usage_id)
          from (
            select
              usage_events.usage_id,
              coalesce(
                case when usage_events.operation in ('data', 'stream') then usage_events.feed_id::text end,
                usage_events.operation
              ) as window_name,
              epoch_us(usage_events.happened_at) as hit_us
            from usage_events
            where usage_events.account_id = accounts.account_id
              and usage_events.usage_id >= uuid_from_time(
                to_timestamp(greatest(known_us, now_us - window_us) / 1000000.0)
              )
              and not usage_events.failed
          ) as hits
          where hits.hit_us > greatest(known_us, now_us - window_us)
            and (known_generation = -1 or hits.hit_us <= accounts.logged_us)
        ),
        '[]'
      ) end,
      (
        select json_agg(json_build_array(
          key_spending.key_id, key_spending.day, key_spending.spent_nanos::text
        ))
        from key_spending
        where key_spending.account_id = accounts.account_id
      )
    ),
    accounts.suspension_reason
  from accounts
  where accounts.account_id = account_news.account_id
$$;
