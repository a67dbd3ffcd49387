import { expect, test } from "bun:test";
import { connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { createTestDatabase } from "../../support/database.ts";
import { lockWaiters } from "../../support/lock_waiters.ts";

test("a named statement that lost a deadlock is sent again, and its caller only waits", async () => {
  const { ownUrl } = await createTestDatabase();
  const database = createDatabase(
    connect({ url: ownUrl }, { connectionsMax: 1, statementTimeoutMs: 0 }),
  );
  const other = connect({ url: ownUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
  // PostgreSQL looks once, so late that both wait by then, and it is the statement that gives up.
  await database.connections`set deadlock_timeout = '3s'`;
  await other`set deadlock_timeout = '1h'`;
  await other`begin`;
  await other`lock table accounts in access exclusive mode`;
  // It locks feeds, and then waits for accounts.
  const finding = database.row("find_feed_row", {
    feed_id: UNKNOWN_ID,
    endpoint_path: null,
    active_only: false,
    reader_id: null,
  });
  await lockWaiters(other);
  await other`lock table feeds in access exclusive mode`;
  await other`rollback`;
  expect(await finding).toBeUndefined();
  // It may have met the other transaction once more.
  expect(database.failures.get("40P01")).toBeGreaterThanOrEqual(1);
  await Promise.all([database.connections.end(), other.end()]);
});
