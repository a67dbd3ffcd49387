-- Lets only read keys have a budget or a scope. On a write key both did nothing.

update api_keys
set daily_nanos = null,
  feed_ids = null
where permission <> 'read'
  and (daily_nanos is not null or feed_ids is not null);

alter table api_keys
  add constraint api_keys_limits_of_reading
    check (permission = 'read' or (daily_nanos is null and feed_ids is null));
