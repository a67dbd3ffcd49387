-- Creates a key like create_key, for an owner of the account.
--
-- Outcomes: those of create_key and of own_key_refusal
create or replace function create_own_key(
  owner_id uuid,
  acting_person uuid,
  keys_max int,
  new_hash bytea,
  new_start text,
  new_permission text,
  new_name text,
  new_end timestamptz,
  new_daily_nanos bigint,
  new_feed_ids uuid[],
  actor text,
  out outcome text,
  out made_key uuid
)
language plpgsql
as $$
begin
  outcome := own_key_refusal(owner_id, acting_person, keys_max);
  if outcome is null then
    select made.outcome, made.made_key
    into outcome, create_own_key.made_key
    from create_key(
      owner_id, new_hash, new_start, new_permission, new_name, new_end, new_daily_nanos, new_feed_ids, actor
    ) as made;
  end if;
end
$$;
