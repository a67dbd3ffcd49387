-- Begins the proof of an address by a code, which is mailed in the same commit.
--
-- The number of codes per address and per network in an hour is limited across all processes: first the network, then
-- the address is locked until the end of the transaction.
--
-- code_digest: SHA-256 of the browser's token and the code
--
-- Outcomes: begun; limited (retry_after_ms until there is room)
create or replace function begin_proof(
  new_hash bytea, -- :proof_hash
  given_address text, -- :address
  given_key text, -- :address_key
  code_digest bytea, -- :code_hash
  asking_network text, -- :network
  lifetime interval, -- :lifetime
  address_max int, -- :address_max
  network_max int, -- :network_max
  mail_subject text, -- :mail_subject
  mail_text text, -- :mail_text
  mail_html text, -- :mail_html
  out outcome text, -- :outcome
  out retry_after_ms bigint -- :retry_after_ms?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  pause constant interval := interval '1 hour';
  moment timestamptz;
  full_since timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('codes of network ' || asking_network, 0));
  perform pg_advisory_xact_lock(hashtextextended('codes of address ' || given_key, 0));
  moment := clock_timestamp();
  -- The oldest code that counts toward a full limit. There is room when it is an hour old.
  select max(filling.happened_at)
  into full_since
  from (
    (
      select proofs.happened_at
      from address_proofs as proofs
      where proofs.address_key = given_key
        and proofs.code_hash is not null
        and proofs.happened_at > moment - pause
      order by proofs.happened_at desc
      limit 1
      offset address_max - 1
    )
    union all
    (
      select proofs.happened_at
      from address_proofs as proofs
      where proofs.network = asking_network
        and proofs.code_hash is not null
        and proofs.happened_at > moment - pause
      order by proofs.happened_at desc
      limit 1
      offset network_max - 1
    )
  ) as filling;
  if full_since is not null then
    outcome := 'limited';
    retry_after_ms := greatest(1, ceil(extract(epoch from full_since + pause - moment) * 1000));
    return;
  end if;
  insert into address_proofs (
    proof_hash, address, address_key, code_hash, network, happened_at, expires_at
  )
  values (
    new_hash, given_address, given_key, code_digest, asking_network, moment, moment + lifetime
  );
  insert into mails (person_id, address, subject, body_text, body_html, expires_at)
  values (
    (select person_id from persons where persons.address_key = given_key),
    given_address,
    mail_subject,
    mail_text,
    mail_html,
    moment + lifetime
  );
  outcome := 'begun';
end
$$;
