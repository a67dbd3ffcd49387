-- Makes a person a member of the account to which its address was invited.
--
-- Outcomes: accepted (joined_account); not_found (no invitation to this person's address, or it has expired)
create or replace function accept_invitation(
  accepted_id uuid, -- :invitation_id
  accepting_person uuid, -- :person_id
  out outcome text, -- :outcome
  out joined_account uuid -- :account_id?
)
language plpgsql
as $$
declare
  invitation invitations;
begin
  perform act_as('console:person ' || accepting_person);
  outcome := 'not_found';
  select * into invitation
  from invitations
  where invitation_id = accepted_id
    and expires_at > clock_timestamp()
    and address_key = (
      select persons.address_key from persons where persons.person_id = accepting_person
    );
  if not found then
    return;
  end if;
  perform
  from accounts
  where accounts.account_id = invitation.account_id
    and closed_at is null
  for no key update;
  if not found then
    return;
  end if;
  -- It may have been withdrawn before the account's lock was granted.
  delete from invitations
  where invitation_id = accepted_id;
  if not found then
    return;
  end if;
  outcome := 'accepted';
  joined_account := invitation.account_id;
  insert into members (account_id, person_id, role)
  values (joined_account, accepting_person, invitation.role)
  on conflict (account_id, person_id) do nothing;
  if found then
    perform note_member(
      joined_account,
      'member join',
      null,
      json_build_object('person_id', accepting_person, 'role', invitation.role)
    );
  end if;
end
$$;
