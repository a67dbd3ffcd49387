-- The total that the payer of a top-up has got back, according to its sources.
--
-- Refunds are reported one by one (source: refund ID) and, by an endpoint that was created earlier, only by the total
-- of their charge (source: refunds). The total is that of its time, so a refund that has ended since then, because it
-- failed or was canceled, is subtracted. The larger of the two counts is the more complete one.
create or replace function given_back(paid_topup uuid)
returns bigint
language sql
stable
as $$
  with told as (
    select
      source = 'refunds' as is_total,
      starts_with(source, 'refund ') as is_refund,
      rank,
      total_nanos,
      ended_nanos
    from topup_take_backs
    where topup_id = paid_topup
  )
  select (
    coalesce(sum(total_nanos) filter (where not is_total and not is_refund), 0)
    + greatest(
      coalesce(sum(total_nanos) filter (where is_refund), 0),
      coalesce(sum(total_nanos) filter (where is_total), 0)
      - coalesce(
        sum(ended_nanos) filter (where rank >= (select total.rank from told as total where total.is_total)),
        0
      )
    )
  )::bigint
  from told
$$;
