import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { findDurabilityFault } from "../../src/postgres/durability.ts";
import { startGateway } from "../../src/server.ts";
import { createTestDatabase } from "../support/database.ts";

const SOUND = {
  synchronous_commit: "on",
  fsync: "on",
  full_page_writes: "on",
  standby_names: "",
};

describe("whether commits survive", () => {
  test.each([
    [{}, false, undefined],
    [{ synchronous_commit: "off" }, false, "bad"],
    [{ synchronous_commit: "off", fsync: "off" }, false, "bad"],
    [{ fsync: "off" }, false, "low"],
    [{ full_page_writes: "off" }, false, "low"],
    [{}, true, "low"],
    [{ standby_names: "*" }, true, undefined],
    [{ standby_names: "*", synchronous_commit: "remote_apply" }, true, undefined],
    [{ standby_names: "*", synchronous_commit: "local" }, false, "low"],
    [{ standby_names: "*", synchronous_commit: "remote_write" }, true, "low"],
    [{ synchronous_commit: "local" }, false, undefined],
  ] as const)("%j, with several hosts: %p: %p", (changed, hasStandbys, health) => {
    expect(findDurabilityFault({ ...SOUND, ...changed }, { hasStandbys })?.health).toBe(health);
  });
});

test("a database behind a pooler that commits without waiting is named at the start, and not ready", async () => {
  const { url } = await createTestDatabase();
  const owner = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
  const name = new URL(url).pathname.slice(1);
  await owner`alter database ${owner(name)} set synchronous_commit = off`;
  await owner.end();
  const lines: string[] = [];
  const log = createLog({ level: "warn", isReadable: false, write: (line) => lines.push(line) });
  const config = readConfig({ PORT: "0", DATABASE_URL: url, DATABASE_POOLED: "true" });
  const gateway = await startGateway(config, log, { closingNoticeMs: 0, hasJobs: false });
  try {
    expect(lines.join("\n")).toContain("synchronous_commit is off");
    const answer = await fetch(`${gateway.baseUrl}/readyz`);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain("feedgate doctor");
  } finally {
    await gateway.stop();
  }
});
