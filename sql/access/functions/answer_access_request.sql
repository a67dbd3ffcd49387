-- Approves or declines a request for access, on behalf of the feed's owner.
--
-- Outcomes: approved and declined (request: the answered request); not_found (no such request for this feed);
-- answered_before; account_unknown (closed since); ended (given_end has passed)
create or replace function answer_access_request(
  asked_feed uuid,
  answered_request uuid,
  is_approved boolean,
  given_free boolean,
  given_end timestamptz,
  given_reason text,
  actor text,
  out outcome text,
  out request access_requests
)
language plpgsql
as $$
#variable_conflict use_column
declare
  asked access_requests;
begin
  perform act_as(actor);
  select * into asked
  from access_requests
  where request_id = answered_request
    and feed_id = asked_feed;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  -- Accounts are always locked first.
  perform
  from accounts
  where account_id = asked.account_id
  for no key update;
  select * into asked
  from access_requests
  where request_id = answered_request
  for update;
  if asked.status <> 'waiting' then
    outcome := 'answered_before';
    return;
  end if;
  if is_approved then
    outcome := (
      select granted.outcome
      from grant_access(asked_feed, asked.account_id, given_free, given_end, null, actor) as granted
    );
    if outcome = 'granted' then
      outcome := 'approved';
      select * into request
      from access_requests
      where request_id = answered_request;
    end if;
    return;
  end if;
  update access_requests
  set status = 'declined',
    reason = given_reason,
    answered_at = clock_timestamp()
  where request_id = answered_request
  returning * into request;
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (audit_actor(), 'access decline', asked.account_id, asked_feed, null, null);
  outcome := 'declined';
end
$$;
