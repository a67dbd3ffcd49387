/**
 * Resident memory of a gateway under load for ten minutes: a mix of metered reads, metadata, and catalog at 256
 * connections. Prints a line per minute, and the slope of a line fitted to the samples after the first minute, in which
 * caches fill and code is compiled. Before that, measures a million live windows (`windows.ts`).
 *
 * `bun run bench memory [-- --minutes N] [--connections N] [--own-load]`; with 0 minutes, only the windows
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { generatorHere, runLoad } from "./load.ts";
import { seedBench } from "./peers/seed.ts";
import { residentMb, startServer } from "./processes.ts";
import type { Bench } from "./run.ts";
import { median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const MINUTES = 10;
const CONNECTIONS = 256;
const SECONDS_PER_MINUTE = 60;
const SAMPLE_MS = 1_000;
const MEMORY_MB_MAX = 250;
/** The maximum rise within ten minutes that still counts as flat. */
const RISE_MB_MAX = 20;
/** Compared with a process that has no windows. */
const WINDOWS_MB_MAX = 120;
const UNLIMITED = "1000000000";
const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));

interface Sample {
  readonly minutes: number;
  readonly mb: number;
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: String(MINUTES) },
      connections: { type: "string", default: String(CONNECTIONS) },
      "own-load": { type: "boolean", default: false },
    },
  });
  const minutes = numberOf(values.minutes, "--minutes");
  const connections = numberOf(values.connections, "--connections");
  const windowsMb = await measureWindows();
  if (minutes === 0) return [{ "windows MB": windowsMb }];
  const database = await startBenchDatabase();
  const folder = mkdtempSync(join(tmpdir(), "feedgate-bench-load-"));
  const gateway = await startServer([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    DATABASE_URL: database.address.url,
    FEEDGATE_READ_LIMIT_PAID: UNLIMITED,
    FEEDGATE_DISCOVERY_LIMIT: UNLIMITED,
    LOG_LEVEL: "warn",
  });
  const startMs = performance.now();
  const samples: Sample[] = [];
  const sample = () => {
    const elapsed = (performance.now() - startMs) / 1_000 / SECONDS_PER_MINUTE;
    samples.push({ minutes: elapsed, mb: residentMb(gateway.pid) });
  };
  let sampling: ReturnType<typeof setInterval> | undefined;
  try {
    const { keys, meteredFeeds } = await seedBench(database);
    const file = (name: string, lines: readonly string[]) => {
      writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
      return join(folder, name);
    };
    const reads = meteredFeeds.map((feedId) => `/v1/feed/${feedId}`);
    const keysFile = file("keys", keys);
    const pathsFile = file("paths", [
      ...reads,
      ...reads.map((path) => `${path}?limit=5`),
      ...reads.map((path) => `${path}/metadata`),
      ...reads.map((_, place) => `/v1/catalog?offset=${place}`),
    ]);
    const load = { port: gateway.port, connections, keysFile, pathsFile };
    const generator = values["own-load"] ? "own" : generatorHere();
    sampling = setInterval(sample, SAMPLE_MS);
    let answers = 0;
    for (let minute = 1; minute <= minutes; minute++) {
      const from = samples.length;
      const figures = await runLoad({ ...load, seconds: SECONDS_PER_MINUTE }, generator);
      answers += figures.requests;
      const own = samples.slice(from).map(({ mb }) => mb);
      console.log(
        `minute ${minute}: ${shown(median(own))} MB, at most ${shown(Math.max(...own))}; ${Math.round(figures.requests / figures.seconds)} answers/s, ${figures.refused} refused, ${figures.failed} failed`,
      );
    }
    return [{ ...figuresOf(samples, { connections, answers }), "windows MB": windowsMb }];
  } finally {
    clearInterval(sampling);
    await gateway.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

/** In a separate process, which contains nothing else. */
async function measureWindows(): Promise<number> {
  const program = Bun.fileURLToPath(new URL("./windows.ts", import.meta.url));
  const child = Bun.spawn([process.execPath, program], { stdout: "pipe", stderr: "inherit" });
  const { windows, mb } = (await new Response(child.stdout).json()) as {
    windows: number;
    mb: number;
  };
  const verdict = mb <= WINDOWS_MB_MAX ? "holds" : "MISSED";
  console.log(`${verdict}: ${windows} live windows in at most ${WINDOWS_MB_MAX} MB: ${mb} MB`);
  return mb;
}

function figuresOf(samples: readonly Sample[], of: { connections: number; answers: number }) {
  const most = Math.max(...samples.map(({ mb }) => mb));
  const first = samples[0]?.minutes ?? 0;
  const settled = samples.filter(({ minutes }) => minutes >= first + 1);
  const slope = slopeOf(settled);
  const isFlat = Math.abs(slope) * MINUTES <= RISE_MB_MAX;
  console.log(`${most < MEMORY_MB_MAX ? "holds" : "MISSED"}: under ${MEMORY_MB_MAX} MB`);
  console.log(
    `${isFlat ? "holds" : "MISSED"}: flat, that is at most ${RISE_MB_MAX} MB in ${MINUTES} minutes`,
  );
  return {
    connections: of.connections,
    answers: of.answers,
    "median MB": shown(median(settled.map(({ mb }) => mb))),
    "most MB": shown(most),
    "MB a minute": Number(slope.toFixed(2)),
  };
}

/** Least squares; NaN with fewer than two samples. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (each: Sample) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [x, y] = [mean(({ minutes }) => minutes), mean(({ mb }) => mb)];
  const along = mean(({ minutes, mb }) => (minutes - x) * (mb - y));
  return along / mean(({ minutes }) => (minutes - x) ** 2);
}

function shown(mb: number): number {
  return Math.round(mb);
}
