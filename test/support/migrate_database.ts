/**
 * Migrates a test database without a timeout, because other tests may keep the machine busy.
 *
 * @module
 */
import { connect } from "../../src/postgres/client/connect.ts";
import { migrate } from "../../src/postgres/migrate/migrate.ts";

export async function migrateDatabase(url: string): Promise<void> {
  const connections = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
  await migrate(connections);
  await connections.end();
}
