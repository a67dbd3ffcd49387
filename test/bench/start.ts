/**
 * Time from the command to the first response: on an empty data directory (cold: creates the cluster and migrates the
 * schema), and on one that was used before (warm).
 *
 * @module
 */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/free_port.ts";
import type { Bench } from "./run.ts";
import { median } from "./support.ts";
import { requireNone } from "./usage.ts";

const RUNS = 5;
const DEADLINE_MS = 30_000;
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export const bench: Bench = async (args) => {
  requireNone(args);
  const cold: number[] = [];
  const warm: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const dataDir = mkdtempSync(join(tmpdir(), "feedgate-bench-"));
    chmodSync(dataDir, 0o755);
    cold.push(await firstAnswerMs(dataDir));
    warm.push(await firstAnswerMs(dataDir));
    rmSync(dataDir, { recursive: true, force: true });
  }
  return [
    {
      start: "cold",
      "median ms": Math.round(median(cold)),
      "slowest ms": Math.round(Math.max(...cold)),
    },
    {
      start: "warm",
      "median ms": Math.round(median(warm)),
      "slowest ms": Math.round(Math.max(...warm)),
    },
  ];
};

async function firstAnswerMs(dataDir: string): Promise<number> {
  const port = freePort();
  const startedMs = performance.now();
  const child = Bun.spawn(
    [process.execPath, MAIN, "serve", "--port", String(port), "--data-dir", dataDir],
    { env: { ...process.env, LOG_LEVEL: "error" }, stdout: "ignore", stderr: "inherit" },
  );
  try {
    while (performance.now() - startedMs < DEADLINE_MS) {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      if (response?.status === 200) return performance.now() - startedMs;
      await Bun.sleep(5);
    }
    throw new Error("no answer before the deadline");
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}
