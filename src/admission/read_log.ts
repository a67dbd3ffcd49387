/**
 * Writes reads to the log. Pending reads are sent together as one `log_reads`. Its updates to their accounts are
 * applied in memory before any of the reads is answered.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { Batcher } from "../lib/batcher.ts";
import { ADMISSION_BATCHES } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import { isPartitionMissing, mayBeCommitted } from "../postgres/client/failures.ts";
import type { DatabaseClock } from "./database_clock.ts";
import { dayOf } from "./decide.ts";
import { type Accounts, spend } from "./known_accounts.ts";
import {
  accountsOf,
  type LoggedBatch,
  type LogOutcome,
  loggedBatchOf,
  newBatchToken,
  parametersOf,
  type ReadToLog,
  versionOf,
} from "./log_batch.ts";
import type { Refunds } from "./refunds.ts";
import { type Reservation, release } from "./reservation.ts";

export interface ReadLogOptions {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly clock: DatabaseClock;
  /** Refunds batches that may have been committed. */
  readonly refunds: Refunds;
  /** Overrides `ADMISSION_BATCHES`. */
  readonly batches?: Partial<typeof ADMISSION_BATCHES> | undefined;
  /** Called when a batch is sent, with its number of reads. */
  readonly onSent: (reads: number) => void;
  /** Called when a read was logged. */
  readonly onLogged: (reservation: Reservation) => void;
}

const ACCOUNT_MOVED: LogOutcome = { kind: "account_moved" };

export class ReadLog {
  readonly #options: ReadLogOptions;
  readonly #batcher: Batcher<ReadToLog, LogOutcome>;

  constructor(options: ReadLogOptions) {
    this.#options = options;
    this.#batcher = new Batcher<ReadToLog, LogOutcome>({
      ...ADMISSION_BATCHES,
      ...options.batches,
      holdOf: ({ reservation }) => reservation.account.id,
      isWanted: ({ isGone }) => isGone?.() !== true,
      run: (reads) => this.#send(reads),
    });
  }

  /**
   * Charges and logs the read, whose reservation becomes a hit. With every other outcome, the reservation stays.
   * Returns undefined if there was no room for the read in time, or if its client has disconnected.
   * @throws {DatabaseUnavailableError} if it is unknown whether the read was logged; the read is then refunded
   */
  log(read: ReadToLog): Promise<LogOutcome | undefined> {
    return this.#batcher.submit(read);
  }

  get waiting(): number {
    return this.#batcher.waiting;
  }

  async #send(reads: readonly ReadToLog[]): Promise<readonly LogOutcome[]> {
    const sendable = reads.filter(({ reservation }) => isStanding(reservation));
    if (sendable.length === 0) return reads.map(() => ACCOUNT_MOVED);
    const { accounts: known, database, onSent, refunds } = this.#options;
    onSent(sendable.length);
    const batchToken = newBatchToken();
    const sending = { batchToken, sentMs: performance.now(), sentAtMs: Date.now() };
    const ask = () => database.row("log_reads", parametersOf(sendable, batchToken));
    try {
      const row = await withUsagePartition(database, ask);
      assert(row !== undefined, "log_reads returns a row");
      const batch = loggedBatchOf(row, sendable, batchToken);
      const outcomes = this.#apply(sendable, batch, batchToken);
      const byRead = new Map(sendable.map((each, index) => [each, outcomes[index]]));
      return reads.map((each) => byRead.get(each) ?? ACCOUNT_MOVED);
    } catch (error) {
      const accounts = accountsOf(sendable);
      for (const account of accounts) known.drop(account);
      // Every read of the batch now gets an error, but the batch may still be committed.
      if (mayBeCommitted(error)) {
        const accountIds = accounts.map(({ id }) => id);
        refunds.loseBatch(accountIds, sending);
      }
      throw error;
    }
  }

  /** Updates memory with what the statement wrote and what it found. */
  #apply(
    sent: readonly ReadToLog[],
    batch: LoggedBatch,
    batchToken: string,
  ): readonly LogOutcome[] {
    const { accounts: known, clock } = this.#options;
    const { decidedUs, reads } = batch;
    clock.set(decidedUs);
    if (reads === undefined) {
      known.dropAll();
      return sent.map(() => ACCOUNT_MOVED);
    }
    for (const [index, { reservation }] of sent.entries()) {
      if (reads[index]?.kind === "logged") this.#count(reservation, decidedUs);
    }
    for (const account of accountsOf(sent)) {
      const logged = batch.accounts.get(account.id);
      if (logged?.balanceNanos !== undefined) {
        if (account.loggedUs >= decidedUs) continue;
        account.balanceNanos = logged.balanceNanos;
        account.version = versionOf(batchToken);
        account.loggedUs = decidedUs;
      } else if (logged?.news !== undefined) {
        known.apply(account, logged.news);
      }
    }
    return reads;
  }

  /** Turns the reservation into a hit, unless a proof arrived before the batch's answer and has already counted it. */
  #count(reservation: Reservation, decidedUs: number): void {
    const { accounts, onLogged } = this.#options;
    const { account, keySpending, priceNanos, window } = reservation;
    // If the account was dropped since, its window stays open until the read is answered, because the answer shows the
    // window.
    if (account.isCurrent) {
      release(accounts, reservation);
      if (account.loggedUs < decidedUs) {
        accounts.windows.hit(window, decidedUs);
        if (keySpending !== undefined) spend(keySpending, dayOf(decidedUs), priceNanos);
      }
    }
    onLogged(reservation);
  }
}

/** Whether only reads of this process have changed the account since the read was decided. */
function isStanding({ account, newsCount }: Reservation): boolean {
  return account.isCurrent && newsCount === account.newsCount;
}

/**
 * Partitions of the usage log are created ahead of time, by the database's clock. If the clock has jumped forward, the
 * current month's partition is missing and is created here.
 */
async function withUsagePartition<Result>(
  database: Database,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!isPartitionMissing(error)) throw error;
    await database.rows("create_usage_partition", {});
    return send();
  }
}
