-- Creates a key like create_key, for an owner of the account.
--
-- Outcomes: those of create_key and of own_key_refusal
create or replace function create_own_key(
  owner_id uuid, -- :account_id
  acting_person uuid, -- :person_id
  keys_max int, -- :keys_max
  new_hash bytea, -- :key_hash
  new_start text, -- :key_start
  new_permission text, -- :permission
  new_name text, -- :name?
  new_end timestamptz, -- :expires_at?
  new_daily_nanos bigint, -- :daily_nanos?
  new_feed_ids uuid[], -- :feed_ids?
  actor text, -- :actor?
  out outcome text, -- :outcome
  out made_key uuid -- :key_id?
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
