import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import { createFullServerWait } from "../../../src/postgres/client/full_server.ts";
import { openSnapshotAt } from "../../../src/postgres/client/snapshot.ts";
import { createTestDatabase } from "../../support/database.ts";
import { waitFor } from "../../support/processes.ts";

const ROLE = `narrow_${crypto.randomUUID().slice(0, 8)}`;
const SESSIONS = 2;
/** More than there are sessions, and few enough to wait for their turn on a busy machine. */
const STATEMENTS = 20;

let owner: Connections;
let narrowUrl: string;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  owner = connect({ url }, { connectionsMax: 1 });
  // Refused with the SQLSTATE of a server that is full: 53300.
  await owner.unsafe(`create role ${ROLE} login connection limit ${SESSIONS}`);
  await owner.unsafe(`grant usage on schema public to ${ROLE}`);
  await owner.unsafe(`grant select on all tables in schema public to ${ROLE}`);
  const narrow = new URL(url);
  narrow.username = ROLE;
  narrowUrl = narrow.href;
});

afterAll(async () => {
  await owner.unsafe(`drop owned by ${ROLE}`);
  await owner.unsafe(`drop role ${ROLE}`);
  await owner.end();
});

/** Sessions that were closed are counted until the server has ended them. */
async function noneIsOpen(): Promise<void> {
  const isNone = async () => {
    const [row] = await owner`
      select count(*)::int as open from pg_stat_activity where usename = ${ROLE}`;
    return row?.open === 0;
  };
  expect(await waitFor(isNone, 20_000)).toBe(true);
}

describe("a server without room for another session", () => {
  test("answers statements on the sessions that are open: none fails", async () => {
    const connections = connect({ url: narrowUrl });
    const database = createDatabase(connections);
    const rows = await Promise.all(
      Array.from({ length: STATEMENTS }, () => database.row("has_accounts", {})),
    );
    expect(rows).toEqual(Array(STATEMENTS).fill({ has_accounts: false }));
    // It was full, and said so.
    expect((await database.row("find_connection_room", {}))?.room).toBe(SESSIONS);
    await connections.end();
  });

  test("a statement waits until somebody else has left", async () => {
    await noneIsOpen();
    const holders = connect({ url: narrowUrl }, { connectionsMax: SESSIONS });
    const held = await Promise.all(Array.from({ length: SESSIONS }, () => holders.reserve()));
    const connections = connect({ url: narrowUrl });
    const database = createDatabase(connections);
    const answered = database.row("has_accounts", {});
    for (const session of held) session.release();
    await holders.end();
    expect(await answered).toEqual({ has_accounts: false });
    await connections.end();
  });

  test("lets a session with a snapshot wait until somebody else has left", async () => {
    await noneIsOpen();
    const holders = connect({ url: narrowUrl }, { connectionsMax: SESSIONS });
    const held = await Promise.all(Array.from({ length: SESSIONS }, () => holders.reserve()));
    const opened = openSnapshotAt({ url: narrowUrl }, undefined);
    opened.catch(() => {});
    // It is refused by now.
    await Bun.sleep(100);
    for (const session of held) session.release();
    await holders.end();
    const snapshot = await opened;
    expect(await snapshot.row("has_accounts", {})).toEqual({ has_accounts: false });
    await snapshot.end();
  });

  test("fails a statement that has waited for too long", async () => {
    const sendWhenFree = createFullServerWait({ waitMsMax: 0 });
    const full = Object.assign(new Error("sorry, too many clients already"), { code: "53300" });
    let sent = 0;
    const answered = sendWhenFree(
      () => {
        sent += 1;
        return Promise.reject(full);
      },
      () => {},
    );
    expect(await answered.catch((error) => error)).toBe(full);
    expect(sent).toBeLessThanOrEqual(2);
  });
});
