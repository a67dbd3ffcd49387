-- Refunds reads that were answered with an error: all reads of a batch whose answer was lost, or one read of a batch.
--
-- The accounts' versions are renewed first. A lost batch that has not updated them yet finds its versions outdated and
-- writes nothing. If it has updated them, this function waits for it, and finds its events. Running it twice is
-- harmless.
--
-- If an Idempotency-Key's event has been returned to a client since, it is not refunded. Nor is a purchase: it stays,
-- and is returned to a client that asks again.
--
-- batch_token: the suffix of the batch's usage ids
-- account_ids: the accounts of the reads, each once
-- elapsed_ms: since the batch was sent; only younger events are examined
-- sent_at: when it was sent, by the gateway's clock, because the database's clock may be set during a batch, and a
--   gateway that is suspended counts no time
-- only_usage: the usage event of a single read; null for the whole batch
create or replace function refund_reads(
  batch_token text, -- :batch_token
  account_ids uuid[], -- :account_ids
  elapsed_ms bigint, -- :elapsed_ms
  sent_at timestamptz, -- :sent_at
  only_usage uuid -- :only_usage?
)
returns int -- :refunded
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- Five minutes more, because clocks differ.
  oldest constant uuid := coalesce(only_usage, uuid_from_time(
    least(clock_timestamp() - elapsed_ms * interval '1 millisecond', sent_at) - interval '5 minutes'
  ));
  event usage_events;
  refunded int := 0;
begin
  perform
  from accounts
  where accounts.account_id = any (account_ids)
  order by accounts.account_id
  for no key update;
  update accounts
  set generation = accounts.generation
  where accounts.account_id = any (account_ids);

  for event in
    select usage_events.*
    from unnest(account_ids) as asked (account_id)
    join usage_events
      on usage_events.account_id = asked.account_id
      and usage_events.usage_id >= oldest
    where right(usage_events.usage_id::text, 12) = refund_reads.batch_token
      and (only_usage is null or usage_events.usage_id = only_usage)
      and not usage_events.refunded
      and usage_events.operation <> 'purchase'
    order by usage_events.usage_id
  loop
    -- Waits for a replay that is being recorded at the same time.
    delete from idempotency_keys
    where idempotency_keys.account_id = event.account_id
      and idempotency_keys.usage_id = event.usage_id
      and not idempotency_keys.is_replayed;
    if exists (
      select
      from idempotency_keys
      where idempotency_keys.account_id = event.account_id
        and idempotency_keys.usage_id = event.usage_id
    ) then
      continue;
    end if;
    perform refund_usage(event, 'the read failed after it was charged', true);
    refunded := refunded + 1;
  end loop;
  return refunded;
end
$$;
