-- Starts watching the feeds that concern an account, if it receives notices about feeds. A job does this regularly
-- (keep_account_feeds); called with the change itself, no notice of the first seconds is missed.
create or replace function watch_feeds_of(reader uuid)
returns void
language plpgsql
as $$
declare
  moment constant timestamptz := clock_timestamp();
  added uuid[];
begin
  if not is_told_of_feeds(reader) then
    return;
  end if;
  with found_since as (
    insert into account_feeds (feed_id, account_id)
    select known.feed_id, reader
    from feeds_of_reader(reader, moment) as known
    order by known.feed_id
    on conflict do nothing
    returning account_feeds.feed_id
  )
  select array_agg(found_since.feed_id) into added
  from found_since;
  perform compare_feeds(added, moment);
end
$$;
