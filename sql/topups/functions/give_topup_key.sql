-- Creates the read key of an account that a top-up has created, once.
--
-- new_hash: only the payer who got the key, or whose answer was lost, can present the same one again
-- repeated_for: for this long after its creation, that payer gets it again
--
-- Outcomes: given; given_before (another one, or a key requested the top-up); not_granted
create or replace function give_topup_key(
  paid_topup uuid, -- :topup_id
  new_hash bytea, -- :key_hash
  new_start text, -- :key_start
  new_name text, -- :name
  repeated_for interval, -- :repeated_for
  actor text, -- :actor?
  out outcome text -- :outcome
)
language plpgsql
as $$
declare
  topup topups;
  made uuid;
begin
  topup := lock_topup(paid_topup);
  if topup.status is distinct from 'granted' then
    outcome := 'not_granted';
    return;
  end if;
  if topup.key_id is not null then
    outcome := case
      when exists (
        select
        from api_keys
        where key_id = topup.key_id
          and key_hash = new_hash
          and revoked_at is null
          and created_at > now() - repeated_for
      ) then 'given'
      else 'given_before'
    end;
    return;
  end if;
  select made_key into strict made
  from create_key(
    owner_id => topup.account_id,
    new_hash => give_topup_key.new_hash,
    new_start => give_topup_key.new_start,
    new_permission => 'read',
    new_name => give_topup_key.new_name,
    new_end => null,
    new_daily_nanos => null,
    new_feed_ids => null,
    actor => give_topup_key.actor
  );
  update topups
  set key_id = made
  where topup_id = paid_topup;
  outcome := 'given';
end
$$;
