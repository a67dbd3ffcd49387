/**
 * Reads of pages, catalog and search: from a streaming replica where there is one that is new enough,
 * else from the primary.
 *
 * A replica may be behind, slow, gone, or a server of its own by now. What it answers is used only where it
 * proves to be as new as the caller needs; in every other case the primary is asked as if there were no
 * replica, so a replica costs speed and never an answer.
 *
 * How new a page must be its data version tells. A list has none, so the replica must have replayed all that
 * the primary had written when the list was asked for: what was answered before is in it.
 *
 * @module
 */
import type { Log } from "../lib/log.ts";
import { createSharedFlights } from "../lib/shared_flights.ts";
import type { Database, Parameters, Row, StatementName } from "./query.ts";
import { createReplicaHealth } from "./replica_health.ts";

export interface Reader {
  /** The first row; a replica's is used where `isCurrent` finds it new enough. */
  row<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
    isCurrent: (row: Row<Name> | undefined) => boolean,
  ): Promise<Row<Name> | undefined>;
  /** All rows, of a moment after the call. */
  rows<Name extends StatementName>(name: Name, parameters: Parameters<Name>): Promise<Row<Name>[]>;
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
      row: (name, parameters) => primary.row(name, parameters),
      rows: (name, parameters) => primary.rows(name, parameters),
      hasReplica: false,
      get waiting() {
        return primary.waiting;
      },
      close: () => {},
    };
  }
  return createReplicaReader(primary, options);
}

function createReplicaReader(primary: Database, options: ReplicaOptions): Reader {
  const { replica, log, onRead } = options;
  const health = createReplicaHealth({ probe, log });
  // All who wait to read a list are shown one reading of the position, made after each had asked.
  const positions = createSharedFlights(
    () => primary.row("read_wal_position", []),
    () => "",
  );

  async function probe(): Promise<void> {
    const state = await inTime(replica.row("find_replica_state", []));
    if (state?.is_following !== true) throw new Error("it follows no primary");
  }

  /** What the replica answers; undefined where it is not to be asked, fails, or is behind. */
  async function ask<Answer>(
    read: () => Promise<Answer>,
    isCurrent: (answer: Answer) => boolean,
  ): Promise<{ readonly answer: Answer } | undefined> {
    try {
      const answer = await inTime(read());
      if (isCurrent(answer)) {
        health.noteAnswered();
        onRead("answered");
        return { answer };
      }
      health.noteBehind();
      onRead("behind");
    } catch (error) {
      health.noteFailed(error);
      onRead("failed");
    }
    return undefined;
  }

  async function readCaughtUp<Name extends StatementName>(
    position: string,
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name>[] | undefined> {
    const waited = await replica.row("await_replay", [position, `${CATCH_UP_MS_MAX} milliseconds`]);
    return waited?.is_caught_up === true ? replica.rows(name, parameters) : undefined;
  }

  return {
    async row(name, parameters, isCurrent) {
      if (!health.isUp) {
        onRead("resting");
        return primary.row(name, parameters);
      }
      const found = await ask(() => replica.row(name, parameters), isCurrent);
      return found === undefined ? primary.row(name, parameters) : found.answer;
    },
    async rows(name, parameters) {
      if (!health.isUp) {
        onRead("resting");
        return primary.rows(name, parameters);
      }
      const position = (await positions.ask(undefined))?.wal_position ?? "";
      const found = await ask(
        () => readCaughtUp(position, name, parameters),
        (rows) => rows !== undefined,
      );
      return found?.answer ?? primary.rows(name, parameters);
    },
    get hasReplica() {
      return health.isUp;
    },
    get waiting() {
      return primary.waiting + replica.waiting;
    },
    close: () => health.stop(),
  };
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
