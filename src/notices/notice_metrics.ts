/**
 * Metrics of notices: outcomes of attempts, and the number and waiting time of pending notices.
 *
 * @module
 */
import type { Metrics } from "../http/metrics.ts";
import { createSingleFlight } from "../lib/single_flight.ts";
import { within } from "../lib/within.ts";
import type { Database } from "../postgres/client/database.ts";
import type { WebhookSender } from "./webhook_sender.ts";

/** The longest that a scrape waits for the database. */
const ANSWER_MS_MAX = 500;

export function registerNoticeMetrics(
  metrics: Metrics,
  sender: WebhookSender,
  database: Database,
): void {
  // Both gauges of a scrape share one statement. The metric of database errors shows why it failed.
  const read = createSingleFlight(async () => {
    const found = await within(database.row("find_waiting_notices", {}), ANSWER_MS_MAX).catch(
      () => "late" as const,
    );
    return found === "late" ? undefined : found;
  });
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
  metrics.gauge(
    "feedgate_notices_waiting",
    "Notices that have no deliveries yet, plus webhooks with a due delivery",
    async () => {
      const found = await read.ask();
      return found === undefined ? undefined : Number(found.unspread + found.waiting);
    },
    "max",
  );
  metrics.gauge(
    "feedgate_notices_waiting_seconds_max",
    "Time that the oldest due notice has been waiting, in seconds; 0 if none is due",
    async () => {
      const found = await read.ask();
      return found === undefined ? undefined : (found.oldest_seconds ?? 0);
    },
    "max",
  );
}
