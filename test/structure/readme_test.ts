import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { Glob } from "bun";
import { scripts } from "../../package.json";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));
const readme = await Bun.file(`${ROOT}README.md`).text();

/** The rows of the table under a heading, without its head, as cells. */
function rowsUnder(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  return lines.slice(2).map((line) => line.split("|").slice(1, -1));
}

test("README's guarantees: each names tests that are there, or commands that check it", () => {
  const rows = rowsUnder("What it guarantees");
  expect(rows.length).toBeGreaterThan(15);
  for (const [guarantee = "", shownBy = ""] of rows) {
    const named = [...shownBy.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
    const tests = named.filter((name) => name.startsWith("test/"));
    expect({ guarantee, tests }).not.toEqual({ guarantee, tests: [] });
    for (const path of tests) {
      expect(path).toEndWith("_test.ts");
      expect({ path, isThere: existsSync(ROOT + path) }).toEqual({ path, isThere: true });
    }
    for (const command of named.filter((name) => name.startsWith("bun run "))) {
      const [script = "", name] = command.split(" ").slice(2);
      expect(Object.keys(scripts)).toContain(script);
      if (name !== undefined) expect(existsSync(`${ROOT}test/${script}/${name}.ts`)).toBe(true);
    }
  }
});

test("README's configuration: each variable that is read has its line, and no other", async () => {
  const named = [...readme.matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)]
    .flatMap((match) => (match[1] as string).match(/[A-Z_]+/g) ?? [])
    .sort();
  const config = await Bun.file(`${ROOT}src/config.ts`).text();
  const read = [...config.matchAll(/"([A-Z][A-Z_]+)"/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(20);
  expect(named).toEqual([...new Set(read)].sort());
});

test("README's commands: every script and benchmark that it names is there", () => {
  const benchmarks = [...new Glob("*.ts").scanSync(`${ROOT}test/bench`)];
  for (const [, script = "", name] of readme.matchAll(/`bun run ([a-z:]+)(?: ([a-z]+))?/g)) {
    expect(Object.keys(scripts)).toContain(script);
    if (script === "bench" && name !== undefined) expect(benchmarks).toContain(`${name}.ts`);
  }
});
