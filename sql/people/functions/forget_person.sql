-- Removes a person and all that is kept of it, but the hash of an address that has had welcome credits, which is kept
-- for a year. Its memberships are gone already.
--
-- Sign-in codes lose the address and can't be used any more. They are still counted for their network, so that closing
-- accounts makes no room for more of them.
--
-- The person is locked last, as when it signs in or accepts an invitation, so that these never deadlock.
create or replace function forget_person(forgotten uuid)
returns void
language plpgsql
as $$
declare
  person persons;
begin
  select * into person
  from persons
  where person_id = forgotten;
  delete from address_proofs as proofs
  where proofs.issuer is not null
    and (
      proofs.address_key = person.address_key
      or (proofs.issuer, proofs.subject) in (
        select subjects.issuer, subjects.subject
        from person_subjects as subjects
        where subjects.person_id = forgotten
      )
    );
  update address_proofs
  set address = '',
    address_key = '',
    used_at = coalesce(used_at, clock_timestamp())
  where address_key = person.address_key;
  delete from invitations
  where address_key = person.address_key;
  delete from access_invitations
  where address_key = person.address_key;
  delete from mails
  where lower(address) = person.address_key;
  update welcomes
  set happened_at = clock_timestamp() + interval '1 year'
  where person_id = forgotten;
  delete from persons
  where person_id = forgotten;
end
$$;
