/**
 * A read that is answered with an error costs nothing, also where its grant was committed.
 *
 * When a connection dies while a batch flies, its reads are answered 503, and whether it was committed
 * is not known. So the batch's token, which ends its usage ids, goes to the database later: what was
 * committed under it is refunded, and a batch that has not begun yet is refused from then on
 * (`sql/functions/refund_reads.sql`). The same statement refunds a single read that failed after its
 * grant. What can't be refunded now is tried again until it can; only a process that is killed before
 * forgets it. Decisions 6.
 *
 * @module
 */

import { BackgroundWork } from "../lib/background_work.ts";
import type { Log } from "../lib/log.ts";
import { LOST_BATCH_MS_MAX, LOST_BATCHES_MAX } from "../limits.ts";
import type { Database, Parameters } from "../postgres/client/query.ts";
import type { Claim } from "./admission.ts";

export interface RefundsOptions {
  readonly database: Database;
  readonly log?: Log;
}

/** A batch that was sent. */
export interface Sending {
  readonly batchToken: string;
  /** On the process's monotonic clock, in milliseconds. */
  readonly sentMs: number;
  /** On the machine's clock, in milliseconds of the Unix epoch. */
  readonly sentAtMs: number;
}

/** What is to be refunded; the statement's parameters but the time that has passed. */
interface Debt extends Sending {
  readonly accountIds: readonly string[];
  readonly keyAccounts: readonly string[];
  readonly keys: readonly string[];
  /** Null where it is the whole batch. */
  readonly onlyUsage: string | null;
}

const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 2_000;

export class Refunds {
  readonly #options: RefundsOptions;
  #debts: Debt[] = [];
  readonly #paying = new BackgroundWork({
    run: () => this.#payAll(),
    hasMore: () => this.#debts.length > 0,
  });

  constructor(options: RefundsOptions) {
    this.#options = options;
  }

  /** Refunds all of the batch that was committed, in the background. */
  loseBatch(claims: readonly Claim[], sending: Sending): void {
    this.#owe(debtOf(claims, sending, null));
  }

  /** Resolves after the first try; where that fails, more follow in the background. */
  async refundRead(
    claim: Claim,
    { batchToken, usageId }: { readonly batchToken: string; readonly usageId: string },
  ): Promise<void> {
    const sending = { batchToken, sentMs: performance.now(), sentAtMs: Date.now() };
    const debt = debtOf([claim], sending, usageId);
    try {
      await this.#pay(debt);
    } catch (error) {
      this.#options.log?.warn("refund failed, tried again", { usage_id: usageId, error });
      this.#owe(debt);
    }
  }

  /** Resolves when nothing is left to refund. */
  idle(): Promise<void> {
    return this.#paying.idle();
  }

  #owe(debt: Debt): void {
    if (this.#debts.length >= LOST_BATCHES_MAX) {
      const { batchToken } = debt;
      this.#options.log?.error("reads not refunded, too many wait", { batch: batchToken });
      return;
    }
    this.#debts.push(debt);
    this.#paying.start();
  }

  /** Pays all debts in turn; a pause after each failure, twice as long each time. */
  async #payAll(): Promise<void> {
    let pauseMs = PAUSE_MS_MIN;
    for (let debt = this.#debts[0]; debt !== undefined; debt = this.#debts[0]) {
      const others = () => this.#debts.filter((each) => each !== debt);
      try {
        await this.#pay(debt);
        pauseMs = PAUSE_MS_MIN;
      } catch (error) {
        if (performance.now() - debt.sentMs < LOST_BATCH_MS_MAX) {
          await Bun.sleep(pauseMs);
          pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
          // To the end: a debt that can't be paid holds up no other.
          this.#debts = [...others(), debt];
          continue;
        }
        const { batchToken } = debt;
        this.#options.log?.error("reads not refunded", { batch: batchToken, error });
      }
      this.#debts = others();
    }
  }

  async #pay(debt: Debt): Promise<void> {
    const { database, log } = this.#options;
    const row = await database.row("refund_reads", parametersOf(debt));
    const { batchToken, onlyUsage } = debt;
    log?.info("reads refunded", {
      batch: batchToken,
      usage_id: onlyUsage,
      refunded: row?.refunded,
    });
  }
}

function debtOf(claims: readonly Claim[], sending: Sending, onlyUsage: string | null): Debt {
  const keyed = claims.filter(({ idempotency }) => idempotency !== undefined);
  return {
    ...sending,
    onlyUsage,
    accountIds: [...new Set(claims.map(({ accountId }) => accountId))],
    keyAccounts: keyed.map(({ accountId }) => accountId),
    keys: keyed.map(({ idempotency }) => idempotency?.key as string),
  };
}

function parametersOf(debt: Debt): Parameters<"refund_reads"> {
  const { batchToken, accountIds, keyAccounts, keys, sentMs, sentAtMs, onlyUsage } = debt;
  const elapsedMs = BigInt(Math.ceil(performance.now() - sentMs));
  const sentAt = new Date(sentAtMs).toISOString();
  return [batchToken, accountIds, keyAccounts, keys, elapsedMs, sentAt, onlyUsage];
}
