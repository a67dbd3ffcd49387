/**
 * A session of its own that sees one snapshot of the database as long as it is open.
 *
 * While a long copy has its snapshot open, PostgreSQL keeps all row versions since then. Callers must therefore limit
 * its time.
 *
 * @module
 */
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { DATABASE_FULL_WAIT_MS_MAX } from "../../limits.ts";
import type { DatabaseAddress } from "./address.ts";
import { connect } from "./connect.ts";
import type { StatementName } from "./database.ts";
import { DatabaseUnavailableError, type Parameters, type Row, rowsInSession } from "./database.ts";
import { isUnavailable } from "./failures.ts";
import { createFullServerWait } from "./full_server.ts";
import type { Survey } from "./survey.ts";

export interface Snapshot {
  /** The first row of a statement, or undefined. @throws {DatabaseUnavailableError} */
  row<Name extends StatementName>(
    name: Name,
    parameters: Parameters<Name>,
  ): Promise<Row<Name> | undefined>;
  /** All rows. @throws {DatabaseUnavailableError} */
  rows<Name extends StatementName>(name: Name, parameters: Parameters<Name>): Promise<Row<Name>[]>;
  /** The rows of a query as CSV without quotes. For one column of compact JSON, these are its texts, one per line. */
  copyLines(query: string): Promise<Readable>;
  /** Closes the session immediately, whatever it is doing. */
  end(): Promise<void>;
}

/**
 * Opens a session, and takes its snapshot with the first statement. If the server has no room for it, waits until
 * another session has ended. @throws {DatabaseUnavailableError}
 */
export async function openSnapshotAt(
  address: DatabaseAddress,
  survey: Survey | undefined,
): Promise<Snapshot> {
  let socket: Socket | undefined;
  const onSocket = (opened: Socket) => {
    socket = opened;
  };
  const pool = connect(address, { connectionsMax: 1, statementTimeoutMs: 0, survey, onSocket });
  const end = async () => {
    // The driver would wait until the server has sent everything, although it is no longer needed.
    socket?.destroy();
    await pool.end({ timeout: 0 });
  };
  const whenFree = createFullServerWait({ waitMsMax: DATABASE_FULL_WAIT_MS_MAX });
  try {
    // Reserved, so that a connection that dies is not replaced by one with another snapshot.
    const session = await reported(() =>
      whenFree(
        () => pool.reserve(),
        () => {},
      ),
    );
    await reported(async () => {
      await session.unsafe("begin isolation level repeatable read read only");
      // Rows are read in index order, even if the statistics say that there are few.
      await session.unsafe("set local enable_seqscan = off");
      await session.unsafe("set local enable_sort = off");
    });
    const rows: Snapshot["rows"] = (name, parameters) =>
      reported(() => rowsInSession(session, name, parameters));
    return {
      rows,
      row: async (name, parameters) => (await rows(name, parameters))[0],
      copyLines: (query) =>
        reported(() =>
          session
            // Compact JSON contains neither of these two characters, so nothing is quoted or escaped.
            .unsafe(
              `copy (${query}) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`,
            )
            .readable(),
        ),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function reported<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new DatabaseUnavailableError("the database can't be reached", { cause: error });
  }
}
