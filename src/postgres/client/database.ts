/**
 * Named statements: `database.rows("find_key", { key_hash })` runs `sql/admission/find_key.sql`.
 *
 * Each is prepared and pipelined. There are no transactions here on purpose: every decision on the
 * request path is one statement, and a SQL function does what needs several steps.
 *
 * At most as many statements run as there are connections. Otherwise the driver would put a statement behind a slow
 * one on the same connection. A few connections are kept free for admission, which has a
 * queue of its own and never waits here. A statement waits for a bounded time, or is refused at once.
 *
 * Statements of an account take turns with those of others, on at most half of the connections. Their time is taken
 * from the account's budget (`time_budget.ts`), even if they fail. An account that has taken much runs one statement
 * at a time. So no account's reads delay another's.
 *
 * @module
 */

import { codeOf } from "../../lib/error_fields.ts";
import { mapTable } from "../../lib/records.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import {
  DATABASE_CONNECTIONS_MAX,
  DATABASE_CONNECTIONS_SPARED,
  DATABASE_FULL_WAIT_MS_MAX,
  DATABASE_HEAVY_MS,
  DATABASE_WAIT_MS_MAX,
  DATABASE_WAITING_FREE,
  DATABASE_WAITING_MAX,
  KNOWN_BUDGETS_MAX,
  LATENESS_MAX,
  LIMITS_DEFAULT,
} from "../../limits.ts";
import { ARGUMENTS, STATEMENTS, type StatementTypes } from "../generated/statements.ts";
import { inFunctionSet } from "../migrate/function_set.ts";
import { arrayLiteral } from "./array_literal.ts";
import type { Connections } from "./connect.ts";
import { isDiskFull, isUnavailable, mayBeCommitted } from "./failures.ts";
import { createFullServerWait } from "./full_server.ts";
import { retryMisdirected, retryRolledBack } from "./retry_statement.ts";
import { createTimeBudget } from "./time_budget.ts";

export type StatementName = keyof StatementTypes & keyof typeof STATEMENTS;
export type Parameters<Name extends StatementName> = StatementTypes[Name]["parameters"];
export type Row<Name extends StatementName> = StatementTypes[Name]["row"];

export interface Queries {
  /** All rows of a statement. @throws {DatabaseUnavailableError} if PostgreSQL can't be reached. */
  rows<Name extends StatementName>(name: Name, parameters: Parameters<Name>): Promise<Row<Name>[]>;
  /** The first row, or undefined. */
  row<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name> | undefined>;
}

/** Named statements over one pool. */
export interface Database extends Queries {
  /** Queries in the account's turn and on its budget. @throws {DatabaseTimeSpentError} if that is spent. */
  onBehalfOf(accountId: string): Queries;
  /**
   * Statements that belong together and run one after the other: only the first one waits for its turn. So none that
   * follows a write is refused because others wait. @throws {DatabaseOverloadedError} before the first is sent.
   */
  inOneTurn<Result>(run: (queries: Queries) => Promise<Result>): Promise<Result>;
  readonly connections: Connections;
  /** Statements sent so far, for metrics. */
  readonly statementCount: number;
  /** Statements that run, except those of admission, and statements that wait for a connection. */
  readonly running: number;
  readonly waiting: number;
  /** Statements that failed, by SQLSTATE, or by the code of the driver or the socket. */
  readonly failures: ReadonlyMap<string, number>;
  /** When a statement last failed because the disk is full, by the monotonic clock; undefined if none has. */
  readonly diskFullMs: number | undefined;
}

/** The account of what the gateway does for everybody. It has no budget. */
export const GATEWAY = "";

export interface DatabaseOptions {
  /** How much of the database's time an account may take in a minute, in milliseconds. @default LIMITS_DEFAULT.databaseMs */
  readonly accountMsMax?: number;
  /** Statements that run at once. The others wait or are refused. @default by DATABASE_CONNECTIONS_MAX */
  readonly runningMax?: number;
}

/** PostgreSQL can't be reached, or went away under the statement: the caller may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** More statements wait than the database can run in time. Nothing was sent. */
export class DatabaseOverloadedError extends DatabaseUnavailableError {
  constructor() {
    super("more statements wait than the database can run in time");
  }
}

/** The account has taken its share of the database's time. Nothing was sent. */
export class DatabaseTimeSpentError extends Error {
  override readonly name = "DatabaseTimeSpentError";

  constructor(
    /** Until its budget has room again. */
    readonly retryAfterMs: number,
    /** What it may take in a minute. */
    readonly budgetMs: number,
  ) {
    super("the account has taken its share of the database's time");
  }
}

/** Unbounded here, because their callers already limit how many they send. */
const UNLIMITED: ReadonlySet<StatementName> = new Set([
  "log_reads",
  "prove_calls",
  "refund_reads",
  "ping",
  "list_findings",
] as const);
const RUNNING_MAX = DATABASE_CONNECTIONS_MAX - DATABASE_CONNECTIONS_SPARED;
/** The texts that are sent: each calls this program's functions. */
const TEXTS = mapTable<StatementName, string, string>(STATEMENTS, inFunctionSet);

/** All rows of a statement on a session of its own, for work that needs one snapshot. */
export async function rowsInSession<Name extends StatementName>(
  session: Pick<Connections, "unsafe">,
  name: Name,
  parameters: Parameters<Name>,
): Promise<Row<Name>[]> {
  const values = ARGUMENTS[name](parameters).map(serverTyped) as never[];
  const rows: unknown = await session.unsafe(TEXTS[name], values);
  // As in `createDatabase`: the columns were generated.
  return rows as Row<Name>[];
}

export function createDatabase(
  connections: Connections,
  { runningMax = RUNNING_MAX, accountMsMax = LIMITS_DEFAULT.databaseMs }: DatabaseOptions = {},
): Database {
  const budget = createTimeBudget(accountMsMax, KNOWN_BUDGETS_MAX);
  const semaphore = createSemaphore({
    runningMax,
    ownerRunningMax(accountId) {
      if (accountId === GATEWAY) return runningMax;
      const isHeavy = budget.spentMs(accountId, performance.now()) > DATABASE_HEAVY_MS;
      return isHeavy ? 1 : Math.ceil(runningMax / 2);
    },
    waitingMax: DATABASE_WAITING_MAX,
    waitMsMax: DATABASE_WAIT_MS_MAX,
    waitingFree: DATABASE_WAITING_FREE,
    latenessMax: LATENESS_MAX,
  });
  let statementCount = 0;
  const failures = new Map<string, number>();
  let diskFullMs: number | undefined;
  const sendWhenFree = createFullServerWait({ waitMsMax: DATABASE_FULL_WAIT_MS_MAX });
  /** A statement is a transaction of its own: rolled back for others' sake, it has left nothing, and is sent again. */
  function send<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
    onWaited: (ms: number) => void = () => {},
  ) {
    return retryRolledBack(() => sendOnce(name, parameters, onWaited));
  }
  async function sendOnce<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
    onWaited: (ms: number) => void,
  ) {
    // Without `simple: false` a statement without parameters would not be prepared. The driver's types know
    // neither that option nor our types of parameters, hence the casts.
    const options = { prepare: true, simple: false } as never;
    const values = ARGUMENTS[name](parameters).map(serverTyped) as never[];
    statementCount += 1;
    try {
      return await sendWhenFree(
        () => retryMisdirected(async () => connections.unsafe(TEXTS[name], values, options)),
        onWaited,
      );
    } catch (error) {
      const code = codeOf(error) ?? "unknown";
      failures.set(code, (failures.get(code) ?? 0) + 1);
      if (isDiskFull(error)) diskFullMs = performance.now();
      if (!isUnavailable(error)) throw error;
      throw new DatabaseUnavailableError("the database can't be reached", { cause: error });
    }
  }
  function queriesOf(accountId: string): Queries {
    async function rows<Name extends StatementName>(name: Name, parameters: Parameters<Name>) {
      if (UNLIMITED.has(name)) return send(name, parameters);
      const waitMs = accountId === GATEWAY ? 0 : budget.waitMs(accountId, performance.now());
      if (waitMs > 0) throw new DatabaseTimeSpentError(waitMs, accountMsMax);
      using permit = await semaphore.acquire(accountId);
      if (permit === undefined) throw new DatabaseOverloadedError();
      const startedMs = performance.now();
      let isLost = false;
      let waitedMs = 0;
      try {
        return await send(name, parameters, (ms) => {
          waitedMs += ms;
        });
      } catch (error) {
        // If a stopped server never answered the statement, its time is taken from nobody's budget.
        isLost = error instanceof DatabaseUnavailableError && mayBeCommitted(error);
        throw error;
      } finally {
        const nowMs = performance.now();
        if (accountId !== GATEWAY && !isLost)
          budget.spend(accountId, nowMs - startedMs - waitedMs, nowMs);
      }
    }
    return typed(rows);
  }
  return {
    ...queriesOf(GATEWAY),
    onBehalfOf: queriesOf,
    async inOneTurn(run) {
      using permit = await semaphore.acquire(GATEWAY);
      if (permit === undefined) throw new DatabaseOverloadedError();
      return await run(typed((name, parameters) => send(name, parameters)));
    },
    connections,
    get statementCount() {
      return statementCount;
    },
    get running() {
      return semaphore.running;
    },
    get waiting() {
      return semaphore.waiting;
    },
    failures,
    get diskFullMs() {
      return diskFullMs;
    },
  };
}

/** Which columns belong to which statement was generated, and is checked by a test, not here. */
function typed(
  rows: <Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
  ) => Promise<unknown[]>,
): Queries {
  return {
    rows: rows as unknown as Queries["rows"],
    row: (async (name, parameters) => (await rows(name, parameters))[0]) as Queries["row"],
  };
}

/**
 * Sends bigints and arrays as text, so that PostgreSQL gives them the type that the statement asks for.
 * The driver would choose a type by itself, for an array by its first element.
 */
function serverTyped(parameter: unknown): unknown {
  if (Array.isArray(parameter)) return arrayLiteral(parameter);
  return typeof parameter === "bigint" ? String(parameter) : parameter;
}
