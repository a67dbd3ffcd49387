-- Signs in the person of a proven address, once for each proof.
--
-- Outcomes: entered (person_id); new (the address has no person yet: see join_by_proof); other_subject; over
create or replace function enter_by_proof(
  held_proof bytea, -- :proof_hash
  new_session bytea, -- :session_hash
  lifetime interval, -- :lifetime
  out outcome text, -- :outcome
  out person_id uuid -- :person_id?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  proof address_proofs;
begin
  select * into proof
  from address_proofs
  where proof_hash = held_proof
    and proven_at is not null
    and used_at is null
    and expires_at > clock_timestamp()
  for update;
  if not found then
    outcome := 'over';
    return;
  end if;
  select known.outcome, known.found_person
  into outcome, person_id
  from person_of_proof(proof) as known;
  if outcome <> 'known' then
    return;
  end if;
  outcome := 'entered';
  perform begin_person_session(new_session, person_id, lifetime);
  update address_proofs
  set used_at = clock_timestamp()
  where proof_hash = held_proof;
end
$$;
