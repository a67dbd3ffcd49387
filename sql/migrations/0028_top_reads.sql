-- Finds accounts by their name, and ranks what is read.

create index accounts_name on accounts (name);

-- The feeds that are read most, and the accounts that read most, in the last days and in the last one, as the job
-- `top reads` keeps them: what they were ranked of, and the rankings.
create table read_rankings (
  -- So many days in UTC, with that of to_day.
  days int primary key,
  to_day date not null,
  -- Places that are kept of each ranking, if there are so many.
  places int not null,
  -- Up to where the totals were complete.
  complete_until timestamptz,
  ranked_at timestamptz not null,
  -- How long the ranking took.
  took interval not null
);

create table top_reads (
  days int not null,
  is_feed boolean not null,
  place int not null,
  -- Null in the ranking of accounts, as is the account in that of feeds.
  feed_id uuid,
  account_id uuid,
  reads bigint not null,
  -- What was charged for reads and purchases, less refunds.
  spent_nanos bigint not null,
  primary key (days, is_feed, place)
)
with (fillfactor = 50);
