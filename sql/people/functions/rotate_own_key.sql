-- Rotates a key as rotate_key does, for an owner of the account. With a grace period, the old key counts until its end,
-- so the account is locked first, as in create_own_key.
--
-- Outcomes: made; not_owner; limited; not_usable (the key is not valid)
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
  perform
  from accounts
  where account_id = owner_id
  for no key update;
  if not is_owner(owner_id, acting_person) then
    outcome := 'not_owner';
  elsif grace > interval '0' and count_own_keys(owner_id) >= keys_max then
    outcome := 'limited';
  else
    select rotated
    into made_key
    from rotate_key(old_key, new_hash, new_start, grace, actor) as rotated;
    outcome := case when made_key is null then 'not_usable' else 'made' end;
  end if;
end
$$;
