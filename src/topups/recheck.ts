/**
 * The job that asks again about payments that were granted: whether the chain still has them once it can't be
 * reorganised any more. Beyond 15.
 *
 * A grant waits for a few blocks only, since an agent waits, too. If a deeper reorganisation drops a payment, its credits
 * are taken back as far as the balance goes, and the rest is an alert.
 *
 * @module
 */
import type { Job } from "../jobs/jobs.ts";
import { unreachable } from "../lib/assert.ts";
import { messageOf } from "../lib/error_fields.ts";
import type { Log } from "../lib/log.ts";
import { MS_PER_DAY } from "../lib/time_units.ts";
import { alertTopup, type Book, takeBackTopup } from "./store_topup.ts";
import type { DirectWay, Topup } from "./way.ts";

/** How often a process looks for what is due. */
const EVERY_MS = 60_000;
/** Payments that a step asks about, at once. */
const ASKED_MAX = 10;
/** From the grant to the first question, and from one question to the next. */
const AGE_MS = 30 * 60_000;
const PAUSE_MS = 10 * 60_000;
/** How long after its grant a payment is asked for. Then it is the operator's. */
const ASKED_MS_MAX = 7 * MS_PER_DAY;

/** @param way undefined: it was switched off, and what was granted by it is left to the operator in the end */
export function recheckTopups(way: DirectWay | undefined, log: Log, ageMs = AGE_MS): Job {
  return {
    name: "topup finality",
    everyMs: EVERY_MS,
    async step(database) {
      const due = await database.rows("claim_granted_topups", {
        age: `${ageMs} milliseconds`,
        pause: `${PAUSE_MS} milliseconds`,
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
    book.log.warn("a chain did not answer", { topup_id: topupId, reason: messageOf(error) });
    await giveUp(book, topup);
  }
}

/** After a week, it is left to the operator. */
async function giveUp(book: Book, { topup_id: topupId, ended_at: endedAt }: Topup): Promise<void> {
  if (Date.now() < Date.parse(endedAt ?? "") + ASKED_MS_MAX) return;
  await alertTopup(book, topupId, "nobody can tell whether the chain still has the payment");
  await book.database.row("mark_topup_final", { topup_id: topupId });
}
