/**
 * Reads pages, the catalog, and searches from a streaming replica if it is current enough, else from the primary.
 *
 * A replica may be stale, slow, unreachable, or promoted. Its answer is used only if it is proven to be as current as
 * the caller needs. In every other case, the primary is asked as if there were no replica. So a replica may cost time,
 * but never an answer.
 *
 * A page's data version shows how current it is. A list has none, so the replica must first replay everything that the
 * primary had written when the list was requested.
 *
 * @module
 */
import type { Log } from "../../lib/log.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import { intervalOf } from "../../lib/time_units.ts";
import { within } from "../../lib/within.ts";
import {
  type Database,
  DatabaseTimeSpentError,
  type Parameters,
  type Row,
  type StatementName,
} from "../client/database.ts";
import { createReplicaHealth } from "./replica_health.ts";

/** Every read runs in an account's turn and on its budget (`query.ts`). */
export interface Reader {
  /** The first row. A replica's row is used if `isCurrent` accepts it. */
  row<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
    isCurrent: (row: Row<Name> | undefined) => boolean,
  ): Promise<Row<Name> | undefined>;
  /** All rows, as of some time after the call. */
  rows<Name extends StatementName>(
    accountId: string,
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name>[]>;
  /** Whether the replica is currently used. */
  readonly hasReplica: boolean;
  /** Ends the probes of the replica. The owner of its pool closes the pool. */
  close(): void;
}

/**
 * The outcome of a read. `answered`: the replica answered it. `behind`, `failed`: the primary answered after the
 * replica. `resting`: the primary answered directly.
 */
export type ReplicaOutcome = "answered" | "behind" | "failed" | "resting";

export interface ReplicaOptions {
  readonly replica: Database;
  readonly log: Log;
  readonly onRead: (outcome: ReplicaOutcome) => void;
}

/** Limit of a whole read from the replica, and of each of its statements, in milliseconds. */
export const REPLICA_WAIT_MS_MAX = 500;
/** How long a list waits for the replica to catch up, in milliseconds. The lag of a healthy replica is less. */
const CATCH_UP_MS_MAX = 50;

/** Without options, everything is read from the primary. */
export function createReader(primary: Database, options?: ReplicaOptions): Reader {
  if (options !== undefined) return createReplicaReader(primary, options);
  return {
    row: (accountId, name, parameters) => primary.onBehalfOf(accountId).row(name, parameters),
    rows: (accountId, name, parameters) => primary.onBehalfOf(accountId).rows(name, parameters),
    hasReplica: false,
    close: () => {},
  };
}

function createReplicaReader(primary: Database, { replica, log, onRead }: ReplicaOptions): Reader {
  const health = createReplicaHealth(probe, log);
  // Lists that are requested at the same time share one query of the primary's position.
  const positions = createSingleFlight(() => primary.row("read_wal_position", {}));

  async function probe(): Promise<void> {
    const state = await inTime(replica.row("find_replica_state", {}));
    if (state?.is_following !== true) throw new Error("it does not follow a primary");
  }

  /** The replica's answer. Undefined if the replica is resting or fails, or if `read` rejects its answer as stale. */
  async function askReplica<Answer>(
    read: () => Promise<Answer | undefined>,
  ): Promise<Answer | undefined> {
    if (!health.isUp) {
      onRead("resting");
      return undefined;
    }
    try {
      const answer = await inTime(read());
      if (answer === undefined) health.noteBehind();
      else health.noteAnswered();
      onRead(answer === undefined ? "behind" : "answered");
      return answer;
    } catch (error) {
      // This error is about the account, not the replica.
      if (error instanceof DatabaseTimeSpentError) throw error;
      health.noteFailed(error);
      onRead("failed");
      return undefined;
    }
  }

  /** Whether the replica reaches the primary's position in time. */
  async function hasReplayed(position: string | undefined): Promise<boolean> {
    if (position === undefined) return false;
    const waitMax = intervalOf(CATCH_UP_MS_MAX);
    const waited = await replica.row("await_replay", { wal_position: position, wait_max: waitMax });
    return waited?.is_caught_up === true;
  }

  return {
    async row(accountId, name, parameters, isCurrent) {
      const found = await askReplica(async () => {
        const row = await replica.onBehalfOf(accountId).row(name, parameters);
        return isCurrent(row) ? { row } : undefined;
      });
      return found === undefined ? primary.onBehalfOf(accountId).row(name, parameters) : found.row;
    },
    async rows(accountId, name, parameters) {
      const position = health.isUp ? await positions.ask() : undefined;
      const found = await askReplica(async () =>
        (await hasReplayed(position?.wal_position))
          ? replica.onBehalfOf(accountId).rows(name, parameters)
          : undefined,
      );
      return found ?? primary.onBehalfOf(accountId).rows(name, parameters);
    },
    get hasReplica() {
      return health.isUp;
    },
    close: () => health.stop(),
  };
}

/** Rejects if the answer takes too long. */
async function inTime<Answer>(work: Promise<Answer>): Promise<Answer> {
  const answer = await within(work, REPLICA_WAIT_MS_MAX);
  if (answer === "late") throw new Error(`it did not answer within ${REPLICA_WAIT_MS_MAX} ms`);
  return answer;
}
