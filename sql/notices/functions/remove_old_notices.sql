-- Removes notices that are older than `age` and have no pending deliveries. Returns true if more are left.
create or replace function remove_old_notices(moment timestamptz, age interval, amount int)
returns boolean
language sql
as $$
  with old as materialized (
    select notice_id
    from notices
    where happened_at < moment - age
      and spread_at is not null
      and not exists (
        select
        from webhook_deliveries as waiting
        where waiting.notice_id = notices.notice_id
          and waiting.status = 'waiting'
      )
    order by happened_at
    limit amount
  ),
  removed as (
    delete from notices
    where notice_id in (select notice_id from old)
    returning notice_id
  )
  select count(*) = amount
  from removed
$$;
