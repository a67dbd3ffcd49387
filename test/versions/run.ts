/**
 * `bun run test:versions`: the tests of reads, pushes, admission, jobs and the operator against PostgreSQL 15, 16 and 17,
 * each a real server, and an upgrade of the embedded PostgreSQL from 17 to 18. The rest of the tests runs on 18.
 *
 * 15 is Debian's package, if it is installed. 16 and 17 are packages of this folder, for Linux on x64. With a
 * version as its argument, it is that one alone; 18 is then the embedded one.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob, type Subprocess } from "bun";
import { SERVER_VARIABLE, startTestServer } from "../support/database.ts";
import {
  HAS_OLD_POSTGRES,
  startOldPostgres,
  startPackagedPostgres,
} from "../support/other_postgres.ts";
import { makeRunFolder } from "../support/run_folder.ts";
import { sharedBy, TEST_ENVIRONMENT, TIMEOUT } from "../support/shared_run.ts";

const ROOT = resolve(import.meta.dir, "../..");
/** Where tests of reads and pushes over HTTP are, and of what runs beside them. */
const FOLDERS = [
  "test/accounts",
  "test/admission",
  "test/consumer",
  "test/routes/consumer",
  "test/accounts/earnings",
  "test/feeds",
  "test/jobs",
  "test/operator",
  "test/routes/provider",
  "test/push",
  "test/read",
  "test/skill",
];
const TESTS = [
  ...FOLDERS.flatMap((folder) => [...new Glob(`${folder}/**/*_test.ts`).scanSync(ROOT)]).filter(
    sendsStatements,
  ),
  "test/system/cli/grants_test.ts",
  "test/postgres/migrate/function_set_test.ts",
];
const PACKAGED = ["16", "17"] as const;
const CHOICES = ["15", ...PACKAGED, "18", "upgrade"];

let running: Subprocess | undefined;
let isStopped = false;

/** Whether a test has a database. The others would pass on any server. */
function sendsStatements(path: string): boolean {
  const text = readFileSync(join(ROOT, path), "utf8");
  return /(?:Gateway|TestDatabase|Scene)\(/.test(text);
}

/** Whether `bun` with these arguments ends with 0. */
async function runs(
  argv: readonly string[],
  environment: Record<string, string> = {},
): Promise<boolean> {
  if (isStopped) return false;
  running = Bun.spawn([process.execPath, ...argv], {
    cwd: ROOT,
    env: { ...process.env, ...TEST_ENVIRONMENT, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return (await running.exited) === 0;
}

/** Whether all tests pass against a server, which is stopped then. */
async function passes(
  version: string,
  server: { readonly url: string; stop(): void },
): Promise<boolean> {
  console.log(`# PostgreSQL ${version}`);
  try {
    process.env.TEST_DATABASE_URL = server.url;
    const shared = await startTestServer();
    try {
      const argv = ["test", TIMEOUT, "--only-failures", ...sharedBy(), ...TESTS];
      return await runs(argv, { [SERVER_VARIABLE]: shared.url });
    } finally {
      await shared.stop();
    }
  } finally {
    server.stop();
  }
}

async function main(): Promise<number> {
  // Undefined means all of them but 18, on which the rest of the tests runs anyway.
  const [chosen] = process.argv.slice(2);
  const isChosen = (version: string) => chosen === undefined || chosen === version;
  if (chosen !== undefined && !CHOICES.includes(chosen)) {
    console.error(`versions: expected one of ${CHOICES.join(", ")}, got "${chosen}"`);
    return 2;
  }
  if (chosen === "15" && !HAS_OLD_POSTGRES) {
    console.error("versions: PostgreSQL 15 (Debian: postgresql-15) is not installed");
    return 1;
  }
  const install = ["install", "--frozen-lockfile", "--ignore-scripts", "--silent"];
  if (spawnSync(process.execPath, install, { cwd: import.meta.dir }).status !== 0) {
    throw new Error("the packages of test/versions could not be installed");
  }
  const folder = makeRunFolder();
  // The run ends, and then we clean up.
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      isStopped = true;
      running?.kill("SIGINT");
    });
  }
  try {
    const passed: boolean[] = [];
    if (HAS_OLD_POSTGRES && isChosen("15")) passed.push(await passes("15", startOldPostgres()));
    for (const version of PACKAGED.filter(isChosen)) {
      const packaged = join(import.meta.dir, "node_modules", `postgres-${version}`);
      passed.push(await passes(version, startPackagedPostgres(packaged)));
    }
    if (chosen === "18") passed.push(await runs(["test", TIMEOUT, "--only-failures", ...TESTS]));
    if (isChosen("upgrade"))
      passed.push(await runs(["test", TIMEOUT, "./test/versions/upgrade.ts"]));
    return passed.every(Boolean) ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exit(await main());
