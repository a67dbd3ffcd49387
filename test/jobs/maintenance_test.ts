import { expect, test } from "bun:test";
import { startMaintenance } from "../../src/jobs/maintenance.ts";
import { createLog } from "../../src/lib/log.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { createTestDatabase } from "../support/database.ts";

test("steps follow while more is left, a failing job holds up no other, and none begins after the stop", async () => {
  const connections = connect((await createTestDatabase()).address, {
    connectionsMax: 1,
    statementTimeoutMs: 0,
  });
  const lines: string[] = [];
  let steps = 0;
  let failures = 0;
  const maintenance = startMaintenance({
    database: createDatabase(connections),
    log: createLog({ level: "warn", isReadable: false, write: (line) => lines.push(line) }),
    firstTurnMsMin: 0,
    jobs: [
      {
        name: "failing",
        everyMs: 20,
        step: async () => {
          failures += 1;
          throw new Error("on purpose");
        },
      },
      {
        name: "long",
        everyMs: 50,
        step: async () => {
          steps += 1;
          return steps < 5;
        },
      },
    ],
  });
  while (steps < 6) await Bun.sleep(5);
  await maintenance.stop();
  const [ran, failed] = [steps, failures];
  await Bun.sleep(100);
  expect([steps, failures]).toEqual([ran, failed]);
  expect(failed).toBeGreaterThan(1);
  expect(JSON.parse(lines[0] as string)).toMatchObject({ level: "warn", job: "failing" });
  await connections.end();
});
