/**
 * Reads of pages, catalog and search: from a streaming replica that is new enough, else from the primary.
 *
 * A replica may be behind, slow, gone or promoted. Its answer is used only if it proves to be as new as the
 * caller needs. In every other case the primary is asked as if there were no replica, so a replica may cost
 * speed but never an answer.
 *
 * The data version says how new a page is. A list has none, so the replica must have replayed everything
 * that the primary had written when the list was asked for.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import {
  type Database,
  DatabaseTimeSpentError,
  type Parameters,
  type Row,
  type StatementName,
} from "../client/query.ts";
import { createReplicaHealth, type ReplicaHealth } from "./health.ts";

/** Everything is read on behalf of an account: in its turn and on its budget (`query.ts`). */
export interface Reader {
  /** The first row; a replica's is used if `isCurrent` finds it new enough. */
  row<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
    isCurrent: (row: Row<Name> | undefined) => boolean,
  ): Promise<Row<Name> | undefined>;
  /** All rows, of a moment after the call. */
  rows<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name>[]>;
  /** Whether a replica is asked at present. */
  readonly hasReplica: boolean;
  /** Statements that wait for a connection. */
  readonly waiting: number;
  /** Stops looking after the replica; its pool is its owner's to end. */
  close(): void;
}

/** answered: by the replica; behind, failed: by the primary after it; resting: by the primary at once. */
export type ReplicaOutcome = "answered" | "behind" | "failed" | "resting";

export interface ReplicaOptions {
  readonly replica: Database;
  readonly log: Log;
  readonly onRead: (outcome: ReplicaOutcome) => void;
}

/** Of one read of the replica, all told, in milliseconds; its statements are bounded by the same. */
export const REPLICA_WAIT_MS_MAX = 500;
/** How long a list waits for the replica to catch up, in milliseconds: a healthy one is behind by less. */
const CATCH_UP_MS_MAX = 50;

/** Without a replica all comes from the primary. */
export function createReader(primary: Database, options?: ReplicaOptions): Reader {
  if (options === undefined) {
    return {
      row: (accountId, name, parameters) => primary.onBehalfOf(accountId).row(name, parameters),
      rows: (accountId, name, parameters) => primary.onBehalfOf(accountId).rows(name, parameters),
      hasReplica: false,
      get waiting() {
        return primary.waiting;
      },
      close: () => {},
    };
  }
  return new ReplicaReader(primary, options);
}

class ReplicaReader implements Reader {
  readonly #primary: Database;
  readonly #replica: Database;
  readonly #onRead: ReplicaOptions["onRead"];
  readonly #health: ReplicaHealth;
  /** All who wait to read a list are shown one reading of the position, made after each had asked. */
  readonly #positions = createSingleFlight(() => this.#primary.row("read_wal_position", []));

  constructor(primary: Database, { replica, log, onRead }: ReplicaOptions) {
    this.#primary = primary;
    this.#replica = replica;
    this.#onRead = onRead;
    this.#health = createReplicaHealth({ probe: () => this.#probe(), log });
  }

  async row<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
    isCurrent: (row: Row<Name> | undefined) => boolean,
  ): Promise<Row<Name> | undefined> {
    const rowOf = (database: Database) => database.onBehalfOf(accountId).row(name, parameters);
    if (this.#isResting()) return rowOf(this.#primary);
    const found = await this.#ask(() => rowOf(this.#replica), isCurrent);
    return found === undefined ? rowOf(this.#primary) : found.answer;
  }

  async rows<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name>[]> {
    const rowsOf = (database: Database) => database.onBehalfOf(accountId).rows(name, parameters);
    if (this.#isResting()) return rowsOf(this.#primary);
    const position = (await this.#positions.ask())?.wal_position ?? "";
    const found = await this.#ask(
      async () => ((await this.#isCaughtUp(position)) ? rowsOf(this.#replica) : undefined),
      (rows) => rows !== undefined,
    );
    return found?.answer ?? rowsOf(this.#primary);
  }

  get hasReplica(): boolean {
    return this.#health.isUp;
  }

  get waiting(): number {
    return this.#primary.waiting + this.#replica.waiting;
  }

  close(): void {
    this.#health.stop();
  }

  async #probe(): Promise<void> {
    const state = await inTime(this.#replica.row("find_replica_state", []));
    if (state?.is_following !== true) throw new Error("it follows no primary");
  }

  #isResting(): boolean {
    if (!this.#health.isUp) this.#onRead("resting");
    return !this.#health.isUp;
  }

  /** What the replica answers; undefined where it fails or is behind. */
  async #ask<Answer>(
    read: () => Promise<Answer>,
    isCurrent: (answer: Answer) => boolean,
  ): Promise<{ readonly answer: Answer } | undefined> {
    try {
      const answer = await inTime(read());
      if (isCurrent(answer)) {
        this.#health.noteAnswered();
        this.#onRead("answered");
        return { answer };
      }
      this.#health.noteBehind();
      this.#onRead("behind");
    } catch (error) {
      // It says nothing of the replica.
      if (error instanceof DatabaseTimeSpentError) throw error;
      this.#health.noteFailed(error);
      this.#onRead("failed");
    }
    return undefined;
  }

  /** Whether the replica gets there in time. */
  async #isCaughtUp(position: string): Promise<boolean> {
    const waitMax = `${CATCH_UP_MS_MAX} milliseconds`;
    const waited = await this.#replica.row("await_replay", [position, waitMax]);
    return waited?.is_caught_up === true;
  }
}

/** Rejects where it takes too long; what comes later is dropped. */
async function inTime<Answer>(work: Promise<Answer>): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`it did not answer within ${REPLICA_WAIT_MS_MAX} ms`)),
      REPLICA_WAIT_MS_MAX,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
