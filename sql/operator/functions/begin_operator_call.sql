-- Takes an Idempotency-Key for a call, unless an earlier call has it. Removes some of the calls that are too old.
--
-- A call belongs to the first key in its caller's chain of rotations, so that it can be repeated after a rotation.
--
-- owner_id: that first key
-- Outcomes: begun, reused (for another route or body), unfinished (the earlier call is running, or its end was lost),
-- repeated (with the earlier answer)
create or replace function begin_operator_call(
  caller_id uuid, -- :admin_key_id
  new_idempotency_hash bytea, -- :idempotency_hash
  new_request_hash bytea, -- :request_hash
  forgotten_after interval, -- :forgotten_after
  forgotten_max int, -- :forgotten_max
  out owner_id uuid, -- :owner_id
  out outcome text, -- :outcome
  out answer_status int, -- :status?
  out answer_body text -- :sealed_body?
)
language plpgsql
as $$
declare
  known operator_calls;
begin
  owner_id := first_admin_key(caller_id);
  delete from operator_calls
  where ctid in (
    select old.ctid
    from operator_calls as old
    where old.begun_at < now() - forgotten_after
    order by old.begun_at
    limit forgotten_max
    for update skip locked
  );
  insert into operator_calls (admin_key_id, idempotency_hash, request_hash)
  values (owner_id, new_idempotency_hash, new_request_hash)
  on conflict do nothing;
  if found then
    outcome := 'begun';
    return;
  end if;
  select *
  into known
  from operator_calls
  where operator_calls.admin_key_id = owner_id
    and operator_calls.idempotency_hash = new_idempotency_hash;
  outcome := case
    when known.request_hash <> new_request_hash then 'reused'
    when known.status is null then 'unfinished'
    else 'repeated'
  end;
  answer_status := known.status;
  answer_body := known.sealed_body;
end
$$;
