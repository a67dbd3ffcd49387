-- Stores an account's order of a top-up, before a payment is requested.
--
-- The same Idempotency-Key, or the same payment, returns the earlier top-up.
--
-- asking_account: null if it is not known yet
-- known_payment: the payment method's own id of the payment, if there is one already
-- given_hash: of the Idempotency-Key; null without one. It is forgotten after hash_age, or with an x402 payment that
--   has expired
-- first_asked: when the payment method is first asked for the state of the payment
-- account_day_nanos, day_nanos: what an account, and all of them together, may pay in a UTC day; null: any amount
-- asking_network: of the caller; null if it is not known
-- waiting_account_nanos, waiting_network_nanos, waiting_keyless_nanos, waiting_all_nanos: what may be pending of an
--   account, of a network, of all callers without a key, and in total, so that unpaid orders can't use up the day;
--   null: any amount. A single pending order may have any amount
--
-- Outcomes: begun; repeated; key_reused (the key was used for another amount or payment method); payment_taken (it was
-- ordered with another key or amount: a signed payment may be known to others); too_many_waiting; too_many_of_agent (of
-- a connected agent, which must leave room for others); account_day_full; day_full; waiting_full
create or replace function begin_topup(
  asking_account uuid, -- :account_id?
  asking_key uuid, -- :key_id?
  chosen_way text, -- :way
  asked_nanos bigint, -- :amount_nanos
  known_payment text, -- :payment_id?
  known_details json, -- :details
  given_hash bytea, -- :idempotency_hash?
  hash_age interval, -- :idempotency_age
  lifetime interval, -- :lifetime
  first_asked interval, -- :first_asked
  waiting_max int, -- :waiting_max
  agent_waiting_max int, -- :agent_waiting_max
  account_day_nanos bigint, -- :account_day_nanos?
  day_nanos bigint, -- :day_nanos?
  asking_network text, -- :network?
  waiting_account_nanos bigint, -- :waiting_account_nanos?
  waiting_network_nanos bigint, -- :waiting_network_nanos?
  waiting_keyless_nanos bigint, -- :waiting_keyless_nanos?
  waiting_all_nanos bigint, -- :waiting_all_nanos?
  out outcome text, -- :outcome
  out begun_id uuid -- :topup_id?
)
language plpgsql
as $$
declare
  today constant timestamptz := date_trunc('day', now(), 'UTC');
  earlier topups;
  of_account bigint;
  of_network bigint;
  of_keyless bigint;
  of_all bigint;
begin
  perform
  from accounts
  where account_id = asking_account
  for no key update;

  if given_hash is not null then
    update topups
    set idempotency_hash = null
    where account_id = asking_account
      and idempotency_hash = given_hash
      and (
        created_at <= now() - hash_age
        -- Its payment can no longer arrive, or was never given an address to arrive by. Another one may replace it.
        or status = 'expired' and (way = 'x402' or payment_id is null)
      );
    select * into earlier
    from topups
    where account_id = asking_account
      and idempotency_hash = given_hash;
    if found then
      begun_id := earlier.topup_id;
      outcome := case
        when earlier.amount_nanos = asked_nanos and earlier.way = chosen_way then 'repeated'
        else 'key_reused'
      end;
      return;
    end if;
  end if;

  select * into earlier
  from topups
  where way = chosen_way
    and payment_id = known_payment;
  if not found then
    if waiting_max <= (
      select count(*)
      from topups
      where account_id = asking_account
        and status = 'waiting'
    ) then
      outcome := 'too_many_waiting';
      return;
    end if;
    if agent_waiting_max <= (
      select count(*)
      from api_keys as asking
      join agent_connections as connected
        on connected.account_id = asking.account_id
        and connected.key_id = asking.chain_id
      join api_keys as own
        on own.account_id = asking.account_id
        and own.chain_id = asking.chain_id
      join topups
        on topups.account_id = asking.account_id
        and topups.key_id = own.key_id
        and topups.status = 'waiting'
      where asking.key_id = asking_key
    ) then
      outcome := 'too_many_of_agent';
      return;
    end if;
    if asked_nanos > account_day_nanos - (
      select coalesce(sum(amount_nanos), 0)
      from topups
      where account_id = asking_account
        and created_at >= today
        and status <> 'expired'
    ) then
      outcome := 'account_day_full';
      return;
    end if;
    if day_nanos is not null then
      -- Two orders at the same time would not see each other.
      perform pg_advisory_xact_lock(hashtext('feedgate topups'));
      if asked_nanos > day_nanos - (
        select coalesce(sum(amount_nanos), 0)
        from topups
        where created_at >= today
          and status <> 'expired'
      ) then
        outcome := 'day_full';
        return;
      end if;
      select
        sum(amount_nanos) filter (where account_id = asking_account),
        sum(amount_nanos) filter (where network = asking_network),
        sum(amount_nanos) filter (where account_id is null and asking_account is null),
        sum(amount_nanos)
      into of_account, of_network, of_keyless, of_all
      from topups
      where status = 'waiting';
      if of_account + asked_nanos > waiting_account_nanos
        or of_network + asked_nanos > waiting_network_nanos
        or of_keyless + asked_nanos > waiting_keyless_nanos
        or of_all + asked_nanos > waiting_all_nanos
      then
        outcome := 'waiting_full';
        return;
      end if;
    end if;
    insert into topups (
      account_id, key_id, way, amount_nanos, payment_id, details, idempotency_hash, expires_at, due_at,
      network
    )
    values (
      asking_account, asking_key, chosen_way, asked_nanos, known_payment, known_details, given_hash,
      now() + lifetime, now() + first_asked, asking_network
    )
    on conflict (way, payment_id) where payment_id is not null do nothing
    returning topup_id into begun_id;
    if found then
      outcome := 'begun';
      return;
    end if;
    select * into earlier
    from topups
    where way = chosen_way
      and payment_id = known_payment;
  end if;

  begun_id := earlier.topup_id;
  outcome := case
    when earlier.amount_nanos = asked_nanos
      and earlier.key_id is not distinct from asking_key
      and earlier.account_id is not distinct from coalesce(asking_account, earlier.account_id)
      then 'repeated'
    else 'payment_taken'
  end;
end
$$;
