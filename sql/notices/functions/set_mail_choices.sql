-- Sets a member's choices of notices by email. Returns the types; none if the person is not a member.
create or replace function set_mail_choices(
  member_account uuid, -- :account_id
  member_person uuid, -- :person_id
  chosen_types text[], -- :types
  chosen text -- :choice
)
returns table (
  set_type text -- :type
)
language plpgsql
as $$
begin
  return query
  insert into mail_choices (account_id, person_id, type, choice)
  select members.account_id, members.person_id, told.type, chosen
  from members
  cross join unnest(chosen_types) as told (type)
  where members.account_id = member_account
    and members.person_id = member_person
  order by told.type
  on conflict (account_id, person_id, type) do update
  set choice = excluded.choice
  returning mail_choices.type;
  perform watch_feeds_of(member_account);
end
$$;
