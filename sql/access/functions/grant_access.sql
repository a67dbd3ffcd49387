-- Grants an account access to a feed, or changes its grant. This approves the account's pending request, if there is
-- one.
--
-- given_end: null if the grant does not end
--
-- Outcomes: granted (access: the grant); account_unknown (also if closed); own_feed; ended (given_end has passed)
create or replace function grant_access(
  granted_feed uuid,
  reader uuid,
  given_free boolean,
  given_end timestamptz,
  given_note text,
  actor text,
  out outcome text,
  out access access_grants
)
language plpgsql
as $$
declare
  account accounts;
begin
  perform act_as(actor);
  -- The account is locked first, because the grant renews its version.
  select * into account
  from accounts
  where account_id = reader
  for no key update;
  outcome := case
    when account.account_id is null or account.closed_at is not null then 'account_unknown'
    when exists (select from feeds where feed_id = granted_feed and account_id = reader) then 'own_feed'
    when given_end <= clock_timestamp() then 'ended'
    else 'granted'
  end;
  if outcome <> 'granted' then
    return;
  end if;
  insert into access_grants (account_id, feed_id, is_free, expires_at, note)
  values (reader, granted_feed, given_free, given_end, given_note)
  on conflict (account_id, feed_id) do update
  set is_free = excluded.is_free,
    expires_at = excluded.expires_at,
    note = excluded.note
  where (access_grants.is_free, access_grants.expires_at, access_grants.note)
    is distinct from (excluded.is_free, excluded.expires_at, excluded.note);
  perform watch_feeds_of(reader);
  update access_requests
  set status = 'approved',
    answered_at = clock_timestamp()
  where account_id = reader
    and feed_id = granted_feed
    and status = 'waiting';
  -- Read without a lock: the upsert has locked the grant even if nothing changed.
  select * into access
  from access_grants
  where account_id = reader
    and feed_id = granted_feed;
end
$$;
