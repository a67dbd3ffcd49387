-- Keeps one record of what all keys of a chain of rotations have spent, under the first key of the chain.

-- first_key_id: the first key of the chain that a rotated key is of. Null: the key is the first itself.
-- chain_id: the same for every key of a chain. key_spending has it as key_id.
alter table api_keys
  add column first_key_id uuid references api_keys,
  add column chain_id uuid not null generated always as (coalesce(first_key_id, key_id)) stored;

with recursive chains as (
  select key_id, key_id as first_key_id
  from api_keys
  where replaces is null
  union all
  select rotated.key_id, chains.first_key_id
  from chains
  join api_keys as rotated
    on rotated.replaces = chains.key_id
)
update api_keys
set first_key_id = chains.first_key_id
from chains
where chains.key_id = api_keys.key_id
  and api_keys.replaces is not null;

-- What a chain has spent today is in the usage log, whose ids begin with the milliseconds of their time. The rows of
-- rotated keys are kept for gateways of the version before, which look there until they have been replaced.
insert into key_spending (account_id, key_id, day, spent_nanos)
select
  spending.account_id,
  spending.key_id,
  floor(extract(epoch from now()) / 86400)::integer,
  (
    select coalesce(sum(usage_events.charge_nanos), 0)
    from usage_events
    where usage_events.account_id = spending.account_id
      and usage_events.usage_id >= (
        lpad(to_hex(floor(extract(epoch from now()) / 86400)::bigint * 86400000), 12, '0')
          || repeat('0', 20)
      )::uuid
      and usage_events.key_id in (select key_id from api_keys where chain_id = spending.chain_id)
      and not usage_events.failed
  )
from (
  select account_id, key_id, chain_id
  from api_keys
  where chain_id in (select chain_id from api_keys where first_key_id is not null and daily_nanos is not null)
) as spending
on conflict (account_id, key_id) do update
set day = excluded.day,
  spent_nanos = excluded.spent_nanos;

-- What the accounts have spent is part of their state.
update accounts
set generation = generation
where account_id in (select account_id from api_keys where first_key_id is not null and daily_nanos is not null);
