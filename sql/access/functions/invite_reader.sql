-- Invites an address to read a feed, or renews its invitation, and mails it, at most once an hour. A person who has
-- proven the address and works in an account is invited in the same way, so the answer does not tell who has joined.
--
-- Outcomes: invited (invitation); limited (the feed has as many open invitations as it may)
create or replace function invite_reader(
  inviting_feed uuid,
  given_address text,
  given_key text,
  given_free boolean,
  given_end timestamptz,
  given_note text,
  lifetime interval,
  invitations_max int,
  mail_subject text,
  mail_text text,
  mail_html text,
  actor text,
  out outcome text,
  out invitation access_invitations
)
language plpgsql
as $$
#variable_conflict use_column
declare
  pause constant interval := interval '1 hour';
  moment timestamptz;
  is_mailed boolean;
begin
  perform act_as(actor);
  perform
  from feeds
  where feed_id = inviting_feed
  for no key update;
  moment := clock_timestamp();
  if (
    select count(*)
    from access_invitations
    where feed_id = inviting_feed
      and ends_at > moment
      and address_key <> given_key
  ) >= invitations_max then
    outcome := 'limited';
    return;
  end if;
  is_mailed := not exists (
    select
    from access_invitations
    where address_key = given_key
      and happened_at > moment - pause
  );
  insert into access_invitations (
    feed_id, address_key, address, is_free, expires_at, note, ends_at, happened_at
  )
  values (
    inviting_feed, given_key, given_address, given_free, given_end, given_note, moment + lifetime, moment
  )
  on conflict (feed_id, address_key) do update
  set address = excluded.address,
    is_free = excluded.is_free,
    expires_at = excluded.expires_at,
    note = excluded.note,
    ends_at = excluded.ends_at,
    happened_at = case when is_mailed then excluded.happened_at else access_invitations.happened_at end
  returning access_invitations.* into invitation;
  if is_mailed and mail_subject is not null then
    insert into mails (person_id, address, subject, body_text, body_html, expires_at)
    values (
      (select person_id from persons where address_key = given_key),
      given_address, mail_subject, mail_text, mail_html, moment + lifetime
    );
  end if;
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(), 'access invite', (select account_id from feeds where feed_id = inviting_feed),
    inviting_feed, null, json_build_object('invitation_id', invitation.invitation_id)
  );
  outcome := 'invited';
end
$$;
