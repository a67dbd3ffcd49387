/**
 * The job that finishes top-ups after a crash or a lost message: it asks the payment method for the state of each
 * pending payment.
 *
 * A top-up is checked a minute after it was started, then at growing intervals, and once more when it can no longer be
 * paid. Any number of processes may run the job. A row of the table records whose turn it is.
 *
 * @module
 */

import type { Job } from "../jobs/jobs.ts";
import { unreachable } from "../lib/assert.ts";
import { messageOf } from "../lib/error_fields.ts";
import type { Log } from "../lib/log.ts";
import { intervalOf, MS_PER_DAY } from "../lib/time_units.ts";
import { TOPUP_UNBEGUN_MS_MAX } from "../limits.ts";
import { alertTopup, type Book, expireTopup, grantTopup } from "./store_topup.ts";
import type { Topup, WayName, Ways } from "./way.ts";

/** How often a process looks for due top-ups. */
const EVERY_MS = 5_000;
/** Payments that a step checks, all in parallel. Each check takes at most some seconds. */
const ASKED_MAX = 10;
/** How long a process has exclusive use of a top-up. */
const LEASE_MS = 60_000;
/** The interval between two checks of a top-up: at first, and at most. */
const PAUSE_MS = 60_000;
const PAUSE_MS_MAX = 60 * 60_000;
/** How long after its end a payment is checked whose state remains unknown. After that, it is left to the operator. */
const ASKED_MS_MAX = 30 * MS_PER_DAY;
/**
 * How long after its end a payment is skipped whose method is not configured. After that, it is left to the operator.
 */
const SWITCHED_OFF_MS_MAX = 60 * 60_000;

export function finishTopups(ways: Ways, log: Log): Job {
  return {
    name: "topups",
    everyMs: EVERY_MS,
    isPrompt: true,
    async step(database) {
      const due = await database.rows("claim_due_topups", {
        lease: intervalOf(LEASE_MS),
        limit: BigInt(ASKED_MAX),
      });
      await Promise.all(due.map((topup) => finishTopup({ database, log }, ways, topup)));
      return due.length === ASKED_MAX;
    },
  };
}

/** Asks the payment method about a top-up, and acts on the answer. */
export async function finishTopup(book: Book, ways: Ways, topup: Topup): Promise<void> {
  const { log } = book;
  const { topup_id: topupId } = topup;
  try {
    const isOpen = await settle(book, ways, topup);
    if (isOpen) await postpone(book, topup, null);
  } catch (error) {
    const reason = messageOf(error);
    log.warn("a payment provider did not respond", { topup_id: topupId, way: topup.way, reason });
    await postpone(book, topup, reason);
  }
}

/** Whether the state is still open. */
async function settle(book: Book, ways: Ways, topup: Topup): Promise<boolean> {
  const { topup_id: topupId } = topup;
  const ageMs = Date.now() - Date.parse(topup.created_at);
  if (topup.payment_id === null) {
    // Its page was never given out, so it can't have been paid.
    if (ageMs < TOPUP_UNBEGUN_MS_MAX) return true;
    await expireTopup(book, topupId);
    return false;
  }
  const way = ways[topup.way as WayName];
  if (way === undefined) {
    // A gateway on which the method is still configured may check it.
    const isLeft = Date.now() < Date.parse(topup.expires_at) + SWITCHED_OFF_MS_MAX;
    if (isLeft) throw new Error("this payment method is no longer configured");
    const alert = `${topup.way} was turned off before it was known whether this top-up was paid`;
    await expireTopup(book, topupId, alert);
    return false;
  }
  const standing = await way.ask(topup);
  switch (standing.kind) {
    case "paid":
      await grantTopup(book, topupId, standing.payment);
      return false;
    case "void":
      await expireTopup(book, topupId);
      return false;
    case "strange":
      await alertTopup(book, topupId, standing.alert);
      await expireTopup(book, topupId);
      return false;
    case "open":
      return true;
    default:
      return unreachable(standing);
  }
}

async function postpone(book: Book, topup: Topup, error: string | null): Promise<void> {
  const { topup_id: topupId, attempts } = topup;
  const nowMs = Date.now();
  const endMs = Date.parse(topup.expires_at);
  if (nowMs > endMs + ASKED_MS_MAX) {
    const alert = "it could not be determined whether this top-up was paid";
    await expireTopup(book, topupId, alert);
    return;
  }
  const pauseMs = Math.min(PAUSE_MS * 2 ** Math.min(attempts, 10), PAUSE_MS_MAX);
  // It is also checked when it ends.
  const dueMs = endMs > nowMs ? Math.min(pauseMs, endMs - nowMs + PAUSE_MS) : pauseMs;
  await book.database.row("postpone_topup", {
    topup_id: topupId,
    due_in: intervalOf(Math.ceil(dueMs)),
    error,
  });
}
