-- Why an owner may not make another key for an account: not_owner or limited; null if it may. Locks the account, so that
-- its keys are never more than keys_max. Agents and sessions are not counted.
--
-- keys_max: null if the new key takes the place of another one
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
