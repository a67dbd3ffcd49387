/**
 * A standalone program: `serve --workers 2` on a free port, whose workers count as hung after two seconds. Prints the
 * base URL, then logs to standard error until it receives a signal.
 *
 * @module
 */

import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { isWorker } from "../../src/workers/channel_messages.ts";
import { startWorkers } from "../../src/workers/supervisor.ts";
import { runWorker } from "../../src/workers/worker.ts";

async function supervise(): Promise<number> {
  const signalled = new Promise((resolve) => process.once("SIGTERM", resolve));
  const { baseUrl, stop } = await startWorkers({
    config: readConfig({ ...process.env, PORT: "0" }),
    log: createLog({ level: "info" }),
    count: 2,
    heartbeat: { everyMs: 400, missedMax: 4 },
  });
  console.log(baseUrl);
  await signalled;
  await stop();
  return 0;
}

process.exit(await (isWorker(process.argv) ? runWorker() : supervise()));
