-- Creates the person of a proven address, with an account of its own if sign-up allows that, welcome credits, and a
-- session. All of it is one commit.
--
-- Sign-ups run one at a time, so that the limits apply across all processes.
--
-- sign_up: off, invited, or open
-- is_own_domain: whether `open` covers the address's domain
-- welcome: nano-dollars, granted once for each address, either in full or not at all
-- address_digest: identifies the address for a year after the person is removed
--
-- Outcomes: joined (person_id; account_id, null without an account of its own); entered (the person exists by now);
-- not_invited; day_full; network_full (both with retry_after_ms); other_subject; over
create or replace function join_by_proof(
  held_proof bytea, -- :proof_hash
  new_session bytea, -- :session_hash
  lifetime interval, -- :lifetime
  given_name text, -- :name
  has_agreed boolean, -- :has_agreed
  sign_up text, -- :sign_up
  is_own_domain boolean, -- :is_own_domain
  feeds_max int, -- :feeds_max
  joining_network text, -- :network
  day_max int, -- :day_max
  network_max int, -- :network_max
  welcome bigint, -- :welcome_nanos
  welcome_day bigint, -- :welcome_day_nanos
  address_digest bytea, -- :address_hash
  out outcome text, -- :outcome
  out person_id uuid, -- :person_id?
  out account_id uuid, -- :account_id?
  out retry_after_ms bigint -- :retry_after_ms?
)
language plpgsql
as $$
#variable_conflict use_column
declare
  proof address_proofs;
  today timestamptz;
  moment timestamptz;
  is_invited boolean;
  granted bigint := 0;
  full_since timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('sign-ups', 0));
  -- The person may have joined in another browser since.
  select entered.outcome, entered.person_id
  into outcome, person_id
  from enter_by_proof(held_proof, new_session, lifetime) as entered;
  if outcome <> 'new' then
    return;
  end if;
  select * into strict proof
  from address_proofs
  where proof_hash = held_proof;
  moment := clock_timestamp();
  today := date_trunc('day', moment at time zone 'UTC') at time zone 'UTC';
  is_invited := exists (
    select
    from invitations
    where invitations.address_key = proof.address_key
      and invitations.expires_at > moment
  ) or sign_up = 'invited' and exists (
    -- An invitation of a provider to read a feed.
    select
    from access_invitations
    where access_invitations.address_key = proof.address_key
      and access_invitations.ends_at > moment
  );
  outcome := 'joined';
  if sign_up = 'open' and is_own_domain or sign_up = 'invited' and is_invited then
    if (select count(*) from sign_ups where sign_ups.happened_at >= today) >= day_max then
      outcome := 'day_full';
      retry_after_ms := ceil(extract(epoch from today + interval '1 day' - moment) * 1000);
      return;
    end if;
    select recent.happened_at
    into full_since
    from sign_ups as recent
    where recent.network = joining_network
      and recent.happened_at > moment - interval '1 hour'
    order by recent.happened_at desc
    limit 1
    offset network_max - 1;
    if found then
      outcome := 'network_full';
      retry_after_ms := ceil(extract(epoch from full_since + interval '1 hour' - moment) * 1000);
      return;
    end if;
    account_id := gen_random_uuid();
  elsif not is_invited then
    outcome := 'not_invited';
    return;
  end if;

  insert into persons (address, address_key, name, mail_proven_at, agreed_at)
  values (
    proof.address,
    proof.address_key,
    given_name,
    case when proof.issuer is null then proof.proven_at end,
    case when has_agreed then moment end
  )
  returning persons.person_id into person_id;
  if proof.issuer is not null then
    insert into person_subjects (issuer, subject, person_id)
    values (proof.issuer, proof.subject, person_id);
  end if;
  if account_id is not null then
    perform act_as('console:person ' || person_id);
    insert into accounts (account_id, name, max_feeds_allowed)
    values (account_id, given_name, feeds_max);
    insert into members (account_id, person_id, role)
    values (account_id, person_id, 'owner');
    if welcome > 0
      and welcome + coalesce(
        (select sum(welcome_nanos) from sign_ups where sign_ups.happened_at >= today), 0
      ) <= welcome_day
    then
      insert into welcomes (address_hash, person_id)
      values (address_digest, person_id)
      on conflict do nothing;
      if found then
        perform append_ledger_entry(
          account_id, 'grant', welcome, 'welcome credits', 'welcome:' || person_id
        );
        granted := welcome;
      else
        update welcomes
        set person_id = join_by_proof.person_id,
          happened_at = null
        where address_hash = address_digest;
      end if;
    end if;
    insert into sign_ups (account_id, network, welcome_nanos)
    values (account_id, joining_network, granted);
  end if;
  perform begin_person_session(new_session, person_id, lifetime);
  update address_proofs
  set used_at = clock_timestamp()
  where proof_hash = held_proof;
end
$$;
