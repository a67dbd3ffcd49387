-- Keeps totals of the whole gateway by minute and by day, what accounts spend by day, feed and key, and the sums of the
-- ledger's proof.
--
-- The job `totals` makes what comes from the usage log (sql/earnings/functions/count_sales.sql). Gateways add what is in
-- no log, such as refusals, once a minute (sql/earnings/functions/add_totals.sql).

-- name: such as reads, charged_nanos or refused_402. See add_usage and src/jobs/minute_counts.ts.
create table minute_totals (
  minute timestamptz not null,
  name text not null,
  amount bigint not null,
  primary key (minute, name)
)
with (fillfactor = 50);

create table day_totals (
  -- In UTC.
  day date not null,
  name text not null,
  amount bigint not null,
  primary key (day, name)
)
with (fillfactor = 50);

-- What an account has spent of its credits on a day in UTC, on reads and purchases of a feed.
create table spending_days (
  account_id uuid not null,
  day date not null,
  feed_id uuid not null,
  -- Null: the log does not say with which key.
  key_id uuid,
  reads bigint not null,
  purchases bigint not null,
  charged_nanos bigint not null,
  refunded_nanos bigint not null,
  constraint spending_days_unique unique nulls not distinct (account_id, day, feed_id, key_id)
)
with (fillfactor = 50);

-- Ranks accounts, and feeds, by what was read in a range of days.
create index spending_days_day on spending_days (day);
create index earning_days_day on earning_days (day);

-- What the job hands from step to step. No row is kept.
create type key_usage as (
  account_id uuid,
  feed_id uuid,
  key_id uuid,
  minute timestamptz,
  reads bigint,
  discovery_calls bigint,
  purchases bigint,
  charged_nanos bigint,
  refunded_nanos bigint
);

-- The sums of the last whole pass of the job `ledger check` over all accounts. Each account is proven in one snapshot.
create table ledger_proof (
  is_only boolean primary key default true,
  accounts bigint not null,
  -- Accounts whose ledger does not add up.
  wrong bigint not null,
  granted_nanos numeric not null,
  revoked_nanos numeric not null,
  charged_nanos numeric not null,
  refunded_nanos numeric not null,
  balance_nanos numeric not null,
  proven_at timestamptz not null,
  constraint ledger_proof_one check (is_only)
);

-- The usage event of a purchase that was paid from the balance, if it was given back.
alter table sale_changes
  add column purchase_id uuid;

create or replace function note_usage_change()
returns trigger
language plpgsql
as $$
begin
  if new.operation <> 'purchase'
    or exists (
      select
      from credit_ledger
      where reference = 'refund:' || new.usage_id
        and kind = 'refund'
    )
  then
    insert into sale_changes (
      kind, account_id, feed_id, usage_id, purchase_id, amount_nanos, sold_at
    )
    values (
      case when new.failed then 'failed' else 'refunded' end,
      new.account_id,
      new.feed_id,
      case when new.operation <> 'purchase' then new.usage_id end,
      case when new.operation = 'purchase' then new.usage_id end,
      new.charge_nanos,
      new.happened_at
    );
  end if;
  return null;
end
$$;

create or replace function note_purchase()
returns trigger
language plpgsql
as $$
begin
  if tg_op = 'INSERT' then
    insert into sale_changes (kind, account_id, feed_id, amount_nanos, sold_at)
    values (
      'purchased', new.account_id, new.feed_id, new.price_cents * 10000000, new.purchased_at
    );
  elsif old.entry_id is not null
    or not exists (
      select
      from credit_ledger
      where reference = 'refund:' || old.purchase_id
        and kind = 'refund'
    )
  then
    insert into sale_changes (kind, account_id, feed_id, purchase_id, amount_nanos, sold_at)
    values (
      'refunded', old.account_id, old.feed_id,
      case when old.entry_id is null then old.purchase_id end,
      old.price_cents * 10000000, old.purchased_at
    );
  end if;
  return null;
end
$$;

-- A program of before counts sales without these totals. So its job is not due before all gateways are replaced, and
-- a step of it that is under way is awaited. The job of this program has another name.
insert into maintenance_jobs (name, due_at)
values ('sales', now() + interval '23 hours')
on conflict (name) do update
set due_at = excluded.due_at;

-- What was counted before, as far as it is still in the log. What waits among the changes comes later.
with counted as materialized (
  select
    event.account_id,
    event.feed_id,
    event.key_id,
    event.operation,
    event.charge_nanos,
    event.happened_at,
    case when change.usage_id is null and event.refunded then refund.created_at end as refunded_at
  from usage_events as event
  join counted_accounts as line
    on line.account_id = event.account_id
    and event.usage_id <= line.counted_to
  left join (
    select usage_id, bool_or(kind = 'late') as is_late, bool_or(kind = 'failed') as is_failed
    from sale_changes
    group by usage_id
  ) as change
    on change.usage_id = event.usage_id
  left join credit_ledger as refund
    on event.refunded
    and refund.reference = 'refund:' || event.usage_id
  where change.is_late is not true
    and (not event.failed or change.is_failed)
),
uses as materialized (
  select
    account_id, feed_id, key_id, happened_at as counts_at,
    (operation in ('data', 'stream', 'export'))::int as reads,
    (operation in ('catalog', 'search', 'metadata'))::int as discovery_calls,
    (operation = 'purchase')::int as purchases,
    charge_nanos as charged_nanos,
    0::bigint as refunded_nanos
  from counted
  union all
  select account_id, feed_id, key_id, refunded_at, 0, 0, 0, 0, charge_nanos
  from counted
  where refunded_at is not null
),
spent as (
  insert into spending_days (
    account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos
  )
  select
    account_id, (counts_at at time zone 'UTC')::date, feed_id, key_id, sum(reads), sum(purchases),
    sum(charged_nanos), sum(refunded_nanos)
  from uses
  where feed_id is not null
    and (reads <> 0 or purchases <> 0 or refunded_nanos <> 0)
  group by 1, 2, 3, 4
),
named as materialized (
  select date_trunc('minute', uses.counts_at, 'UTC') as minute, part.name, sum(part.amount) as amount
  from uses
  cross join lateral (
    values
      ('reads', uses.reads::bigint),
      ('discovery_calls', uses.discovery_calls),
      ('purchases', uses.purchases),
      ('charged_nanos', uses.charged_nanos),
      ('refunded_nanos', uses.refunded_nanos)
  ) as part (name, amount)
  where part.amount <> 0
  group by 1, 2
),
minutes as (
  insert into minute_totals (minute, name, amount)
  select minute, name, amount
  from named
  where minute >= now() - interval '7 days'
)
insert into day_totals (day, name, amount)
select (minute at time zone 'UTC')::date, name, sum(amount)
from named
group by 1, 2;
