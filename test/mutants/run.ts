/**
 * Applies each fault of a table to a copy of the tree, one at a time, and runs the tests that should detect it. Ends
 * with the number of detected faults, and exit code 1 if any was missed.
 *
 *     bun run mutants                    all of them
 *     bun run mutants --only read,41-45  those of an area or with these numbers
 *     bun run mutants --list             shows the table
 *
 * The tests first run without a fault, because a test that always fails detects nothing.
 *
 * @module
 */
import { cpSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { SERVER_VARIABLE, startTestServer } from "../support/database.ts";
import { makeUsedDataDir, temporaryFolder, USED_DATA_DIR_VARIABLE } from "../support/folders.ts";
import { makeRunFolder } from "../support/run_folder.ts";
import { TIMEOUT } from "../support/shared_run.ts";
import { MUTANTS, type Mutant, mutate } from "./table.ts";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));
const ONLY = "--only";
const LIST = "--list";
/** Not copied: packages are linked, and the tests do not need the others. */
const NOT_COPIED = ["node_modules", ".git", "dist"];
/** The timeout of a test file. Exceeding it counts as detecting a hang. */
const FILE_MS_MAX = 600_000;
/** A failed test in the output of `bun test`: its name without the time. */
const FAILED_TEST = /^\(fail\) (.+?)(?: \[[\d.]+m?s\])?$/m;
const UNNAMED = "(unnamed)";

type Result =
  | { readonly kind: "passed" }
  | { readonly kind: "failed"; readonly test: string }
  /** No test failed, but the files could not be run, so the fault is not one that a program could have. */
  | { readonly kind: "broken"; readonly output: string };

interface Numbered extends Mutant {
  readonly number: number;
}

let running: Subprocess | undefined;
let isStopped = false;

async function main(argv: readonly string[]): Promise<number> {
  const chosen = choose(argv);
  if (typeof chosen === "string") {
    console.error(`mutants: ${chosen}`);
    return 2;
  }
  if (argv.includes(LIST)) {
    for (const each of chosen) console.log(titleOf(each));
    return 0;
  }
  const folder = makeRunFolder();
  const tree = temporaryFolder();
  process.env[USED_DATA_DIR_VARIABLE] = await makeUsedDataDir();
  const server = await startTestServer();
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.on(signal, () => {
      isStopped = true;
      running?.kill("SIGINT");
    });
  }
  try {
    copyTree(tree);
    return await tryAll(tree, chosen, server.url);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The rows of the table that the command line selects, or an error message. */
function choose(argv: readonly string[]): readonly Numbered[] | string {
  const all = MUTANTS.map((mutant, index) => ({ ...mutant, number: index + 1 }));
  const words = argv.filter((word) => word !== LIST);
  const [option, names, ...others] = words;
  if (option === undefined) return all;
  if (option !== ONLY || names === undefined || others.length > 0) {
    return `it takes ${LIST} and ${ONLY} with numbers, ranges or areas, such as read,41-45`;
  }
  const wanted = new Set<Numbered>();
  for (const name of names.split(",")) {
    const [first, last = first] = name.split("-").map(Number);
    const named = all.filter(
      ({ area, number }) =>
        area === name || (number >= (first ?? Number.NaN) && number <= (last ?? Number.NaN)),
    );
    if (named.length === 0) {
      const areas = [...new Set(all.map(({ area }) => area))].join(", ");
      return `"${name}" is neither an area (${areas}) nor a number from 1 to ${all.length}`;
    }
    for (const each of named) wanted.add(each);
  }
  return all.filter((each) => wanted.has(each));
}

function titleOf({ number, area, what }: Numbered): string {
  return `${String(number).padStart(3)} ${area}: ${what}`;
}

function copyTree(tree: string): void {
  for (const name of readdirSync(ROOT)) {
    if (!NOT_COPIED.includes(name)) cpSync(ROOT + name, join(tree, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
}

async function tryAll(tree: string, chosen: readonly Numbered[], server: string): Promise<number> {
  const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
  const before = await runTests(tree, files, server);
  if (isStopped) return 1;
  if (before.kind !== "passed") {
    console.error(`mutants: without a fault, ${shown(before)}`);
    return 1;
  }
  const unnoticed: Numbered[] = [];
  let tried = 0;
  for (const mutant of chosen) {
    const path = join(tree, mutant.file);
    const text = await Bun.file(path).text();
    await Bun.write(path, mutate(text, mutant));
    // The shared database does not contain the changed functions.
    const isOfOwnServer = mutant.file.includes("/functions/");
    const result = await runTests(tree, mutant.tests, isOfOwnServer ? undefined : server);
    await Bun.write(path, text);
    // An interrupted run has no result.
    if (isStopped) break;
    tried += 1;
    if (result.kind !== "failed") unnoticed.push(mutant);
    console.log(`${titleOf(mutant)}\n      ${shown(result)}`);
  }
  console.log(`${tried - unnoticed.length} of ${tried} noticed`);
  for (const each of unnoticed) console.log(`not noticed: ${titleOf(each).trim()} (${each.file})`);
  return unnoticed.length === 0 && !isStopped ? 0 : 1;
}

function shown(result: Result): string {
  switch (result.kind) {
    case "passed":
      return "all tests pass";
    case "failed":
      return `noticed by: ${result.test}`;
    case "broken":
      return `the tests can't be run:\n${result.output}`;
  }
}

/** @param server the address of a test server; undefined to start a separate one */
async function runTests(
  tree: string,
  files: readonly string[],
  server: string | undefined,
): Promise<Result> {
  const { [SERVER_VARIABLE]: _, ...env } = process.env;
  // The directory that is copied contains the functions without the fault.
  if (server === undefined) delete env[USED_DATA_DIR_VARIABLE];
  // A run that stops at its first failure leaves its files behind, and possibly a server that is shutting down.
  const temporary = temporaryFolder();
  const child = Bun.spawn([process.execPath, "test", "--bail", TIMEOUT, ...files], {
    cwd: tree,
    env: { ...env, TMPDIR: temporary, ...(server !== undefined && { [SERVER_VARIABLE]: server }) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running = child;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, FILE_MS_MAX * files.length);
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  clearTimeout(timer);
  rmSync(temporary, { recursive: true, force: true });
  if (isLate) return { kind: "failed", test: "the run, which did not end" };
  if (code === 0) return { kind: "passed" };
  const test = FAILED_TEST.exec(errors + out)?.[1];
  return test === undefined || test === UNNAMED
    ? { kind: "broken", output: (errors + out).split("\n").slice(-30).join("\n") }
    : { kind: "failed", test };
}

process.exit(await main(process.argv.slice(2)));
