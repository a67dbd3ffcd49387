-- Records an account's request to read a feed.
--
-- pause: how long after a declined request the account must wait before it may ask again
--
-- Outcomes: requested (request); not_found (the account can't find the feed); not_needed (the feed is open, or the
-- account owns it, has a grant, or has bought it); requested_before (another request is pending or was declined;
-- retry_at: when the account may ask again, null while the request is pending)
create or replace function request_access(
  asking_account uuid,
  asked_feed uuid,
  given_message text,
  pause interval,
  out outcome text,
  out request access_requests,
  out retry_at timestamptz
)
language plpgsql
as $$
#variable_conflict use_column
declare
  feed feeds;
  newest access_requests;
begin
  -- Serializes the account's requests, so that it never has two pending ones for a feed.
  perform
  from accounts
  where account_id = asking_account
  for no key update;
  select * into feed
  from feeds
  where feed_id = asked_feed;
  if finds_feed(feed, asking_account) is not true then
    outcome := 'not_found';
    return;
  end if;
  if feed.access = 'open' or may_find(feed.feed_id, feed.account_id, asking_account) then
    outcome := 'not_needed';
    return;
  end if;
  select * into newest
  from access_requests
  where account_id = asking_account
    and feed_id = asked_feed
  order by asked_at desc
  limit 1;
  if newest.status = 'waiting'
    or (newest.status = 'declined' and newest.answered_at > clock_timestamp() - pause)
  then
    outcome := 'requested_before';
    retry_at := case when newest.status = 'declined' then newest.answered_at + pause end;
    return;
  end if;
  insert into access_requests (account_id, feed_id, message)
  values (asking_account, asked_feed, given_message)
  returning * into request;
  outcome := 'requested';
end
$$;
