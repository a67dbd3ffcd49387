/**
 * The test run: format and lint, types, and tests in parallel. Ends with one line of totals. `--system` runs the tests
 * of `test/system` instead, which are slow because they start, kill, and drain whole programs. If `FEEDGATE_BINARY`
 * names the built executable, they use it instead of the sources.
 *
 * A few processes share the test files and one PostgreSQL. Each takes the next file when it has finished one, the
 * slowest files first (`timings.json`, written by `bun run test --update-timings`; a file that it lacks fails the run).
 * Files or folders as arguments are passed to `bun test`, as in `bun run test test/read`.
 *
 * @module
 */
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob, type Subprocess } from "bun";
import { SERVER_VARIABLE, startTestServer } from "./support/database.ts";
import { makeUsedDataDir, USED_DATA_DIR_VARIABLE } from "./support/folders.ts";
import { makeRunFolder } from "./support/run_folder.ts";
import { sharedBy, TEST_ENVIRONMENT, TIMEOUT, TIMINGS } from "./support/shared_run.ts";

const UPDATE_TIMINGS = "--update-timings";
const SYSTEM = "--system";
const { FEEDGATE_BINARY: BINARY } = process.env;
const SYSTEM_FOLDER = "test/system/";
/** Compares times, so it runs on its own. */
const ALONE = "test/system/isolation_test.ts";
const ROOT = Bun.fileURLToPath(new URL("../", import.meta.url));

type Child = Subprocess<"ignore", "inherit" | "pipe", "inherit" | "pipe">;
const children = new Set<Child>();

async function main(): Promise<number> {
  const chosen = process.argv
    .slice(2)
    .filter((argument) => ![UPDATE_TIMINGS, SYSTEM].includes(argument));
  const folder = makeRunFolder();
  // The children clean up when they end, and so does this process.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      for (const child of children) child.kill("SIGINT");
    });
  }
  try {
    return await (chosen.length > 0 ? spawn(["test", TIMEOUT, ...chosen]).exited : runAll(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(folder: string): Promise<number> {
  const isSystem = process.argv.includes(SYSTEM);
  const files = [...new Glob("test/**/*_test.ts").scanSync(ROOT)].filter(
    (path) => path !== ALONE && path.startsWith(SYSTEM_FOLDER) === isSystem,
  );
  const order = [...sharedBy()];
  if (process.argv.includes(UPDATE_TIMINGS)) order.push(UPDATE_TIMINGS);
  const [together, alone] = [join(folder, "together.xml"), join(folder, "alone.xml")] as const;
  process.env[USED_DATA_DIR_VARIABLE] = await makeUsedDataDir();
  // Unpacks PostgreSQL now, because the executable announces it only once, in whichever test comes first.
  if (isSystem && BINARY !== undefined) await unpack(BINARY, join(folder, "first"));
  const server = await startTestServer();
  process.env[SERVER_VARIABLE] = server.url;
  try {
    const codes = await Promise.all([
      runTests(together, [...order, ...files]),
      ...(isSystem ? [] : runChecks()),
    ]);
    if (isSystem) codes.push(await runTests(alone, [ALONE]));
    const untimed = filesWithoutTime(files);
    if (untimed.length > 0) {
      console.log(`no time in ${TIMINGS} (${UPDATE_TIMINGS} writes it): ${untimed.join(", ")}`);
      codes.push(1);
    }
    console.log(countLine(isSystem ? [together, alone] : [together]));
    return Math.max(...codes);
  } finally {
    await server.stop();
  }
}

/** Files without a time would always start last, however slow they are. */
function filesWithoutTime(files: readonly string[]): string[] {
  const { files: times } = JSON.parse(readFileSync(join(ROOT, TIMINGS), "utf8"));
  return files.filter((path) => !(path in times));
}

/** Makes an executable unpack its PostgreSQL. */
async function unpack(executable: string, dataDir: string): Promise<void> {
  const command = [resolve(executable), "migrate", "--data-dir", dataDir];
  const child = Bun.spawn(command, { cwd: ROOT, stdio: ["ignore", "ignore", "ignore"] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}

function runChecks(): Promise<number>[] {
  return [
    runChecked("format and lint", ["node_modules/.bin/biome", "check", "--error-on-warnings", "."]),
    runChecked("types", [
      "node_modules/typescript-7/bin/tsc",
      "--noEmit",
      "--pretty",
      "--singleThreaded",
    ]),
  ];
}

/** Runs a check in parallel with the tests. Its output is printed at once when it ends. */
async function runChecked(name: string, command: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(command, "pipe");
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout as ReadableStream).text(),
    new Response(child.stderr as ReadableStream).text(),
    child.exited,
  ]);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log([out, errors, `# ${name}: ${seconds} s`].filter(Boolean).join("\n"));
  return code;
}

function runTests(report: string, chosen: readonly string[]): Promise<number> {
  const reporting = ["--only-failures", "--reporter=junit", `--reporter-outfile=${report}`];
  return spawn(["test", TIMEOUT, ...reporting, ...chosen]).exited;
}

function spawn(command: readonly string[], output: "inherit" | "pipe" = "inherit"): Child {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    env: { ...process.env, ...TEST_ENVIRONMENT },
    stdio: ["ignore", output, output],
  });
  children.add(child);
  return child;
}

function countLine(reports: readonly string[]): string {
  const roots = reports.map(
    (report) => /<testsuites[^>]*>/.exec(readFileSync(report, "utf8"))?.[0],
  );
  const count = (name: string) => {
    const counts = roots.map((root) => new RegExp(` ${name}="(\\d+)"`).exec(root ?? "")?.[1]);
    return counts.reduce((sum, value) => sum + Number(value ?? 0), 0);
  };
  const [failed, skipped] = [count("failures"), count("skipped")];
  return `${count("tests") - failed - skipped} passed, ${failed} failed, ${skipped} skipped`;
}

process.exit(await main());
