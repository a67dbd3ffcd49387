-- Whether an account can find an invited feed: as its owner, by a grant, or by a purchase. A null reader finds none.
create or replace function may_find(invited_feed uuid, owner_id uuid, reader_id uuid)
returns boolean
language sql
stable
as $$
  select reader_id = owner_id
    or is_acquired(reader_id, invited_feed)
$$;
