-- Removes a person and all that is kept of it, but the hash of an address that has had welcome credits, which is kept
-- for a year. Its memberships are gone already.
create or replace function forget_person(forgotten uuid)
returns void
language plpgsql
as $$
declare
  person persons;
begin
  select * into person
  from persons
  where person_id = forgotten
  for update;
  update welcomes
  set happened_at = clock_timestamp() + interval '1 year'
  where person_id = forgotten;
  delete from mails
  where lower(address) = person.address_key;
  delete from invitations
  where address_key = person.address_key;
  delete from address_proofs
  where address_key = person.address_key;
  delete from persons
  where person_id = forgotten;
end
$$;
