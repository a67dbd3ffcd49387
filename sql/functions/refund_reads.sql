-- Gives back what reads were charged that were answered with an error: all reads of a batch whose answer
-- is lost, or one read of a batch that came back.
--
-- The accounts are locked first, as admit locks them: so a lost batch has either committed and is found,
-- or it comes after the note in lost_batches and is refused. To ask twice is harmless.
--
-- A usage event under an idempotency key may have been answered by another batch: it is refunded once
-- all batches that carry it are known to be lost.
--
-- account_ids: the accounts of the reads, each once
-- key_accounts, keys: the reads that came with an idempotency key
-- elapsed_ms: since the batch was sent; of a lost batch only younger events are looked at
-- sent_at: when it was sent, by the gateway's clock: that of the database may be set while a batch flies,
--   and a gateway that sleeps counts no time
-- only_usage: the usage event of the one read; null where the whole batch is lost
create or replace function refund_reads(
  batch_token text,
  account_ids uuid[],
  key_accounts uuid[],
  keys text[],
  elapsed_ms bigint,
  sent_at timestamptz,
  only_usage uuid
)
returns int
language plpgsql
-- Reached by their keys, however small the tables were when the plan was made.
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  -- Five minutes more, since clocks differ.
  oldest constant uuid := coalesce(only_usage, uuid_from_time(
    least(clock_timestamp() - elapsed_ms * interval '1 millisecond', sent_at) - interval '5 minutes'
  ));
  unseen uuid[];
  refunded uuid[] := '{}';
  event record;
begin
  perform
  from accounts
  where accounts.account_id = any (account_ids)
  order by accounts.account_id
  for no key update;

  if only_usage is null then
    insert into lost_batches (batch_token)
    values (refund_reads.batch_token)
    on conflict (batch_token) do nothing;

    -- As long as it is kept there (`jobs.ts`).
    update accounts
    set lost_batches_until = clock_timestamp() + interval '2 days'
    where accounts.account_id = any (account_ids);
  end if;

  with taken_out as (
    update idempotency_keys as remembered
    set batch_tokens = array_remove(remembered.batch_tokens, refund_reads.batch_token)
    from unnest(key_accounts, keys) as reads (account_id, idempotency_key)
    where remembered.account_id = reads.account_id
      and remembered.idempotency_key = reads.idempotency_key
      and refund_reads.batch_token = any (remembered.batch_tokens)
    returning remembered.usage_id, remembered.batch_tokens
  )
  select coalesce(array_agg(taken_out.usage_id), '{}')
  into unseen
  from taken_out
  where taken_out.batch_tokens = '{}';

  for event in
    select usage_events.usage_id, usage_events.account_id, usage_events.operation, usage_events.feed_id
    from unnest(account_ids) as asked (account_id)
    join usage_events
      on usage_events.account_id = asked.account_id
    where usage_events.usage_id = any (unseen)
    union
    select usage_events.usage_id, usage_events.account_id, usage_events.operation, usage_events.feed_id
    from unnest(account_ids) as asked (account_id)
    join usage_events
      on usage_events.account_id = asked.account_id
      and usage_events.usage_id >= oldest
    where right(usage_events.usage_id::text, 12) = refund_reads.batch_token
      and (only_usage is null or usage_events.usage_id = only_usage)
      and not exists (
        select
        from unnest(key_accounts, keys) as reads (account_id, idempotency_key)
        join idempotency_keys as remembered
          on remembered.account_id = reads.account_id
          and remembered.idempotency_key = reads.idempotency_key
        where remembered.account_id = usage_events.account_id
          and remembered.usage_id = usage_events.usage_id
          and remembered.batch_tokens <> '{}'
      )
    order by usage_id
  loop
    if refund_usage(
      event.account_id,
      event.usage_id,
      event.operation,
      window_feed_of(event.operation, event.feed_id)
    ) then
      refunded := refunded || event.usage_id;
    end if;
  end loop;

  -- What was given back is not to be replayed.
  delete from idempotency_keys
  using unnest(key_accounts, keys) as reads (account_id, idempotency_key)
  where idempotency_keys.account_id = reads.account_id
    and idempotency_keys.idempotency_key = reads.idempotency_key
    and idempotency_keys.usage_id = any (refunded);
  return cardinality(refunded);
end
$$;
