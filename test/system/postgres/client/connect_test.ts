import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { connect } from "../../../../src/postgres/client/connect.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { connectTo, throughLink } from "../../../support/database_link.ts";

test("an idle session whose answers came in pieces is not closed as silent", async () => {
  const url = (await createTestDatabase()).url;
  const link = createServer((client) => {
    const server = connectTo(url);
    client.pipe(server);
    let passed = Promise.resolve();
    server.on("data", (bytes: Buffer) => {
      passed = passed.then(async () => {
        client.write(bytes.subarray(0, -3));
        await Bun.sleep(5);
        client.write(bytes.subarray(-3));
      });
    });
  });
  await new Promise<void>((resolve) => link.listen(0, "127.0.0.1", resolve));
  const sql = connect(
    { url: throughLink(url, link) },
    { connectionsMax: 1, statementTimeoutMs: 1_000 },
  );
  const sessionOf = async () => (await sql`select pg_backend_pid() as pid`)[0]?.pid as number;
  const first = await sessionOf();
  // Longer than a session may be silent that owes an answer.
  await Bun.sleep(2_900);
  expect(await sessionOf()).toBe(first);
  await sql.end();
  link.close();
});
