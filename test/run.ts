/**
 * The whole test run, in order of cost: format and lint, types, tests. Ends with one line that counts.
 *
 * The test files run in lanes side by side, each with a PostgreSQL of its own, because much of their
 * time is spent waiting: for processes to start and end, for windows to move. `bun run test` checks all;
 * with arguments it is `bun test` with them, as in `bun run test test/feed`.
 *
 * @module
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Glob } from "bun";

const LANES = 3;
const TIMEOUT = "--timeout=60000";
const ROOT = new URL("../", import.meta.url).pathname;

interface Counts {
  readonly tests: number;
  readonly failed: number;
  readonly skipped: number;
}

async function main(): Promise<void> {
  const chosen = process.argv.slice(2);
  if (chosen.length > 0) process.exit(await run([process.execPath, "test", TIMEOUT, ...chosen]));
  await step("format and lint", () =>
    run(["bunx", "--no-install", "biome", "check", "--error-on-warnings", "."]),
  );
  await step("types", () => run(["bunx", "--no-install", "tsc", "--noEmit", "--pretty"]));
  const counts: Counts[] = [];
  const code = await step("tests", () => runLanes(counts), { isLast: true });
  const sum = (of: (each: Counts) => number) => counts.reduce((total, each) => total + of(each), 0);
  const failed = sum((each) => each.failed);
  const skipped = sum((each) => each.skipped);
  const passed = sum((each) => each.tests) - failed - skipped;
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exit(code);
}

async function step(
  name: string,
  work: () => Promise<number>,
  { isLast = false } = {},
): Promise<number> {
  const startedMs = performance.now();
  console.log(`# ${name}`);
  const code = await work();
  console.log(`# ${name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  if (code !== 0 && !isLast) process.exit(code);
  return code;
}

function run(command: readonly string[]): Promise<number> {
  return Bun.spawn([...command], { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] }).exited;
}

/** Builds an executable and runs it, which is `bun run test:binary`'s to do. */
const BINARY_TEST = "test/binary_test.ts";

/** The largest files first, each to the lane that has least so far. */
async function runLanes(counts: Counts[]): Promise<number> {
  const files = [...new Glob("test/**/*_test.ts").scanSync(ROOT)]
    .filter((path) => path !== BINARY_TEST)
    .map((path) => ({ path, size: Bun.file(ROOT + path).size }))
    .sort((a, b) => b.size - a.size || a.path.localeCompare(b.path));
  const lanes = Array.from({ length: LANES }, () => ({ size: 0, paths: [] as string[] }));
  for (const { path, size } of files) {
    const lane = lanes.reduce((least, each) => (each.size < least.size ? each : least));
    lane.size += size;
    lane.paths.push(path);
  }
  const codes = await Promise.all(lanes.map(({ paths }) => runLane(paths, counts)));
  return Math.max(...codes);
}

/** One lane; what it prints is shown whole when it ends. */
async function runLane(paths: readonly string[], counts: Counts[]): Promise<number> {
  const report = join(mkdtempSync(join(tmpdir(), "feedgate-report-")), "junit.xml");
  const command = ["test", TIMEOUT, "--reporter=junit", `--reporter-outfile=${report}`, ...paths];
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  // Bun reports on standard error; each passed test is a line that nobody needs.
  const shown = errors.split("\n").filter((line) => !line.startsWith("(pass)"));
  console.log(
    [
      out.trim(),
      shown
        .join("\n")
        .replace(/\n{3,}/g, "\n\n")
        .trim(),
    ].join("\n"),
  );
  counts.push(countsOf(report));
  return code;
}

function countsOf(report: string): Counts {
  const root = /<testsuites[^>]*>/.exec(readFileSync(report, "utf8"))?.[0] ?? "";
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  return { tests: count("tests"), failed: count("failures"), skipped: count("skipped") };
}

await main();
