import { expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { present } from "../../src/lib/assert.ts";
import { createLog, type Log } from "../../src/lib/log.ts";
import { reviveEmbedded } from "../../src/postgres/embedded/revive.ts";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { startGateway } from "../../src/server.ts";
import { usedDataDir } from "../support/folders.ts";
import { whenBusy } from "../support/pace.ts";
import { isRunning } from "../support/processes.ts";

const SERVES_AGAIN_MS_MAX = 5_000;

test("a gateway serves again within 5 seconds after kill -9 of its embedded PostgreSQL", async () => {
  const dataDir = await usedDataDir();
  const config = readConfig({ PORT: "0", FEEDGATE_DATA_DIR: dataDir });
  const log = createLog({ level: "silent" });
  /** Undefined while there is no file, since a new server replaces that of the dead one. */
  const findPid = async () => {
    const file = Bun.file(join(dataDir, "pg18", "postmaster.pid"));
    const [line = ""] = (await file.text().catch(() => "")).split("\n");
    return line === "" ? undefined : Number(line);
  };
  const [gateway, peer] = [await startGateway(config, log), await startGateway(config, log)];
  const bases = [gateway.baseUrl, peer.baseUrl];
  const areReady = async () =>
    (await Promise.all(bases.map((base) => fetch(`${base}/readyz`)))).every(({ ok }) => ok);
  try {
    for (let round = 0; round < 2; round++) {
      const pid = present(await findPid());
      expect(await areReady()).toBe(true);
      process.kill(pid, "SIGKILL");
      const startMs = performance.now();
      // Sessions of the killed server may answer for a moment, until they see that it is gone.
      while ([pid, undefined].includes(await findPid()) || !(await areReady())) {
        expect(performance.now() - startMs).toBeLessThan(whenBusy(SERVES_AGAIN_MS_MAX));
        await Bun.sleep(50);
      }
    }
  } finally {
    await Promise.all([gateway.stop(), peer.stop()]);
  }
});

test("a gateway that leaves while PostgreSQL is started again ends, and PostgreSQL with it", async () => {
  const dataDir = await usedDataDir();
  const started = await startEmbedded({ dataDir });
  const died = Promise.withResolvers<void>();
  const revived: number[] = [];
  const log: Log = {
    ...createLog({ level: "silent" }),
    error: () => died.resolve(),
    info: (_message, fields) => revived.push(Number(fields?.pid)),
  };
  const leave = reviveEmbedded(started, { dataDir, log });
  process.kill(started.pid, "SIGKILL");
  await died.promise;
  await leave();
  expect(revived.map(isRunning)).toEqual([false]);
});
