-- Finds the person of a proven address, and stores its subject, or that a mail has proven the address.
--
-- A known subject is always the same person, even if its address has changed. A new subject with the address of a
-- person is linked to that person if a mail has proven the address, and refused otherwise.
--
-- Outcomes: known (found_person), new, other_subject
create or replace function person_of_proof(
  proof address_proofs,
  out outcome text,
  out found_person uuid
)
language plpgsql
as $$
declare
  known persons;
begin
  if proof.issuer is not null then
    select subjects.person_id
    into found_person
    from person_subjects as subjects
    where subjects.issuer = proof.issuer
      and subjects.subject = proof.subject;
    if found then
      outcome := 'known';
      return;
    end if;
  end if;
  select * into known
  from persons
  where persons.address_key = proof.address_key
  for no key update;
  if not found then
    outcome := 'new';
    return;
  end if;
  if proof.issuer is null then
    update persons
    set mail_proven_at = proof.proven_at
    where persons.person_id = known.person_id
      and persons.mail_proven_at is null;
  else
    if known.mail_proven_at is not null then
      insert into person_subjects (issuer, subject, person_id)
      values (proof.issuer, proof.subject, known.person_id)
      on conflict do nothing;
    end if;
    if not exists (
      select
      from person_subjects as subjects
      where subjects.issuer = proof.issuer
        and subjects.subject = proof.subject
        and subjects.person_id = known.person_id
    ) then
      outcome := 'other_subject';
      return;
    end if;
  end if;
  outcome := 'known';
  found_person := known.person_id;
end
$$;
