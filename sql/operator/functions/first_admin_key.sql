-- The first key in an operator key's chain of rotations, or the key itself if it was not created by rotation.
create or replace function first_admin_key(descendant uuid)
returns uuid
language sql
stable
as $$
  with recursive line as (
    select admin_keys.key_id, admin_keys.replaces
    from admin_keys
    where admin_keys.key_id = descendant
    union all
    select older.key_id, older.replaces
    from line
    join admin_keys as older
      on older.key_id = line.replaces
  )
  select line.key_id
  from line
  where line.replaces is null
$$;
