-- Changes the role of a member, or removes the member, which ends the person's sessions in the account, and the agents
-- that the person has connected to it.
--
-- The account is locked first, so that two owners who remove each other never both succeed.
--
-- acting_person: see is_owner; members may also remove themselves
-- new_role: null removes the member
--
-- Outcomes: changed; not_owner; not_member; last_owner (the other members would be left without an owner)
create or replace function change_member(
  changed_account uuid, -- :account_id
  changed_person uuid, -- :person_id
  new_role text, -- :role?
  acting_person uuid, -- :acting_person?
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
#variable_conflict use_column
declare
  old_role text;
begin
  perform act_as(actor);
  perform
  from accounts
  where account_id = changed_account
  for no key update;
  if not is_owner(changed_account, acting_person)
    and (new_role is not null or acting_person is distinct from changed_person)
  then
    outcome := 'not_owner';
    return;
  end if;
  select role into old_role
  from members
  where account_id = changed_account
    and person_id = changed_person;
  if not found then
    outcome := 'not_member';
    return;
  end if;
  outcome := 'changed';
  if old_role is not distinct from new_role then
    return;
  end if;
  if old_role = 'owner'
    and not exists (
      select
      from members
      where account_id = changed_account
        and person_id <> changed_person
        and role = 'owner'
    )
    -- A demotion must leave an owner. Only an operator may remove the only owner, and only if no other member is left.
    and (
      new_role is not null
      or acting_person is not null
      or exists (
        select from members where account_id = changed_account and person_id <> changed_person
      )
    )
  then
    outcome := 'last_owner';
    return;
  end if;
  if new_role is not null then
    update members
    set role = new_role
    where account_id = changed_account
      and person_id = changed_person;
  else
    perform leave_account(changed_person, null, changed_account, actor);
    perform end_agents_of_person(changed_account, changed_person, actor);
    delete from members
    where account_id = changed_account
      and person_id = changed_person;
  end if;
  perform note_member(
    changed_account,
    case when new_role is null then 'member remove' else 'member edit' end,
    json_build_object('person_id', changed_person, 'role', old_role),
    case
      when new_role is not null
        then json_build_object('person_id', changed_person, 'role', new_role)
    end
  );
end
$$;
