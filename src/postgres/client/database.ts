/**
 * Named statements: `database.rows("find_key", { key_hash })` runs `sql/admission/find_key.sql`.
 *
 * Statements are prepared and pipelined. There are deliberately no transactions: every decision on the request path is
 * one statement, and a SQL function does what needs several steps.
 *
 * No more statements run than there are connections. Otherwise the driver would queue a statement after a slow one on
 * the same connection. A few connections are reserved for admission, which has its own queue and never waits here. A
 * statement waits for a bounded time, or is refused immediately.
 *
 * Accounts take turns, each on at most half of the connections. The time of their statements is taken from the
 * account's budget (`time_budget.ts`), even if they fail. An account that has used much runs one statement at a time.
 * So no account's reads delay another's.
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
  /** Queries in the account's turn and on its budget. @throws {DatabaseTimeSpentError} if the budget is spent. */
  onBehalfOf(accountId: string): Queries;
  /**
   * Runs related statements one after another. Only the first one waits for its turn, so that no statement after a
   * write is refused because of load. @throws {DatabaseOverloadedError} before the first is sent.
   */
  inOneTurn<Result>(run: (queries: Queries) => Promise<Result>): Promise<Result>;
  readonly connections: Connections;
  /** Statements sent so far, for metrics. */
  readonly statementCount: number;
  /** Running statements, except those of admission. `waiting`: statements that wait for a connection. */
  readonly running: number;
  readonly waiting: number;
  /** Statements that failed, by SQLSTATE, or by the code of the driver or the socket. */
  readonly failures: ReadonlyMap<string, number>;
  /** Tells how long each statement takes from now on, in ms, whether it succeeds or fails. */
  observe(observer: StatementObserver): void;
  /** When a statement last failed because the disk is full, by the monotonic clock. Undefined if none has. */
  readonly diskFullMs: number | undefined;
}

/** `ms`: from sending the statement to its last row, with repeats, without waiting for room on a full server. */
export type StatementObserver = (name: StatementName, ms: number) => void;

/** The account for the gateway's own statements. It has no budget. */
export const GATEWAY = "";

export interface DatabaseOptions {
  /** Milliseconds of the database's time that an account may use per minute. @default LIMITS_DEFAULT.databaseMs */
  readonly accountMsMax?: number;
  /** Statements that run at the same time. Others wait or are refused. @default by DATABASE_CONNECTIONS_MAX */
  readonly runningMax?: number;
  /** How long a statement may wait for its turn, in ms. @default DATABASE_WAIT_MS_MAX */
  readonly waitMsMax?: number | undefined;
}

/** PostgreSQL can't be reached, or disconnected during the statement. The caller may retry. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** More statements are waiting than the database can run in time. Nothing was sent. */
export class DatabaseOverloadedError extends DatabaseUnavailableError {
  constructor() {
    super("more statements wait than the database can run in time");
  }
}

/** The account has used its share of the database's time. Nothing was sent. */
export class DatabaseTimeSpentError extends Error {
  override readonly name = "DatabaseTimeSpentError";

  constructor(
    /** Until the budget has room again. */
    readonly retryAfterMs: number,
    /** The account's budget per minute. */
    readonly budgetMs: number,
  ) {
    super("the account has taken its share of the database's time");
  }
}

/** Not limited here, because their callers already limit how many they send. */
const UNLIMITED: ReadonlySet<StatementName> = new Set([
  "log_reads",
  "prove_calls",
  "refund_reads",
  "ping",
  "list_findings",
] as const);
const RUNNING_MAX = DATABASE_CONNECTIONS_MAX - DATABASE_CONNECTIONS_SPARED;
/** The statement texts to send. Each calls this program's functions. */
const TEXTS = mapTable<StatementName, string, string>(STATEMENTS, inFunctionSet);

/** All rows of a statement in its own session, for work that needs one snapshot. */
export async function rowsInSession<Name extends StatementName>(
  session: Pick<Connections, "unsafe">,
  name: Name,
  parameters: Parameters<Name>,
): Promise<Row<Name>[]> {
  const values = ARGUMENTS[name](parameters).map(serverTyped) as never[];
  const rows: unknown = await session.unsafe(TEXTS[name], values);
  // As in `createDatabase`, the columns were generated.
  return rows as Row<Name>[];
}

export function createDatabase(
  connections: Connections,
  {
    runningMax = RUNNING_MAX,
    accountMsMax = LIMITS_DEFAULT.databaseMs,
    waitMsMax = DATABASE_WAIT_MS_MAX,
  }: DatabaseOptions = {},
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
    waitMsMax,
    waitingFree: DATABASE_WAITING_FREE,
    latenessMax: LATENESS_MAX,
  });
  let statementCount = 0;
  const failures = new Map<string, number>();
  let diskFullMs: number | undefined;
  let observer: StatementObserver | undefined;
  const sendWhenFree = createFullServerWait({ waitMsMax: DATABASE_FULL_WAIT_MS_MAX });
  /**
   * Each statement is its own transaction. If it was rolled back because of concurrent statements, it changed nothing
   * and is sent again.
   */
  async function send<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
    onEnd: (ms: number) => void = () => {},
  ) {
    const startedMs = performance.now();
    let waitedMs = 0;
    try {
      return await retryRolledBack(() =>
        sendOnce(name, parameters, (ms) => {
          waitedMs += ms;
        }),
      );
    } finally {
      const ms = performance.now() - startedMs - waitedMs;
      observer?.(name, ms);
      onEnd(ms);
    }
  }
  async function sendOnce<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
    onWaited: (ms: number) => void,
  ) {
    // Without `simple: false`, a statement without parameters would not be prepared. The driver's types don't include
    // that option or our parameter types, hence the casts.
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
      let isLost = false;
      let tookMs = 0;
      try {
        return await send(name, parameters, (ms) => {
          tookMs = ms;
        });
      } catch (error) {
        // If a stopped server never answered the statement, its time counts toward no budget.
        isLost = error instanceof DatabaseUnavailableError && mayBeCommitted(error);
        throw error;
      } finally {
        if (accountId !== GATEWAY && !isLost) budget.spend(accountId, tookMs, performance.now());
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
    observe(told) {
      observer = told;
    },
    get diskFullMs() {
      return diskFullMs;
    },
  };
}

/** Which columns belong to which statement is generated, and checked by a test, not here. */
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
 * Sends bigints and arrays as text, so that PostgreSQL converts them to the type that the statement expects. The driver
 * would choose a type by itself, for an array by its first element.
 */
function serverTyped(parameter: unknown): unknown {
  if (Array.isArray(parameter)) return arrayLiteral(parameter);
  return typeof parameter === "bigint" ? String(parameter) : parameter;
}
