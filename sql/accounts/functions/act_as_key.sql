-- Names the key that acts to the audit trail, until the transaction ends. Null: whoever acts is named already.
create or replace function act_as_key(acting_key uuid)
returns void
language sql
strict
as $$
  select set_config('feedgate.actor', 'key ' || acting_key, true)
$$;
