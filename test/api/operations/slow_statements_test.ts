import { expect, test } from "bun:test";
import { registerDatabaseMetrics } from "../../../src/api/operations/database_metrics.ts";
import { readConfig } from "../../../src/config.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { createLog } from "../../../src/lib/log.ts";
import { openDatabases } from "../../../src/postgres/open_database.ts";
import { createTestDatabase } from "../../support/database.ts";

test("a slow statement is logged by its name and pool, without its values", async () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", isReadable: false, write: (line) => lines.push(line) });
  const { url } = await createTestDatabase();
  const databases = await openDatabases(readConfig({ DATABASE_URL: url }), log);
  const register = (slowMs: number) =>
    registerDatabaseMetrics(new Metrics(), databases, { log, slowMs });
  try {
    register(60_000);
    await databases.database.row("keep_setting", { name: "secret", value: "of somebody" });
    expect(lines).toEqual([]);
    register(0);
    await databases.database.row("keep_setting", { name: "secret", value: "of somebody" });
    await expect(
      databases.operatorDatabase.row("prove_ledger", { account_id: "no uuid" }),
    ).rejects.toThrow();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", message: "slow statement", statement: "keep_setting", pool: "requests" },
      { level: "info", message: "slow statement", statement: "prove_ledger", pool: "operators" },
    ]);
    expect(lines.join()).not.toContain("somebody");
  } finally {
    await databases.close();
  }
});
