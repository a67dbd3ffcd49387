-- Rotates a key like rotate_key, for an owner of the account. During a grace period, the old key still counts.
--
-- Outcomes: made; not_usable (the key is not valid); those of own_key_refusal
create or replace function rotate_own_key(
  owner_id uuid, -- :account_id
  acting_person uuid, -- :person_id
  keys_max int, -- :keys_max
  old_key uuid, -- :key_id
  new_hash bytea, -- :new_hash
  new_start text, -- :new_start
  grace interval, -- :grace
  actor text, -- :actor?
  out outcome text, -- :outcome
  out made_key uuid -- :key_id?
)
language plpgsql
as $$
begin
  outcome := own_key_refusal(
    owner_id, acting_person, case when grace > interval '0' then keys_max end
  );
  if outcome is null then
    select rotated
    into made_key
    from rotate_key(old_key, new_hash, new_start, grace, actor) as rotated;
    outcome := case when made_key is null then 'not_usable' else 'made' end;
  end if;
end
$$;
