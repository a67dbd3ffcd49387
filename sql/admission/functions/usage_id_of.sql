-- A usage id, UUIDv7: the time (48 bits of milliseconds, 12 of their fraction), the read's position in its batch, and
-- the batch's token. Unique across all processes, and in log order.
create or replace function usage_id_of(moment_us bigint, place int, batch_token text)
returns uuid
language sql
immutable
parallel safe
as $$
  select (
    lpad(to_hex(moment_us / 1000), 12, '0')
    || '7' || lpad(to_hex((moment_us % 1000) * 4096 / 1000), 3, '0')
    || to_hex(32768 + place) || batch_token
  )::uuid
$$;
