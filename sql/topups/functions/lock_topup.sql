-- Locks a top-up and its account: the account first, as everywhere, to avoid deadlocks.
--
-- topup: as it is under the lock; null if there is none
-- @throws serialization_failure if the top-up of a payment without a key has got its account since the call began,
-- which happens once. Locking that account now would be the wrong order, so the caller must retry.
create or replace function lock_topup(
  locked_topup uuid,
  out topup topups
)
language plpgsql
as $$
declare
  owner_id uuid;
begin
  select account_id into owner_id
  from topups
  where topup_id = locked_topup;
  perform
  from accounts
  where account_id = owner_id
  for no key update;
  select * into topup
  from topups
  where topup_id = locked_topup
  for no key update;
  if topup.account_id is distinct from owner_id then
    raise exception 'top-up % has got its account meanwhile', locked_topup
      using errcode = 'serialization_failure';
  end if;
end
$$;
