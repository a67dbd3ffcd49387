/**
 * A read that is answered with an error costs nothing, even if it was logged.
 *
 * If a connection dies during a batch, the batch's reads get 503, and it is unknown whether they were committed. A
 * background step finds out: it renews the accounts' versions, so that the batch can't be written anymore, and refunds
 * what was written under its token (`refund_reads.sql`). The same statement refunds a single read whose client has
 * disconnected. A refund that fails is retried until it succeeds. If the process is killed before that, the refund is
 * lost.
 *
 * See `src/spec/decisions.md`, section 6.
 *
 * @module
 */

import { BackgroundWork } from "../lib/background_work.ts";
import type { Log } from "../lib/log.ts";
import { LOST_BATCH_MS_MAX, LOST_BATCHES_MAX } from "../limits.ts";
import type { Database, Parameters } from "../postgres/client/database.ts";

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

/** What to refund: the statement's parameters, except for the elapsed time. */
interface Debt extends Sending {
  readonly accountIds: readonly string[];
  /** Null for the whole batch. */
  readonly onlyUsage: string | null;
}

/** Length of the batch token at the end of a usage id. */
const BATCH_TOKEN_DIGITS = 12;
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 2_000;

export class Refunds {
  readonly #options: RefundsOptions;
  #debts: Debt[] = [];
  readonly #paying = new BackgroundWork(() => this.#payAll());

  constructor(options: RefundsOptions) {
    this.#options = options;
  }

  /** Refunds all reads of the batch that were committed, in the background. */
  loseBatch(accountIds: readonly string[], sending: Sending): void {
    this.#owe({ ...sending, accountIds, onlyUsage: null });
  }

  /** Resolves after the first try. If it fails, retries follow in the background. */
  async refundRead(accountId: string, usageId: string): Promise<void> {
    const debt = {
      batchToken: usageId.slice(-BATCH_TOKEN_DIGITS),
      sentMs: performance.now(),
      sentAtMs: Date.now(),
      accountIds: [accountId],
      onlyUsage: usageId,
    };
    try {
      await this.#pay(debt);
    } catch (error) {
      this.#options.log?.warn("refund failed; retrying", { usage_id: usageId, error });
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
      this.#options.log?.error("reads not refunded: too many are waiting", { batch: batchToken });
      return;
    }
    this.#debts.push(debt);
    this.#paying.start();
  }

  /** Pays all debts in turn. After each failure it pauses, twice as long each time. */
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
          // Moved to the end, so that a failing refund delays no other.
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

function parametersOf(debt: Debt): Parameters<"refund_reads"> {
  const { batchToken, accountIds, sentMs, sentAtMs, onlyUsage } = debt;
  return {
    batch_token: batchToken,
    account_ids: accountIds,
    elapsed_ms: BigInt(Math.ceil(performance.now() - sentMs)),
    sent_at: new Date(sentAtMs).toISOString(),
    only_usage: onlyUsage,
  };
}
