/**
 * `stop`: stops the gateways of a data folder, wherever they were started, as Ctrl-C would. npx does not forward
 * signals, so there may be no other means to stop a gateway that runs in the background.
 *
 * @module
 */
import { hostname } from "node:os";
import { resolve } from "node:path";
import { codeOf } from "../../lib/error_fields.ts";
import { DRAIN_MS_MAX } from "../../limits.ts";
import { listGateways, type RunningGateway } from "../../postgres/embedded/gateways.ts";
import { defineCommand, RefusedError } from "../command.ts";

const POLL_MS = 20;
/** Twice the maximum duration of a drain. */
const WAIT_MS_MAX = 2 * DRAIN_MS_MAX;

/** The command `stop`. */
export const stop = defineCommand({
  words: "stop",
  about: "stop the gateways that use the data folder, and its PostgreSQL",
  options: {},
  run: async ({ config: { databaseUrl, dataDir } }) => {
    if (databaseUrl !== undefined) {
      throw new RefusedError(
        "gateways are found by their data folder, which is not used with DATABASE_URL: send SIGTERM, or stop the service",
      );
    }
    const running = listGateways(dataDir);
    const elsewhere = running.find(({ host }) => host !== hostname());
    if (elsewhere !== undefined) {
      throw new RefusedError(
        `the gateway with pid ${elsewhere.pid} runs on ${elsewhere.host}: stop it there`,
      );
    }
    for (const { pid } of running) signal(pid);
    await untilEnded(running);
    const pids = running.map(({ pid }) => pid);
    return {
      json: JSON.stringify({ stopped: pids }),
      text:
        pids.length === 0
          ? `no gateway is running with ${resolve(dataDir)}`
          : `stopped ${pids.map((pid) => `the gateway with pid ${pid}`).join(" and ")}`,
    };
  },
});

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGTERM");
  } catch (error) {
    // The process has just ended.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

async function untilEnded(gateways: readonly RunningGateway[]): Promise<void> {
  const untilMs = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const pids = gateways.filter((each) => !each.hasEnded()).map(({ pid }) => pid);
    if (pids.length === 0) return;
    if (performance.now() > untilMs) {
      throw new RefusedError(
        `the gateway with pid ${pids.join(", ")} did not stop within ${WAIT_MS_MAX / 1_000} s: run kill -9 ${pids.join(" ")}`,
      );
    }
    await Bun.sleep(POLL_MS);
  }
}
