-- Sets when a webhook is called next. Locks its row, so that deliveries created at the same time are not missed.
create or replace function set_next_delivery(told_id uuid)
returns void
language plpgsql
as $$
begin
  perform from webhooks
  where webhook_id = told_id
  for no key update;
  -- A separate statement, so that its snapshot includes everything that was committed before the lock was granted.
  update webhooks
  set next_at = (
    select min(waiting.next_at)
    from webhook_deliveries as waiting
    where waiting.webhook_id = told_id
      and waiting.status = 'waiting'
  )
  where webhook_id = told_id;
end
$$;
