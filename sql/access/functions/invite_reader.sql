-- Invites an address to read a feed, or renews its invitation, and queues the mail. If the limits of mail_invitation
-- are reached, the invitation is created without a mail. People who already have an account are invited in the same
-- way, so the response does not reveal who has joined.
--
-- address_max, account_max: see mail_invitation
--
-- Outcomes: invited (invitation); limited (the feed has its maximum of open invitations)
create or replace function invite_reader(
  inviting_feed uuid,
  given_address text,
  given_key text,
  given_free boolean,
  given_end timestamptz,
  given_note text,
  lifetime interval,
  invitations_max int,
  address_max int,
  account_max int,
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
  inviting_account uuid;
  moment timestamptz;
  is_mailed boolean;
begin
  perform act_as(actor);
  select account_id into inviting_account
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
    ends_at = excluded.ends_at
  returning access_invitations.* into invitation;
  -- After the invitation, because the mail locks its person, which forget_person locks last.
  is_mailed := mail_invitation(
    inviting_account, given_address, given_key, address_max, account_max, lifetime, mail_subject, mail_text,
    mail_html
  );
  if is_mailed or mail_subject is null then
    update access_invitations
    set happened_at = moment
    where invitation_id = invitation.invitation_id;
  end if;
  insert into audit_events (actor, action, account_id, feed_id, before, after)
  values (
    audit_actor(), 'access invite', inviting_account, inviting_feed, null,
    json_build_object('invitation_id', invitation.invitation_id)
  );
  outcome := 'invited';
end
$$;
