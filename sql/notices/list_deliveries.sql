-- name: list_deliveries
-- why: a page of a webhook's deliveries, newest first
-- :webhook_id uuid
-- :since timestamptz
-- :limit bigint
-- :offset bigint
-- returns delivery_id uuid, webhook_id uuid, notice_id uuid, type text, status text, created_at timestamptz, attempts int,
--   attempted_at timestamptz?, next_at timestamptz?, code int?, ms int?, answer text?, error text?
select
  deliveries.delivery_id, deliveries.webhook_id, deliveries.notice_id, notices.type, deliveries.status,
  deliveries.created_at, deliveries.attempts, deliveries.attempted_at, deliveries.next_at, deliveries.code,
  deliveries.ms, deliveries.answer, deliveries.error
from webhook_deliveries as deliveries
join notices
  on notices.notice_id = deliveries.notice_id
where deliveries.webhook_id = :webhook_id
  and deliveries.created_at >= :since
order by deliveries.created_at desc, deliveries.delivery_id desc
limit :limit
offset :offset
