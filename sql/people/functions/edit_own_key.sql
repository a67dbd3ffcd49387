-- Changes a key like edit_key, for an owner of the account. A later end makes an expired key valid again, so it counts
-- as a new one.
--
-- Outcomes: those of edit_key and of own_key_refusal
create or replace function edit_own_key(
  owner_id uuid, -- :account_id
  acting_person uuid, -- :person_id
  keys_max int, -- :keys_max
  edited_key uuid, -- :key_id
  fields json, -- :fields
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  moment constant timestamptz := clock_timestamp();
  is_revived constant boolean := (
    select
      keys.expires_at <= moment
      and fields -> 'expires_at' is not null
      and coalesce((fields ->> 'expires_at')::timestamptz, 'infinity') > moment
    from api_keys as keys
    where keys.key_id = edited_key
  );
begin
  outcome := own_key_refusal(owner_id, acting_person, case when is_revived then keys_max end);
  if outcome is null then
    outcome := edit_key(edited_key, fields, actor);
  end if;
end
$$;
