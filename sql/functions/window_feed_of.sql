-- The feed whose window counts a call: each feed has one for reads of data; all else is counted by account.
-- `window_key.ts` has the same rule.
create or replace function window_feed_of(operation text, feed_id uuid)
returns uuid
language sql
immutable
parallel safe
as $$
  select case
    when operation = 'data' then feed_id
    else '00000000-0000-0000-0000-000000000000'
  end
$$;
