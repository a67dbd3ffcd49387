-- Removes a person from all accounts, and deletes the person's data.
--
-- Outcomes: removed; not_found; last_owner (the members of left_account would be left without an owner)
create or replace function remove_person(
  removed uuid, -- :person_id
  actor text, -- :actor?
  out outcome text, -- :outcome
  out left_account uuid -- :account_id?
)
language plpgsql
as $$
declare
  membership record;
  changed text;
begin
  perform act_as(actor);
  if not exists (select from persons where person_id = removed) then
    outcome := 'not_found';
    return;
  end if;
  for membership in
    select members.account_id
    from members
    where members.person_id = removed
    order by members.account_id
  loop
    select change_member.outcome
    into changed
    from change_member(membership.account_id, removed, null, null, actor);
    if changed = 'last_owner' then
      raise exception using errcode = 'P0001', message = 'last owner', detail = membership.account_id;
    end if;
  end loop;
  perform forget_person(removed);
  outcome := 'removed';
exception when raise_exception then
  -- The exception has rolled back all changes.
  get stacked diagnostics changed = pg_exception_detail;
  outcome := 'last_owner';
  left_account := changed;
end
$$;
