-- Whether a person is an owner of an account. Null means an operator, who has the rights of an owner.
create or replace function is_owner(owned_account uuid, acting_person uuid)
returns boolean
language sql
stable
as $$
  select acting_person is null or exists (
    select
    from members
    where members.account_id = owned_account
      and members.person_id = acting_person
      and members.role = 'owner'
  )
$$;
