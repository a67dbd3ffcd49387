-- Whether a webhook may receive a notice at a given time.
--
-- The account must be neither suspended nor closed. The chain of keys that created the webhook must have a usable key
-- that is allowed to read the feed. Whether the account may learn about the feed is decided by tells_of_feed.
create or replace function may_be_told(told webhooks, notice notices, moment timestamptz)
returns boolean
language sql
stable
as $$
  select
    (
      told.account_id is null
      or exists (
        select
        from accounts
        where accounts.account_id = told.account_id
          and accounts.suspension_reason is null
          and accounts.closed_at is null
      )
    )
    and (
      told.chain_id is null
      or exists (
        select
        from api_keys as keys
        where keys.account_id = told.account_id
          and keys.chain_id = told.chain_id
          and is_usable_key(keys.revoked_at, keys.expires_at, moment)
          and (keys.feed_ids is null or notice.feed_id is null or notice.feed_id = any (keys.feed_ids))
      )
    )
    and (told.feed_ids is null or notice.feed_id is null or notice.feed_id = any (told.feed_ids))
    and tells_of_feed(notice, told.account_id)
$$;
