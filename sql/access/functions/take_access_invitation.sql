-- Accepts one invitation to read a feed, sent to a person's address, for one of the person's accounts. A grant that the
-- account already has stays as it is.
--
-- Outcomes: granted; not_found (no open invitation of the person's address); not_member; own_feed (the invitation
-- stays); ended (the grant's end has passed, so the invitation is removed); account_unknown (closed)
create or replace function take_access_invitation(
  person uuid, -- :person_id
  taking_account uuid, -- :account_id
  taken_invitation uuid, -- :invitation_id
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  invited access_invitations;
begin
  -- Accounts are always locked first.
  perform
  from accounts
  where account_id = taking_account
  for no key update;
  if not exists (select from members where account_id = taking_account and person_id = person) then
    outcome := 'not_member';
    return;
  end if;
  select access_invitations.* into invited
  from access_invitations
  where invitation_id = taken_invitation
    and address_key = (select persons.address_key from persons where person_id = person)
    and ends_at > clock_timestamp()
  for update;
  if not found then
    outcome := 'not_found';
    return;
  end if;
  outcome := case
    when has_grant(taking_account, invited.feed_id) then 'granted'
    else (
      select granted.outcome
      from grant_access(
        invited.feed_id, taking_account, invited.is_free, invited.expires_at, invited.note,
        'console:person ' || person
      ) as granted
    )
  end;
  if outcome in ('granted', 'ended') then
    delete from access_invitations
    where invitation_id = taken_invitation;
  end if;
end
$$;
