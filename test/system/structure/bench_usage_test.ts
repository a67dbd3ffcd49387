import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../../support/folders.ts";

const RUN = Bun.fileURLToPath(new URL("../../bench/run.ts", import.meta.url));

async function bench(...argv: string[]) {
  const child = Bun.spawn([process.execPath, RUN, ...argv], { stdout: "pipe", stderr: "pipe" });
  const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
  return { code, stderr };
}

test("what follows a benchmark's name goes to it, with -- or without; a mistake is one line and exit code 2", async () => {
  const file = join(temporaryFolder(), "figures.json");
  for (const [argv, message] of [
    // Each gets as far as the benchmark's own reading of it.
    [["serve", "--rounds", "x"], '--rounds must be a number of 0 or more, got "x"'],
    [["serve", "--", "--rounds", "x"], '--rounds must be a number of 0 or more, got "x"'],
    [["--out", file, "serve", "--rounds=x"], '--rounds must be a number of 0 or more, got "x"'],
    [["serve", "--round", "3"], "Unknown option '--round'"],
    [["serve", "--rounds"], "--rounds"],
    [["read", "many"], 'a number of rows must be a number of 0 or more, got "many"'],
    [["start", "--rounds", "3"], 'takes no "--rounds"'],
    [["search", "quantity"], '"quantity" must be quality or speed'],
    [
      ["nothing"],
      'there is no benchmark "nothing"; there are: access, admission, bulk, console, earnings, follow, memory',
    ],
    [["--quick"], '"--quick" must come after the name of its benchmark'],
    [["serve", "--out"], "--out needs a FILE"],
  ] as const) {
    const { code, stderr } = await bench(...argv);
    expect([argv, code, stderr]).toEqual([argv, 2, expect.stringContaining(message)]);
    expect(stderr).toMatch(/^bench: [^\n]+\n$/);
  }
});
