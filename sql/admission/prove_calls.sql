-- name: prove_calls
-- why: what is true of calls now, before one is refused, or answered without being logged
-- $1 account_ids uuid[]
-- $2 known_generations bigint[]
-- $3 known_us bigint[]
-- $4 key_ids uuid[]
-- $5 feed_ids uuid[]
-- $6 idempotency_keys text[]
-- $7 window_us bigint
-- $8 idempotency_us bigint
-- returns now_us bigint, is_key_usable boolean, version bigint, generation bigint, balance_nanos bigint,
--   logged_us bigint, events json?, feed_status text?, definition_version bigint?, data_version bigint?,
--   is_purchased boolean, query_hash text?, usage_id uuid?, charge_nanos bigint?, happened_at timestamptz?,
--   is_replayed boolean?
select
  clock.now_us,
  keys.key_id is not null as is_key_usable,
  news.version,
  news.generation,
  news.balance_nanos,
  news.logged_us,
  news.events,
  feeds.status as feed_status,
  feeds.definition_version,
  feeds.data_version,
  purchases.feed_id is not null as is_purchased,
  remembered.query_hash,
  remembered.usage_id,
  remembered.charge_nanos,
  remembered.happened_at,
  remembered.is_replayed
from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::uuid[], $5::uuid[], $6::text[])
  with ordinality as asked (
    account_id, generation, known_us, key_id, feed_id, idempotency_key, place
  )
cross join (select epoch_us(clock_timestamp()) as now_us) as clock
cross join lateral account_news(
  asked.account_id, asked.generation, asked.known_us, clock.now_us, $7
) as news
left join api_keys as keys
  on keys.key_id = asked.key_id
  and keys.account_id = asked.account_id
  and is_usable_key(keys.revoked_at, keys.expires_at, clock_timestamp())
left join feeds
  on feeds.feed_id = asked.feed_id
left join purchases
  on purchases.account_id = asked.account_id
  and purchases.feed_id = asked.feed_id
left join idempotency_keys as remembered
  on remembered.account_id = asked.account_id
  and remembered.idempotency_key = asked.idempotency_key
  and remembered.happened_at > clock_timestamp() - $8::bigint * interval '1 microsecond'
order by asked.place
