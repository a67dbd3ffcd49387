-- Withdraws an invitation, on behalf of an owner, an operator, or the person who was invited. It ends now and is
-- removed later, so that withdrawing makes no room for more invitations within the hour.
--
-- acting_person: see is_owner
-- Outcomes: withdrawn; not_found
create or replace function withdraw_invitation(
  withdrawn_id uuid, -- :invitation_id
  acting_person uuid, -- :person_id?
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  invitation invitations;
begin
  perform act_as(actor);
  outcome := 'not_found';
  select * into invitation
  from invitations
  where invitation_id = withdrawn_id;
  if not found or not (
    is_owner(invitation.account_id, acting_person)
    or invitation.address_key = (
      select persons.address_key from persons where persons.person_id = acting_person
    )
  ) then
    return;
  end if;
  update invitations
  set expires_at = clock_timestamp()
  where invitation_id = withdrawn_id
    and expires_at > clock_timestamp();
  if found then
    outcome := 'withdrawn';
    perform note_member(
      invitation.account_id,
      'member uninvite',
      json_build_object('invitation_id', withdrawn_id, 'role', invitation.role),
      null
    );
  end if;
end
$$;
