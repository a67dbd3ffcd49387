-- Whether an account has read or bought on a UTC day: from a feed, from any feed of a provider, or from any feed at all
-- (scope_id). Only reads that have been counted are included. A purchase is in the ledger, or in the log if it was paid
-- from the balance.
create or replace function is_customer(
  scope_id uuid,
  provider_id uuid,
  customer_id uuid,
  on_day date
)
returns boolean
language sql
stable
as $$
  with bounds as (
    select
      on_day::timestamp at time zone 'UTC' as since,
      (on_day + 1)::timestamp at time zone 'UTC' as until
  )
  select exists (
    select
    from bounds
    join usage_events as event
      on event.account_id = is_customer.customer_id
      and event.usage_id >= uuid_from_time(bounds.since)
      and event.usage_id < uuid_from_time(bounds.until)
    join feeds
      on feeds.feed_id = event.feed_id
    where is_customer.scope_id in (feeds.feed_id, feeds.account_id, every_provider())
      and (
        feeds.account_id = is_customer.provider_id
        or is_customer.scope_id = every_provider()
      )
      and event.operation in ('data', 'stream', 'export', 'purchase')
      and not event.failed
      and event.usage_id <= (
        select counted_to
        from counted_accounts
        where counted_accounts.account_id = is_customer.customer_id
      )
      and not exists (
        select
        from sale_changes
        where sale_changes.kind = 'late'
          and sale_changes.usage_id = event.usage_id
      )
  ) or exists (
    select
    from bounds
    join credit_ledger as entry
      on entry.account_id = is_customer.customer_id
      and entry.kind = 'purchase'
      and entry.created_at >= bounds.since
      and entry.created_at < bounds.until
    join feeds
      on feeds.feed_id = entry.feed_id
    where is_customer.scope_id in (feeds.feed_id, feeds.account_id, every_provider())
  )
$$;
