-- The current key, account, feed, and Idempotency-Key of calls, one row per call, in order.
--
-- It is a function so that its plan is kept. As a statement, it would be planned at every call, which takes ten times
-- as long as running it, because PostgreSQL estimates a generic plan to cost more than a plan for these calls.
--
-- account_ids, known_generations, known_us: of the callers, as the gateway knows them; see account_news
-- feed_ids, idempotency_keys: null if there is none
-- window_us, idempotency_us: length of the window, and how long an Idempotency-Key is remembered
create or replace function prove_calls(
  account_ids uuid[], -- :account_ids
  known_generations bigint[], -- :known_generations
  known_us bigint[], -- :known_us
  key_ids uuid[], -- :key_ids
  feed_ids uuid[], -- :feed_ids
  idempotency_keys text[], -- :idempotency_keys
  window_us bigint, -- :window_us
  idempotency_us bigint -- :idempotency_us
)
returns table (
  now_us bigint, -- :now_us
  is_key_usable boolean, -- :is_key_usable
  suspension_reason text, -- :suspension_reason?
  news json, -- :news
  is_feed_readable boolean, -- :is_feed_readable?
  definition_version bigint, -- :definition_version?
  data_version bigint, -- :data_version?
  is_purchased boolean, -- :is_purchased
  is_granted boolean, -- :is_granted
  is_granted_free boolean, -- :is_granted_free
  grant_end_us bigint, -- :grant_end_us?
  query_hash text, -- :query_hash?
  usage_id uuid, -- :usage_id?
  charge_nanos bigint, -- :charge_nanos?
  happened_at timestamptz, -- :happened_at?
  is_replayed boolean, -- :is_replayed?
  answered_version bigint, -- :answered_version?
  begins_after bigint -- :begins_after?
)
language plpgsql
set plan_cache_mode = force_generic_plan
-- Every table is accessed by its key. A plan that was made while the tables were empty would scan them.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
#variable_conflict use_column
begin
  return query
  select
    clock.now_us,
    keys.key_id is not null as is_key_usable,
    account.suspension_reason,
    account.news,
    feeds.is_readable as is_feed_readable,
    feeds.definition_version,
    feeds.data_version,
    purchases.feed_id is not null as is_purchased,
    granted.feed_id is not null as is_granted,
    granted.is_free is true as is_granted_free,
    epoch_us(granted.expires_at) as grant_end_us,
    remembered.query_hash,
    remembered.usage_id,
    remembered.charge_nanos,
    remembered.happened_at,
    remembered.is_replayed,
    remembered.answered_version,
    remembered.begins_after
  from unnest(account_ids, known_generations, known_us, key_ids, feed_ids, idempotency_keys)
    with ordinality as asked (
      account_id, generation, known_us, key_id, feed_id, idempotency_key, place
    )
  cross join (select epoch_us(clock_timestamp()) as now_us) as clock
  cross join lateral account_news(
    asked.account_id, asked.generation, asked.known_us, clock.now_us, window_us
  ) as account
  left join api_keys as keys
    on keys.key_id = asked.key_id
    and keys.account_id = asked.account_id
    and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
  left join feeds
    on feeds.feed_id = asked.feed_id
  left join purchases
    on purchases.account_id = asked.account_id
    and purchases.feed_id = asked.feed_id
  left join access_grants as granted
    on granted.account_id = asked.account_id
    and granted.feed_id = asked.feed_id
    and is_current_grant(granted.expires_at, clock_timestamp())
  left join idempotency_keys as remembered
    on remembered.account_id = asked.account_id
    and remembered.idempotency_key = asked.idempotency_key
    and remembered.happened_at > clock_timestamp() - idempotency_us * interval '1 microsecond'
  order by asked.place;
end
$$;
