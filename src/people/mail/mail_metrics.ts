/**
 * Metrics of emails: outcomes of attempts, and the number and age of queued emails. They exist only if mail is
 * configured.
 *
 * @module
 */
import type { Metrics } from "../../http/metrics.ts";
import { gaugesOf } from "../../http/scrape.ts";
import type { Database } from "../../postgres/client/database.ts";
import type { MailSender } from "./mail_sender.ts";

export function registerMailMetrics(
  metrics: Metrics,
  sender: MailSender,
  database: Database,
): void {
  metrics.counts(
    "feedgate_mails_total",
    "Attempts to send an email, by outcome, and emails that expired before they were sent",
    "outcome",
    () => sender.counts,
  );
  const gauge = gaugesOf(metrics, () => database.row("find_waiting_mails", {}));
  gauge("feedgate_mails_waiting", "Emails in the queue", ({ waiting }) => Number(waiting));
  gauge(
    "feedgate_mails_waiting_seconds_max",
    "Age of the oldest queued email, in seconds; 0 if the queue is empty",
    (found) => found.oldest_seconds ?? 0,
  );
}
