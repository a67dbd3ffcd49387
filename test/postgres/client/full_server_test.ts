import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createFullServerWait } from "../../../src/postgres/client/full_server.ts";
import { createDatabase } from "../../../src/postgres/client/query.ts";
import { createTestDatabase } from "../../support/database.ts";

const ROLE = `narrow_${crypto.randomUUID().slice(0, 8)}`;
const SESSIONS = 2;

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

describe("a server without room for another session", () => {
  test("answers statements on the sessions that are open: none fails", async () => {
    const connections = connect({ url: narrowUrl });
    const database = createDatabase(connections);
    const rows = await Promise.all(
      Array.from({ length: 200 }, () => database.row("has_accounts", {})),
    );
    expect(rows).toEqual(Array(200).fill({ has_accounts: false }));
    // It was full, and said so.
    expect((await database.row("find_connection_room", {}))?.room).toBe(SESSIONS);
    await connections.end();
  });

  test("a statement waits until somebody else has left", async () => {
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
