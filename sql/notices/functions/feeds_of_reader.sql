-- The feeds that concern an account that names none: those that it has bought, was granted, or has read in
-- the last 30 days.
create or replace function feeds_of_reader(reader uuid, moment timestamptz)
returns table (feed_id uuid)
language sql
stable
as $$
  select purchases.feed_id
  from purchases
  where purchases.account_id = reader
  union
  select access_grants.feed_id
  from access_grants
  where access_grants.account_id = reader
    and is_current_grant(access_grants.expires_at, moment)
  union
  select spending_days.feed_id
  from spending_days
  where spending_days.account_id = reader
    and spending_days.day >= (moment at time zone 'UTC')::date - 30
    and spending_days.reads > 0
$$;
