-- Rotates a key like rotate_key, for an owner of the account. During a grace period, the old key still counts.
--
-- Outcomes: made; not_usable (the key is not valid); those of own_key_refusal
create or replace function rotate_own_key(
  owner_id uuid,
  acting_person uuid,
  keys_max int,
  old_key uuid,
  new_hash bytea,
  new_start text,
  grace interval,
  actor text,
  out outcome text,
  out made_key uuid
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
