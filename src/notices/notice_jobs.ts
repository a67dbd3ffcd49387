/**
 * The background jobs of notices: detect updated feeds, low balances, late feeds and closing batches; create the
 * deliveries of stored notices; call webhooks; and remove old notices.
 *
 * Each step is one statement, which stores the notices and records its progress in one commit.
 *
 * @module
 */
import { present } from "../lib/assert.ts";
import { intervalOf, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from "../lib/time_units.ts";
import { ABANDONED_BATCH_MS, LOW_BALANCE_NANOS, NOTICES_KEPT_MS } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import type { NoticeMails } from "./notice_mails.ts";
import { MAILED_TYPES } from "./notice_types.ts";
import type { WebhookSender } from "./webhook_sender.ts";

/** Notices or feeds of one step. */
const STEP_MAX = 1_000;

interface NoticeJobsOptions {
  readonly sender: WebhookSender;
  /** Composes and queues mails. Undefined if mail is not configured. */
  readonly mails?: NoticeMails | undefined;
}

/** `Job`s of `jobs/jobs.ts`. None waits for an address. */
export function createNoticeJobs({ sender, mails }: NoticeJobsOptions) {
  const hasMail = mails !== undefined;
  const withheld = job("notice mails", 5 * MS_PER_SECOND, {});
  const spread = job("notices", MS_PER_SECOND, { amount: STEP_MAX, hasMail });
  return [
    job("notice subscriptions", 10 * MS_PER_SECOND, {}),
    job("updated feeds", MS_PER_SECOND, { amount: STEP_MAX }),
    job("low balances", 2 * MS_PER_SECOND, { amount: LOW_BALANCE_NANOS }),
    job("late feeds", 10 * MS_PER_SECOND, {}),
    job("closing batches", MS_PER_MINUTE, { ageMs: ABANDONED_BATCH_MS }),
    ...(mails === undefined
      ? []
      : [
          {
            ...withheld,
            async step(database: Database, now?: string) {
              await withheld.step(database, now);
              return mails.queueDue(now);
            },
          },
        ]),
    job("old notices", MS_PER_HOUR, { ageMs: NOTICES_KEPT_MS, amount: STEP_MAX }),
    {
      ...spread,
      async step(database: Database, now?: string) {
        const isMore = await spread.step(database, now);
        sender.wake(now);
        return isMore;
      },
    },
  ];
}

interface Bounds {
  readonly ageMs?: number;
  readonly amount?: number;
  readonly hasMail?: boolean;
}

function job(name: string, everyMs: number, { ageMs, amount = 0, hasMail = false }: Bounds) {
  return {
    name,
    everyMs,
    isPrompt: true,
    async step(database: Database, now?: string): Promise<boolean> {
      const done = await database.row("run_notice_job", {
        job: name,
        moment: now ?? null,
        // Turns are slightly irregular. One that is a little early must not be skipped.
        pause: intervalOf(everyMs / 2),
        age: ageMs === undefined ? null : intervalOf(ageMs),
        amount: BigInt(amount),
        mail_defaults: hasMail ? MAILED_TYPES : null,
      });
      return present(done).is_more;
    },
  };
}
