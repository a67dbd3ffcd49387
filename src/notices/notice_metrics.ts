/**
 * Metrics of notices: outcomes of attempts, and the number and waiting time of pending notices.
 *
 * @module
 */
import type { Metrics } from "../http/metrics.ts";
import { gaugesOf } from "../http/scrape.ts";
import type { Database } from "../postgres/client/database.ts";
import type { WebhookSender } from "./webhook_sender.ts";

export function registerNoticeMetrics(
  metrics: Metrics,
  sender: WebhookSender,
  database: Database,
): void {
  metrics.counts(
    "feedgate_notices_sent_total",
    "Notices accepted by webhooks, by type",
    "type",
    () => sender.sent,
  );
  metrics.counts(
    "feedgate_notices_failed_total",
    "Failed attempts to call a webhook, by type",
    "type",
    () => sender.failed,
  );
  const gauge = gaugesOf(metrics, () => database.row("find_waiting_notices", {}));
  gauge(
    "feedgate_notices_waiting",
    "Notices that have no deliveries yet, plus webhooks with a due delivery",
    ({ unspread, waiting }) => Number(unspread + waiting),
  );
  gauge(
    "feedgate_notices_waiting_seconds_max",
    "Time that the oldest due notice has been waiting, in seconds; 0 if none is due",
    (found) => found.oldest_seconds ?? 0,
  );
}
