-- Calls in a window: feeds that cost something have a limit of their own.
create or replace function window_limit_of(price_type text, limit_free int, limit_paid int)
returns int
language sql
immutable
parallel safe
as $$
  select case when price_type <> 'free' then limit_paid else limit_free end
$$;
