-- Lets a provider read the history of its pushes, with those that were refused by rate.

-- batch_id: as it was given; null for pushes from before this column, too.
-- times: how many pushes the row stands for. Pushes that were refused by rate within a minute are one row, so that a
--   flood of them can't fill the table.
alter table pushes
  add column batch_id text,
  add column times integer not null default 1,
  add constraint pushes_times_positive check (times > 0);

-- Finds the newest refusal of a feed.
create index pushes_refused on pushes (feed_id, pushed_at desc, push_id desc)
where not stored;

-- Keeps it to one row a feed and minute.
create unique index pushes_limited on pushes (feed_id, date_trunc('minute', pushed_at at time zone 'UTC'))
where code = 'RATE_LIMITED';
