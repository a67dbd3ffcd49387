-- Why an owner may not create another key for an account: not_owner or limited; null if the owner may. Locks the
-- account, so that it never has more than keys_max keys. Keys of agents and sessions are not counted.
--
-- keys_max: null if the new key replaces another one immediately
create or replace function own_key_refusal(owner_id uuid, acting_person uuid, keys_max int)
returns text
language plpgsql
as $$
begin
  perform
  from accounts
  where account_id = owner_id
  for no key update;
  return case
    when not is_owner(owner_id, acting_person) then 'not_owner'
    when count_own_keys(owner_id) >= keys_max then 'limited'
  end;
end
$$;
