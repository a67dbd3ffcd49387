-- Invites an address to an account, or renews its invitation, and queues the mail. If the limits of mail_invitation are
-- reached, the invitation is created without a mail. Invitations of the last hour count as open even if they were
-- withdrawn.
--
-- acting_person: see is_owner
-- address_max, account_max: see mail_invitation
--
-- Outcomes: invited (invited_id, invited_at: when it was last mailed, ends_at); not_owner; closed; is_member; limited
-- (the account has its maximum of open invitations)
create or replace function invite_member(
  inviting_account uuid, -- :account_id
  acting_person uuid, -- :person_id?
  given_address text, -- :address
  given_key text, -- :address_key
  given_role text, -- :role
  lifetime interval, -- :lifetime
  invitations_max int, -- :invitations_max
  address_max int, -- :address_max
  account_max int, -- :account_max
  mail_subject text, -- :mail_subject?
  mail_text text, -- :mail_text?
  mail_html text, -- :mail_html?
  actor text, -- :actor?
  out outcome text, -- :outcome
  out invited_id uuid, -- :invitation_id?
  out invited_at timestamptz, -- :created_at?
  out ends_at timestamptz -- :expires_at?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  pause constant interval := interval '1 hour';
  moment timestamptz;
  account accounts;
  is_mailed boolean;
begin
  perform act_as(actor);
  select * into account
  from accounts
  where account_id = inviting_account
  for no key update;
  moment := clock_timestamp();
  outcome := case
    when not is_owner(inviting_account, acting_person) then 'not_owner'
    when account.closed_at is not null then 'closed'
    when exists (
      select
      from members
      join persons
        on persons.person_id = members.person_id
      where members.account_id = inviting_account
        and persons.address_key = given_key
    ) then 'is_member'
    when (
      select count(*)
      from invitations
      where account_id = inviting_account
        and (expires_at > moment or created_at > moment - pause)
        and address_key <> given_key
    ) >= invitations_max then 'limited'
    else 'invited'
  end;
  if outcome <> 'invited' then
    return;
  end if;
  insert into invitations (account_id, address, address_key, role, created_at, expires_at)
  values (inviting_account, given_address, given_key, given_role, moment, moment + lifetime)
  on conflict (account_id, address_key) do update
  set address = excluded.address,
    role = excluded.role,
    expires_at = excluded.expires_at
  returning invitation_id, created_at, expires_at into invited_id, invited_at, ends_at;
  -- After the invitation, because the mail locks its person, which forget_person locks last.
  is_mailed := mail_invitation(
    inviting_account, given_address, given_key, address_max, account_max, lifetime, mail_subject, mail_text,
    mail_html
  );
  if is_mailed or mail_subject is null then
    update invitations
    set created_at = moment
    where invitation_id = invited_id;
    invited_at := moment;
  end if;
  perform note_member(
    inviting_account,
    'member invite',
    null,
    json_build_object('invitation_id', invited_id, 'role', given_role)
  );
end
$$;
