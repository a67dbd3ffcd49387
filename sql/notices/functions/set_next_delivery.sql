-- Sets when an address is called next. Under the lock of its row, so that no delivery is missed that is made meanwhile.
create or replace function set_next_delivery(told_id uuid)
returns void
language plpgsql
as $$
begin
  perform from webhooks
  where webhook_id = told_id
  for no key update;
  -- A statement of its own, which sees what was committed until the lock was had.
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
