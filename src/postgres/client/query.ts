/**
 * Named statements: `database.rows("find_key", [hash])` runs `sql/key/find_key.sql`.
 *
 * Each is prepared and pipelined. There are no transactions here on purpose: every decision on the
 * request path is one statement, and a SQL function does what needs several steps.
 *
 * At most as many statements run as there are connections. So none waits behind a slow one on the same
 * connection, where the driver would put it. A few connections are kept free for admission, which has a
 * queue of its own and never waits here. A statement waits for a bounded time, or is refused at once.
 *
 * @module
 */
import { createGate } from "../../lib/gate.ts";
import {
  DATABASE_CONNECTIONS_MAX,
  DATABASE_CONNECTIONS_SPARED,
  DATABASE_WAIT_MS_MAX,
  DATABASE_WAITING_FREE,
  DATABASE_WAITING_MAX,
  LATENESS_MAX,
} from "../../limits.ts";
import { inFunctionSet } from "../migrate/function_set.ts";
import { arrayLiteral } from "./array_literal.ts";
import type { Connections } from "./connect.ts";
import { isUnavailable } from "./failures.ts";
import { retryMisdirected } from "./retry.ts";
import { STATEMENTS, type StatementTypes } from "./statements.ts";

export type StatementName = keyof StatementTypes & keyof typeof STATEMENTS;
export type Parameters<Name extends StatementName> = StatementTypes[Name]["parameters"];
export type Row<Name extends StatementName> = StatementTypes[Name]["row"];

/** Named statements over one pool. */
export interface Database {
  /** All rows of a statement. @throws {DatabaseUnavailableError} where PostgreSQL can't be reached. */
  rows<Name extends StatementName>(name: Name, parameters: Parameters<Name>): Promise<Row<Name>[]>;
  /** The first row, or undefined. */
  row<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name> | undefined>;
  readonly connections: Connections;
  /** Statements sent so far, for metrics. */
  readonly statementCount: number;
  /** Statements that run, those of admission left out, and that wait for a connection. */
  readonly running: number;
  readonly waiting: number;
}

export interface DatabaseOptions {
  /** Statements that run at once; the others wait, or are refused. @default by DATABASE_CONNECTIONS_MAX */
  readonly runningMax?: number;
}

/** PostgreSQL can't be reached, or went away under the statement: the caller may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

/** More statements wait than the database can run in time; nothing was sent. */
export class DatabaseOverloadedError extends DatabaseUnavailableError {
  constructor() {
    super("more statements wait than the database can run in time");
  }
}

/** Unbounded here, because their callers already limit how many they send. */
const UNGATED: ReadonlySet<StatementName> = new Set([
  "grant_read",
  "admit",
  "refund_reads",
  "ping",
] as const);
const RUNNING_MAX = DATABASE_CONNECTIONS_MAX - DATABASE_CONNECTIONS_SPARED;
/** The texts that are sent: each calls this program's functions. */
const TEXTS = Object.fromEntries(
  Object.entries(STATEMENTS).map(([name, text]) => [name, inFunctionSet(text)]),
) as Readonly<Record<StatementName, string>>;

export function createDatabase(
  connections: Connections,
  { runningMax = RUNNING_MAX }: DatabaseOptions = {},
): Database {
  const gate = createGate({
    runningMax,
    waitingMax: DATABASE_WAITING_MAX,
    waitMsMax: DATABASE_WAIT_MS_MAX,
    waitingFree: DATABASE_WAITING_FREE,
    latenessMax: LATENESS_MAX,
  });
  let statementCount = 0;
  function run(name: StatementName, parameters: readonly unknown[]) {
    statementCount += 1;
    // Without `simple: false` a statement without parameters would not be prepared.
    const options = { prepare: true, simple: false } as const;
    return connections.unsafe(
      TEXTS[name],
      parameters.map(serverTyped) as never[],
      options as never,
    );
  }
  async function send(name: StatementName, parameters: readonly unknown[]) {
    try {
      return await retryMisdirected(() => run(name, parameters));
    } catch (error) {
      throw isUnavailable(error) ? unavailable(error) : error;
    }
  }
  async function rows(name: StatementName, parameters: readonly unknown[]) {
    if (UNGATED.has(name)) return send(name, parameters);
    const entered = gate.enter();
    if (!(entered === true || (await entered))) throw new DatabaseOverloadedError();
    const startedMs = performance.now();
    try {
      return await send(name, parameters);
    } finally {
      gate.leave(performance.now() - startedMs);
    }
  }
  return {
    rows: rows as unknown as Database["rows"],
    row: (async (name: StatementName, parameters: readonly unknown[]) =>
      (await rows(name, parameters))[0]) as Database["row"],
    connections,
    get statementCount() {
      return statementCount;
    },
    get running() {
      return gate.running;
    },
    get waiting() {
      return gate.waiting;
    },
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

function unavailable(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError("the database can't be reached", { cause });
}
