import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import { scripts } from "../../package.json";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));
const GUIDES = [...new Glob("src/docs/guides/*.md").scanSync(ROOT)];
const texts = new Map(
  await Promise.all(
    ["README.md", ".github/CONTRIBUTING.md", ...GUIDES].map(
      async (path) => [path, await Bun.file(ROOT + path).text()] as const,
    ),
  ),
);

function guide(name: string): string {
  return texts.get(`src/docs/guides/${name}.md`) ?? "";
}

/** The tests that a text names, and whether its commands are there. */
function expectThere(text: string): string[] {
  const named = [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] as string);
  const tests = named.filter((name) => name.startsWith("test/"));
  for (const path of tests)
    expect({ path, isThere: existsSync(ROOT + path) }).toEqual({ path, isThere: true });
  return tests;
}

test("the README is short: under 120 lines", () => {
  expect(texts.get("README.md")?.split("\n").length).toBeLessThan(120);
});

test("each guarantee names tests that are there", () => {
  const rows = guide("guarantees")
    .split("\n")
    .filter((line) => /^\| (?!guarantee )/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const tests = expectThere(row);
    expect({ row, tests }).not.toEqual({ row, tests: [] });
    // Or a run of its own, which takes long.
    for (const path of tests) expect(path).toMatch(/_test\.ts$|\/run\.ts$/);
  }
});

test("the architecture guide lists every folder of src, and no other", () => {
  const [tree = ""] = /^src\/\n[\s\S]*?^```$/m.exec(guide("architecture")) ?? [];
  const named = [...tree.matchAll(/^ {2}([a-z\d_/]+\/|[a-z]+\.ts) /gm)].map(
    ([, path]) => path as string,
  );
  const inSrc = named.slice(0, named.indexOf("spec/") + 1);
  expect(inSrc.filter((path) => !existsSync(`${ROOT}src/${path}`))).toEqual([]);
  const folders = new Set(
    [...new Glob("src/**/*").scanSync(ROOT)].flatMap((path) => {
      const parts = path.split("/").slice(1, -1);
      return parts.map((_, place) => `${parts.slice(0, place + 1).join("/")}/`);
    }),
  );
  expect(inSrc.filter((path) => path.endsWith("/")).sort()).toEqual([...folders].sort());
  const inSql = named.slice(inSrc.length);
  expect(inSql.filter((path) => !existsSync(`${ROOT}sql/${path}`))).toEqual([]);
});

test("the ways of a read and of a push link to many files", () => {
  const links = [...guide("architecture").matchAll(/\]\(\.\.\/\.\.\/[^)]+\)/g)];
  expect(links.length).toBeGreaterThan(25);
});

test("every path that the architecture guide names is there", () => {
  const paths = [...guide("architecture").matchAll(/`((?:src|sql|test|docs)\/[^`*]+)`/g)];
  for (const [, path] of paths) {
    expect({ path, isThere: existsSync(ROOT + path) }).toEqual({ path, isThere: true });
  }
});

test("each variable that is read has its line in the operators' guide, and no other", async () => {
  const named = [...guide("operators").matchAll(/^\| (`[A-Z_`, ]+`) \|/gm)]
    .flatMap((match) => (match[1] as string).match(/[A-Z_]+/g) ?? [])
    .sort();
  const config = await Bun.file(`${ROOT}src/config.ts`).text();
  const read = [...config.matchAll(/"([A-Z][A-Z_]+)"/g)].map((match) => match[1] as string);
  expect(named.length).toBeGreaterThan(20);
  expect(named).toEqual([...new Set(read)].sort());
});

test("every script and benchmark that a guide names is there", () => {
  const benchmarks = [...new Glob("*.ts").scanSync(`${ROOT}test/bench`)];
  for (const text of texts.values()) {
    for (const [, script = "", name] of text.matchAll(/`bun run ([a-z:]+)(?: ([a-z]+))?/g)) {
      expect(Object.keys(scripts)).toContain(script);
      if (script === "bench" && name !== undefined) expect(benchmarks).toContain(`${name}.ts`);
    }
  }
});

test("every package that is used has its reason in the architecture guide", async () => {
  const { dependencies } = await Bun.file(`${ROOT}package.json`).json();
  for (const name of Object.keys(dependencies)) {
    expect(guide("architecture")).toMatch(new RegExp(`^\\| .*\`${name}\``, "m"));
  }
});

test("every link leads to a file that is there, and to a heading in it", () => {
  let links = 0;
  for (const [path, text] of texts) {
    for (const [, target = "", fragment] of text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
      // From a page of a gateway to its reference, or to another site.
      if (target === "../../docs" || target.startsWith("https://")) continue;
      const file = target === "" ? path : normalize(join(dirname(path), target));
      expect({ path, target, isThere: existsSync(ROOT + file) }).toEqual({
        path,
        target,
        isThere: true,
      });
      if (fragment !== undefined) {
        expect(Bun.markdown.html(texts.get(file) ?? "", { headings: { ids: true } })).toContain(
          ` id="${fragment}"`,
        );
      }
      links += 1;
    }
  }
  expect(links).toBeGreaterThan(15);
});
