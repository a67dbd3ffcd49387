-- name: search_accounts
-- why: accounts whose name contains a text, in an order, after the previous page
-- Ignores case. No index finds a part of a name, so the statement scans the index of the requested order, which
-- contains the names, until the page is full. It reads the index at most once, and only the rows of matching accounts.
-- :part text?
-- :is_suspended boolean?
-- :order text
-- :after_account_id uuid?
-- :limit int
-- returns account_id uuid, name text, max_feeds_allowed int, balance_nanos bigint,
--   created_at timestamptz, suspension_reason text?, closed_at timestamptz?
with place as materialized (
  select created_at, name, account_id
  from accounts
  where account_id = :after_account_id::uuid
),
suspended as materialized (
  select account_id
  from accounts
  where suspension_reason is not null
    and closed_at is null
),
-- PostgreSQL runs only one of the three.
oldest as (
  select account_id
  from accounts
  where :order::text = 'oldest'
    and (:part::text is null or position(lower(:part) in lower(name)) > 0)
    and (:is_suspended::boolean is null or :is_suspended = (account_id in (select account_id from suspended)))
    and (
      :after_account_id is null
      or (created_at, account_id) > (select created_at, account_id from place)
    )
  order by created_at, account_id
  limit :limit::int
),
newest as (
  select account_id
  from accounts
  where :order = 'newest'
    and (:part is null or position(lower(:part) in lower(name)) > 0)
    and (:is_suspended is null or :is_suspended = (account_id in (select account_id from suspended)))
    and (
      :after_account_id is null
      or (created_at, account_id) < (select created_at, account_id from place)
    )
  order by created_at desc, account_id desc
  limit :limit
),
named as (
  select account_id
  from accounts
  where :order = 'name'
    and (:part is null or position(lower(:part) in lower(name)) > 0)
    and (:is_suspended is null or :is_suspended = (account_id in (select account_id from suspended)))
    and (
      :after_account_id is null
      or (name, account_id) > (select name, account_id from place)
    )
  order by name, account_id
  limit :limit
)
select account_id, name, max_feeds_allowed, balance_nanos, created_at, suspension_reason, closed_at
from (
  select * from oldest
  union all
  select * from newest
  union all
  select * from named
) as found
join accounts
  using (account_id)
order by
  case when :order = 'oldest' then created_at end,
  case when :order = 'newest' then created_at end desc,
  case when :order = 'name' then name end,
  case when :order = 'newest' then account_id end desc,
  account_id
