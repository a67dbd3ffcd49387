-- Changes a key that was not revoked. No row comes back if there is none.
--
-- fields: what is to be changed and nothing else, as one JSON object: name, expires_at, daily_nanos, feed_ids;
--   null clears
create or replace function edit_key(edited_key uuid, fields json)
returns setof uuid
language plpgsql
as $$
declare
  edited api_keys;
begin
  perform lock_account_of_key(edited_key);
  update api_keys
  set (name, expires_at, daily_nanos, feed_ids) = (
    select wanted.name, wanted.expires_at, wanted.daily_nanos, wanted.feed_ids
    from json_populate_record(api_keys, fields) as wanted
  )
  where api_keys.key_id = edited_key
    and api_keys.revoked_at is null
  returning api_keys.* into edited;
  if not found then
    return;
  end if;
  if edited.daily_nanos is null then
    delete from key_spending
    where key_spending.account_id = edited.account_id
      and key_spending.key_id = edited_key;
  elsif fields -> 'daily_nanos' is not null then
    perform begin_key_budget(edited.account_id, edited_key);
  end if;
  return next edited_key;
end
$$;
