/**
 * Named statements: `database.rows("find_key", [hash])` runs `sql/key/find_key.sql`.
 *
 * Each is prepared and pipelined. There is no transaction here on purpose: every decision on the
 * request path is one statement, and what needs an order of steps is a SQL function.
 *
 * @module
 */
import type { Connections } from "./connect.ts";
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
  /** Rows in chunks, in constant memory. */
  chunks<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
  ): AsyncIterable<Row<Name>[]>;
  /** Ends every connection, after what is in flight. */
  close(): Promise<void>;
  readonly connections: Connections;
  /** Statements sent so far, for metrics. */
  readonly statementCount: number;
}

/** PostgreSQL can't be reached, or went away under the statement: the caller may try again. */
export class DatabaseUnavailableError extends Error {
  override readonly name = "DatabaseUnavailableError";
}

const CHUNK_ROWS = 1_000;
const CLOSE_TIMEOUT_SECONDS = 5;

// Codes of the driver and of the socket, and SQLSTATE classes 08 (connection), 53 (resources)
// and 57P (operator intervention).
const UNAVAILABLE_CODES = new Set([
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EACCES",
  "57P01",
  "57P02",
  "57P03",
  "57014",
  "55P03",
  "25006",
]);

export function isUnavailable(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && (UNAVAILABLE_CODES.has(code) || /^(08|53)/.test(code));
}

/** The name of the constraint that refused a write, or undefined. */
export function violatedConstraint(error: unknown): string | undefined {
  const name = (error as { constraint_name?: unknown } | null)?.constraint_name;
  return typeof name === "string" ? name : undefined;
}

export function createDatabase(connections: Connections): Database {
  let statementCount = 0;
  function run(name: StatementName, parameters: readonly unknown[]) {
    statementCount += 1;
    // Without `simple: false` a statement without parameters would not be prepared.
    const options = { prepare: true, simple: false } as const;
    return connections.unsafe(
      STATEMENTS[name],
      parameters.map(serverTyped) as never[],
      options as never,
    );
  }
  async function rows(name: StatementName, parameters: readonly unknown[]) {
    try {
      return await run(name, parameters);
    } catch (error) {
      throw isUnavailable(error) ? unavailable(error) : error;
    }
  }
  return {
    rows: rows as unknown as Database["rows"],
    row: (async (name: StatementName, parameters: readonly unknown[]) =>
      (await rows(name, parameters))[0]) as Database["row"],
    chunks: ((name: StatementName, parameters: readonly unknown[]) =>
      run(name, parameters).cursor(CHUNK_ROWS)) as unknown as Database["chunks"],
    close: () => connections.end({ timeout: CLOSE_TIMEOUT_SECONDS }),
    connections,
    get statementCount() {
      return statementCount;
    },
  };
}

/**
 * The driver declares a bigint's type by itself, and for an array that of its first element; as text
 * the parameter gets the type that the statement has there.
 */
function serverTyped(parameter: unknown): unknown {
  if (Array.isArray(parameter)) return parameter.map(serverTyped);
  return typeof parameter === "bigint" ? String(parameter) : parameter;
}

function unavailable(cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError("the database can't be reached", { cause });
}
