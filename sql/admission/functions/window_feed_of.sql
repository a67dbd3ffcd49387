-- The feed whose window counts a call: each feed has one for reads of its data; all else is counted by account.
-- `terms.ts` has the same rule.
create or replace function window_feed_of(operation text, feed_id uuid)
returns uuid
language sql
immutable
parallel safe
as $$
  select case when operation in ('data', 'stream', 'export') then feed_id end
$$;
