-- Removes a person and the person's data, except the hash of an address that was granted welcome credits, which is kept
-- for a year. The memberships must have been removed before.
--
-- Sign-in codes lose the address and become unusable. They still count for their network, so that closing accounts
-- makes no room for more codes.
--
-- The person is locked last, as in sign-ins and accepted invitations, to avoid deadlocks.
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
