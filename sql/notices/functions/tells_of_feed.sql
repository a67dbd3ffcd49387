-- Whether an account may receive a notice, as far as its feed is concerned.
--
-- A provider receives notices about its own feeds that are not deleted. A reader receives notices about feeds that it
-- may read, the notice that a feed is gone if it could read that feed, and the answer to its request for access, unless
-- the feed has since become hidden from it.
create or replace function tells_of_feed(notice notices, told_account uuid)
returns boolean
language sql
stable
as $$
  select notice.feed_id is null
    or notice.permission = 'admin'
    or notice.type = 'feed.suspended'
    or (notice.type = 'feed.gone' and notice.account_id is not null)
    or exists (
      select
      from feeds
      where feeds.feed_id = notice.feed_id
        and case
          when notice.permission = 'write'
            then feeds.account_id = told_account and feeds.deleted_at is null
          else
            (feeds.is_readable or notice.type = 'feed.gone')
            and (
              feeds.access = 'open'
              or (notice.type = 'access.answered' and feeds.access = 'by_request')
              or may_find(feeds.feed_id, feeds.account_id, told_account)
            )
        end
    )
$$;
