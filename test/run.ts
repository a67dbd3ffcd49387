/**
 * The whole test run, in order of cost: format and lint, types, tests. Ends with one line that counts.
 *
 * `bun run test` checks all; arguments go to `bun test`, as in `bun run test test/feed`.
 *
 * @module
 */
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const report = join(mkdtempSync(join(tmpdir(), "feedgate-report-")), "junit.xml");

const steps: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  {
    name: "format and lint",
    command: ["bunx", "--no-install", "biome", "check", "--error-on-warnings", "."],
  },
  { name: "types", command: ["bunx", "--no-install", "tsc", "--noEmit", "--pretty"] },
  {
    name: "tests",
    command: [
      process.execPath,
      "test",
      "--timeout=60000",
      "--reporter=junit",
      `--reporter-outfile=${report}`,
      ...process.argv.slice(2),
    ],
  },
];

for (const { name, command } of steps) {
  const startedMs = performance.now();
  console.log(`# ${name}`);
  const child = Bun.spawn([...command], { stdio: ["inherit", "inherit", "inherit"] });
  const code = await child.exited;
  console.log(`# ${name}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  if (code !== 0) {
    if (name === "tests") console.log(summary());
    process.exit(code);
  }
}
console.log(summary());

/** "N passed, N failed, N skipped", from the runner's own report. */
function summary(): string {
  const root = /<testsuites[^>]*>/.exec(readFileSync(report, "utf8"))?.[0] ?? "";
  const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const failed = count("failures");
  const skipped = count("skipped");
  return `${count("tests") - failed - skipped} passed, ${failed} failed, ${skipped} skipped`;
}
