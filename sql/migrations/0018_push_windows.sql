-- The windows of pushes, which are all that is left of rate_windows: one row a feed that was pushed to.
create table push_windows (
  feed_id uuid primary key references feeds,
  -- When the pushes that may still count came, in microseconds of the Unix epoch, the oldest first.
  hits bigint[] not null
)
with (fillfactor = 50, toast_tuple_target = 8160);

-- Written anew by every push: stored as they are, because to compress them would take longer.
alter table push_windows
alter column hits set storage external;

insert into push_windows (feed_id, hits)
select feed_id, hits
from rate_windows;

drop table rate_windows;
