/**
 * The job that checks granted payments again: whether they are still on the chain once it can no longer be reorganized.
 *
 * A grant waits for only a few blocks, because an agent is waiting. If a deeper reorganization drops a payment, its
 * credits are revoked as far as the balance allows, and the rest is an alert.
 *
 * @module
 */
import type { Job } from "../jobs/jobs.ts";
import { unreachable } from "../lib/assert.ts";
import { messageOf } from "../lib/error_fields.ts";
import type { Log } from "../lib/log.ts";
import { intervalOf, MS_PER_DAY } from "../lib/time_units.ts";
import { alertTopup, type Book, takeBackTopup } from "./store_topup.ts";
import type { DirectWay, Topup } from "./way.ts";

/** How often a process looks for due payments. */
const EVERY_MS = 60_000;
/** Payments that a step checks, all in parallel. */
const ASKED_MAX = 10;
/** The delay from the grant to the first check, and between checks. */
const AGE_MS = 30 * 60_000;
const PAUSE_MS = 10 * 60_000;
/** How long after its grant a payment is checked. After that, it is left to the operator. */
const ASKED_MS_MAX = 7 * MS_PER_DAY;

/** @param way undefined if it was switched off; payments granted by it are eventually left to the operator */
export function recheckTopups(way: DirectWay | undefined, log: Log, ageMs = AGE_MS): Job {
  return {
    name: "topup finality",
    everyMs: EVERY_MS,
    async step(database) {
      const due = await database.rows("claim_granted_topups", {
        age: intervalOf(ageMs),
        pause: intervalOf(PAUSE_MS),
        limit: BigInt(ASKED_MAX),
      });
      await Promise.all(due.map((topup) => recheck({ database, log }, way, topup)));
      return due.length === ASKED_MAX;
    },
  };
}

async function recheck(book: Book, way: DirectWay | undefined, topup: Topup): Promise<void> {
  const { topup_id: topupId } = topup;
  try {
    const finality = (await way?.recheck(topup)) ?? "open";
    switch (finality) {
      case "open":
        await giveUp(book, topup);
        return;
      case "final":
        break;
      case "undone":
        book.log.error("the chain has dropped a payment", { topup_id: topupId });
        await takeBackTopup(book, topupId, {
          source: "reorganisation",
          rank: 0,
          totalNanos: topup.amount_nanos,
        });
        break;
      default:
        return unreachable(finality);
    }
    await book.database.row("mark_topup_final", { topup_id: topupId });
  } catch (error) {
    book.log.warn("the chain did not respond", { topup_id: topupId, reason: messageOf(error) });
    await giveUp(book, topup);
  }
}

/** After a week, the payment is left to the operator. */
async function giveUp(book: Book, { topup_id: topupId, ended_at: endedAt }: Topup): Promise<void> {
  if (Date.now() < Date.parse(endedAt ?? "") + ASKED_MS_MAX) return;
  await alertTopup(
    book,
    topupId,
    "it could not be determined whether the payment is still on the chain",
  );
  await book.database.row("mark_topup_final", { topup_id: topupId });
}
