-- Keeps daily totals of what providers sell, made behind the reads from the usage log and from purchases, and payouts.
--
-- The job `sales` makes them (sql/earnings/functions/count_sales.sql, which explains the whole).

-- The platform's fee over time, in millionths of a sale. A gateway that starts with another rate adds a row. A sale has
-- the rate of its own moment, and so has its refund.
create table fee_rates (
  since timestamptz primary key,
  rate_millionths integer not null,
  constraint fee_rates_range check (rate_millionths between 0 and 1000000)
);

insert into fee_rates (since, rate_millionths)
values ('-infinity', 0);

-- late_until_us: events of the account up to this time may come late: the clock was set back while its log had come so
--   far, in microseconds of the Unix epoch. 0: it never was.
alter table accounts
  add column late_until_us bigint not null default 0;

-- What has happened to sales beside new events of the log. The job takes the rows out as it counts them.
create table sale_changes (
  change_id bigint generated always as identity primary key,
  -- late: an event whose id is before ids that may have been counted. failed: a read was answered with an error after
  -- all. refunded: a charge or a price was given back. purchased: a feed was bought, however it was paid.
  kind text not null,
  -- The buyer.
  account_id uuid not null,
  feed_id uuid not null,
  -- The event of the log; null for purchases and what is given back of them.
  usage_id uuid,
  amount_nanos bigint not null,
  sold_at timestamptz not null,
  changed_at timestamptz not null default now(),
  constraint sale_changes_kind_known check (kind in ('late', 'failed', 'refunded', 'purchased'))
);

-- How far the log of each account has been counted. The lock of an account puts its events in the order of their ids,
-- so what is behind the last one that was counted is what has come since.
create table counted_accounts (
  account_id uuid primary key,
  -- The account's version of then; null while more of its log waits.
  version bigint,
  counted_to uuid not null,
  -- What the account has paid for reads and purchases less refunds, as far as that was counted.
  paid_nanos bigint not null
)
with (fillfactor = 50);

-- Up to where the totals are complete.
create table totals_progress (
  name text primary key,
  complete_until timestamptz not null
);

-- What a feed has sold on a day in UTC.
create table earning_days (
  feed_id uuid not null,
  day date not null,
  -- The provider.
  account_id uuid not null,
  reads bigint not null,
  paid_reads bigint not null,
  purchases bigint not null,
  gross_nanos bigint not null,
  refunded_nanos bigint not null,
  -- The fee of the sales less that of what was refunded, in millionths of a nano-dollar.
  fee_parts numeric not null,
  -- The one rule of rounding: the fee of a feed's day is cut to whole nano-dollars, toward zero.
  fee_nanos bigint not null generated always as (trunc(fee_parts / 1000000)::bigint) stored,
  primary key (feed_id, day)
)
with (fillfactor = 50);

-- Reads the days of a provider.
create index earning_days_account on earning_days (account_id, day);

-- What a customer has bought of a feed on a day: what the job hands from step to step. No row is kept.
create type customer_sales as (
  account_id uuid,
  feed_id uuid,
  provider_id uuid,
  day date,
  reads bigint,
  paid_reads bigint,
  purchases bigint,
  gross_nanos bigint,
  refunded_nanos bigint,
  fee_parts numeric
);

-- On which days an account has read or bought of a feed, or of any feed of a provider: scope_id is the one or the other.
create table customer_days (
  scope_id uuid not null,
  account_id uuid not null,
  day date not null,
  primary key (scope_id, account_id, day)
);

-- How many accounts were customers of a scope on `day` and before that on `previous_day` last (-infinity: never). So the
-- distinct accounts of any range are the sum of its days whose previous_day is before the range: no account is looked at.
create table customer_counts (
  scope_id uuid not null,
  day date not null,
  previous_day date not null,
  accounts bigint not null,
  primary key (scope_id, day, previous_day)
)
with (fillfactor = 50);

-- What providers have been paid.
create table payouts (
  payout_id bigint generated always as identity primary key,
  account_id uuid not null references accounts,
  amount_nanos bigint not null,
  -- Unique, so that a payout that is recorded twice is one.
  reference text not null,
  paid_at timestamptz not null default now(),
  constraint payouts_amount_positive check (amount_nanos > 0),
  constraint payouts_reference_unique unique (reference)
);

-- Lists the payouts of a provider.
create index payouts_account on payouts (account_id, payout_id);

create function note_payout_audit()
returns trigger
language plpgsql
as $$
begin
  insert into audit_events (actor, action, account_id, after)
  values (
    audit_actor(),
    'payout record',
    new.account_id,
    json_build_object(
      'payout_id', new.payout_id, 'amount_nanos', new.amount_nanos, 'reference', new.reference
    )
  );
  return null;
end
$$;

create trigger payouts_audited
after insert on payouts
for each row
execute function note_payout_audit();

-- Notes what becomes of an event that is in the log. No read makes this trigger fire.
--
-- A purchase from the balance is given back by its undo, which `note_purchase` notes, or by a refund of its event.
create function note_usage_change()
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
    insert into sale_changes (kind, account_id, feed_id, usage_id, amount_nanos, sold_at)
    values (
      case when new.failed then 'failed' else 'refunded' end,
      new.account_id,
      new.feed_id,
      case when new.operation <> 'purchase' then new.usage_id end,
      new.charge_nanos,
      new.happened_at
    );
  end if;
  return null;
end
$$;

create trigger usage_events_noted
after update of refunded, failed on usage_events
for each row
when (
  new.feed_id is not null
  and not old.refunded
  and new.refunded
  and (new.failed or new.charge_nanos > 0)
)
execute function note_usage_change();

create function note_purchase()
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
    insert into sale_changes (kind, account_id, feed_id, amount_nanos, sold_at)
    values (
      'refunded', old.account_id, old.feed_id, old.price_cents * 10000000, old.purchased_at
    );
  end if;
  return null;
end
$$;

create trigger purchases_noted
after insert or delete on purchases
for each row
execute function note_purchase();

-- What was bought before, also what was undone since: the ledger has the price in words.
with bought as (
  select
    credit_ledger.entry_id,
    credit_ledger.account_id,
    credit_ledger.feed_id,
    substring(credit_ledger.reason from ' for ([0-9]+) cents$')::bigint * 10000000 as amount_nanos,
    credit_ledger.created_at
  from credit_ledger
  where credit_ledger.kind = 'purchase'
    and credit_ledger.reason ~ ' for [0-9]{1,11} cents$'
)
insert into sale_changes (kind, account_id, feed_id, amount_nanos, sold_at, changed_at)
select 'purchased', account_id, feed_id, amount_nanos, created_at, created_at
from bought
union all
select
  'refunded', bought.account_id, bought.feed_id, bought.amount_nanos, bought.created_at,
  undone.created_at
from bought
join credit_ledger as undone
  on undone.reference = 'purchase_undo:' || bought.entry_id;
