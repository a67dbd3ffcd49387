/**
 * Metrics of emails: outcomes of attempts, and the number and age of queued emails. They exist only if mail is
 * configured.
 *
 * @module
 */
import type { Metrics } from "../../http/metrics.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import { within } from "../../lib/within.ts";
import type { Database } from "../../postgres/client/database.ts";
import type { MailSender } from "./mail_sender.ts";

/** The longest that a scrape waits for the database. */
const ANSWER_MS_MAX = 500;

export function registerMailMetrics(
  metrics: Metrics,
  sender: MailSender,
  database: Database,
): void {
  // Both gauges of a scrape share one statement. The metric of database errors shows why it failed.
  const read = createSingleFlight(async () => {
    const found = await within(database.row("find_waiting_mails", {}), ANSWER_MS_MAX).catch(
      () => "late" as const,
    );
    return found === "late" ? undefined : found;
  });
  metrics.counts(
    "feedgate_mails_total",
    "Attempts to send an email, by outcome, and emails that expired before they were sent",
    "outcome",
    () => sender.counts,
  );
  metrics.gauge(
    "feedgate_mails_waiting",
    "Emails in the queue",
    async () => {
      const found = await read.ask();
      return found === undefined ? undefined : Number(found.waiting);
    },
    "max",
  );
  metrics.gauge(
    "feedgate_mails_waiting_seconds_max",
    "Age of the oldest queued email, in seconds; 0 if the queue is empty",
    async () => {
      const found = await read.ask();
      return found === undefined ? undefined : (found.oldest_seconds ?? 0);
    },
    "max",
  );
}
