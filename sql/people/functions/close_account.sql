-- Closes an account: its keys, agents, and sessions end, its feeds are deleted, its members leave, and those without
-- another account are removed. Usage, ledger, earnings, and the audit trail are kept under the account's id, without
-- names. The sign-up is also kept as long as the limits count it. Otherwise, closing accounts would make room for new
-- ones.
--
-- The account is locked first, so that its feeds can't be sold in the meantime.
--
-- acting_person: see is_owner
--
-- Outcomes: closed; not_owner; not_found; owed (owed_nanos)
create or replace function close_account(
  closed_account uuid, -- :account_id
  acting_person uuid, -- :person_id?
  actor text, -- :actor?
  out outcome text, -- :outcome
  out owed_nanos bigint -- :owed_nanos?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  closing accounts;
  member record;
begin
  perform act_as(actor);
  select * into closing
  from accounts
  where account_id = closed_account
  for no key update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  if closing.closed_at is not null then
    outcome := 'closed';
    return;
  end if;
  if not is_owner(closed_account, acting_person) then
    outcome := 'not_owner';
    return;
  end if;
  perform delete_feed(null, feeds.feed_id, actor, 1)
  from feeds
  where feeds.account_id = closed_account
    and feeds.deleted_at is null;
  owed_nanos := owed_to(closed_account) + (
    select coalesce(sum(sales.gross_nanos - sales.refunded_nanos), 0)
    from waiting_sales(null) as sales
    join feeds
      on feeds.feed_id = sales.feed_id
    where feeds.account_id = closed_account
  );
  if owed_nanos > 0 then
    -- Rolls back the deletions.
    raise exception using errcode = 'FG001', message = 'owed', detail = owed_nanos::text;
  end if;

  perform edit_key(keys.key_id, json_build_object('revoked_at', clock_timestamp()), actor)
  from api_keys as keys
  where keys.account_id = closed_account
    and keys.revoked_at is null;
  delete from webhooks
  where account_id = closed_account;
  delete from agent_connections
  where account_id = closed_account
    and key_id is null;
  delete from sign_in_links
  where account_id = closed_account;
  delete from console_sessions
  using api_keys
  where api_keys.account_id = closed_account
    and console_sessions.key_id = api_keys.key_id;
  delete from invitations
  where account_id = closed_account;
  delete from access_grants
  where account_id = closed_account;
  delete from access_requests
  where account_id = closed_account;
  for member in
    select members.person_id
    from members
    where members.account_id = closed_account
    order by members.person_id
  loop
    -- Serializes closings: of two accounts that are closed at the same time, the second sees that the person has no
    -- other.
    perform pg_advisory_xact_lock(hashtextextended('person ' || member.person_id, 0));
    perform leave_account(member.person_id, null, closed_account, actor);
    delete from members
    where account_id = closed_account
      and person_id = member.person_id;
    if not exists (select from members where person_id = member.person_id) then
      perform forget_person(member.person_id);
    end if;
  end loop;
  update accounts
  set name = 'Closed account',
    closed_at = clock_timestamp(),
    suspension_reason = 'The account is closed.'
  where account_id = closed_account;
  update api_keys
  set name = null
  where account_id = closed_account
    and name is not null;
  -- The names of the account and its keys may contain a person's name.
  update audit_events
  set before = without_name(before),
    after = without_name(after)
  where account_id = closed_account
    and (before ->> 'name' is not null or after ->> 'name' is not null)
    and split_part(action, ' ', 1) in ('account', 'key');
  outcome := 'closed';
exception when sqlstate 'FG001' then
  outcome := 'owed';
end
$$;
