-- name: list_all_deliveries
-- why: deliveries of one webhook or of all, newest first, after the previous page, for operators
-- :webhook_id uuid?
-- :account_id uuid?
-- :status text?
-- :since timestamptz
-- :before_created_at timestamptz?
-- :before_delivery_id uuid?
-- :limit int
-- returns delivery_id uuid, webhook_id uuid, notice_id uuid, type text, status text, created_at timestamptz, attempts int,
--   attempted_at timestamptz?, next_at timestamptz?, code int?, ms int?, answer text?, error text?, account_id uuid?, url text
select
  deliveries.delivery_id, deliveries.webhook_id, deliveries.notice_id, notices.type, deliveries.status,
  deliveries.created_at, deliveries.attempts, deliveries.attempted_at, deliveries.next_at, deliveries.code,
  deliveries.ms, deliveries.answer, deliveries.error,
  webhooks.account_id, webhooks.url
from webhook_deliveries as deliveries
join notices
  on notices.notice_id = deliveries.notice_id
join webhooks
  on webhooks.webhook_id = deliveries.webhook_id
where (deliveries.webhook_id = :webhook_id or :webhook_id is null)
  and (webhooks.account_id = :account_id or :account_id is null)
  and (deliveries.status = :status or :status is null)
  and deliveries.created_at >= :since
  and (
    :before_delivery_id::uuid is null
    or (deliveries.created_at, deliveries.delivery_id) < (:before_created_at::timestamptz, :before_delivery_id)
  )
order by deliveries.created_at desc, deliveries.delivery_id desc
limit :limit::int
