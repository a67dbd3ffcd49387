/**
 * Writes reservations to the log: those that wait leave together as one `log_reads`, and what it says of their
 * accounts is brought into memory before anybody is told.
 *
 * @module
 */
import { assert } from "../lib/assert.ts";
import { Batcher } from "../lib/batcher.ts";
import { ADMISSION_BATCHES } from "../limits.ts";
import { isPartitionMissing, mayBeCommitted } from "../postgres/client/failures.ts";
import type { Database } from "../postgres/client/query.ts";
import { retryRolledBack } from "../postgres/client/retry.ts";
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
  /** Told of batches of which it is not known whether they were committed. */
  readonly refunds: Refunds;
  /** In place of `ADMISSION_BATCHES`. */
  readonly batches?: Partial<typeof ADMISSION_BATCHES> | undefined;
  /** Told of each batch that is sent, by its reads. */
  readonly onSent: (reads: number) => void;
  /** Told of each read that was logged. */
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
   * Charges and logs the read; then it is a hit. Of every other outcome its reservation stands. Undefined: there
   * is no room for it in time, or its client has gone.
   * @throws {DatabaseUnavailableError} where it is not known whether it was logged; then it is refunded
   */
  log(read: ReadToLog): Promise<LogOutcome | undefined> {
    return this.#batcher.submit(read);
  }

  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void> {
    return this.#batcher.idle();
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
      const row = await withUsagePartition(database, () => retryRolledBack(ask));
      assert(row !== undefined, "log_reads returns a row");
      const batch = loggedBatchOf(row, sendable, batchToken);
      const outcomes = this.#apply(sendable, batch, batchToken);
      const byRead = new Map(sendable.map((each, index) => [each, outcomes[index]]));
      return reads.map((each) => byRead.get(each) ?? ACCOUNT_MOVED);
    } catch (error) {
      const accounts = accountsOf(sendable);
      for (const account of accounts) known.drop(account);
      // Every read of it is answered with an error now, and it may have been committed all the same.
      if (mayBeCommitted(error)) {
        const accountIds = accounts.map(({ id }) => id);
        refunds.loseBatch(accountIds, sending);
      }
      throw error;
    }
  }

  /** Brings memory up to date with what the statement wrote, and with what it found. */
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
      const told = batch.accounts.get(account.id);
      if (told?.balanceNanos !== undefined) {
        if (account.loggedUs >= decidedUs) continue;
        account.balanceNanos = told.balanceNanos;
        account.version = versionOf(batchToken);
        account.loggedUs = decidedUs;
      } else if (told?.news !== undefined) {
        known.apply(account, told.news);
      }
    }
    return reads;
  }

  /** The reservation becomes a hit, unless a proof has told of it before the batch's own answer came. */
  #count(reservation: Reservation, decidedUs: number): void {
    const { accounts, onLogged } = this.#options;
    const { account, keySpending, priceNanos, window } = reservation;
    // If the account was dropped meanwhile, the reservation stays until the answer has told its window.
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

/** Whether the read was decided by the account as it is known now, its own process's reads aside. */
function isStanding({ account, newsCount }: Reservation): boolean {
  return account.isCurrent && newsCount === account.newsCount;
}

/**
 * Partitions of the usage log are made ahead of time, by the database's clock: where that has leapt, the
 * one that it needs now is missing, and is made.
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
