-- Changes a key that was not revoked. No row comes back if there is none.
--
-- fields: what is to be changed and nothing else, as one JSON object: name, expires_at, daily_nanos, feed_ids;
--   null clears
create or replace function edit_key(edited_key uuid, fields json)
returns setof uuid
language plpgsql
as $$
declare
  given constant text[] := array(select json_object_keys(fields));
  wanted record;
  edited api_keys;
begin
  perform lock_account_of_key(edited_key);
  select *
  into wanted
  from json_to_record(fields) as wanted (
    name text, expires_at timestamptz, daily_nanos bigint, feed_ids uuid[]
  );
  update api_keys
  set name = case when 'name' = any (given) then wanted.name else api_keys.name end,
    expires_at = case
      when 'expires_at' = any (given) then wanted.expires_at
      else api_keys.expires_at
    end,
    daily_nanos = case
      when 'daily_nanos' = any (given) then wanted.daily_nanos
      else api_keys.daily_nanos
    end,
    feed_ids = case when 'feed_ids' = any (given) then wanted.feed_ids else api_keys.feed_ids end
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
  elsif 'daily_nanos' = any (given) then
    perform begin_key_budget(edited.account_id, edited_key);
  end if;
  return next edited_key;
end
$$;
