/** The table of the guide Upgrade, and the migrations since the last release. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { version } from "../../../package.json";
import { MIGRATIONS } from "../../../src/postgres/generated/statements.ts";
import { RELEASES, readMigrations } from "../../release/scene.ts";

const GUIDE = readFileSync(new URL("../../../src/docs/guides/upgrade.md", import.meta.url), "utf8");
const CURRENT = version.replace(/-dev$/, "");
const ROW = /^\| (\d+\.\d+\.\d+) \| (\d+(?: to \d+)?) \| (yes|no|not tested) \|$/gm;

/** What older programs may miss or be refused: a kind, and the table or column that it is about. */
const CONTRACTIONS = [
  { kind: "drop table", pattern: /\bdrop\s+table\s+(?:if\s+exists\s+)?(\w+)/g },
  { kind: "drop column", pattern: /\bdrop\s+column\s+(?:if\s+exists\s+)?(\w+)/g },
  { kind: "rename column", pattern: /\brename\s+column\s+(\w+)/g },
  { kind: "rename", pattern: /\balter\s+table\s+(?:if\s+exists\s+)?(\w+)\s+rename\s+to\b/g },
  { kind: "set not null", pattern: /\balter\s+column\s+(\w+)\s+set\s+not\s+null\b/g },
] as const;

/** `known` is the SQL of the release before. What came after it, older programs don't use. */
function findContractions(text: string, known: string): string[] {
  const statements = text.replaceAll(/--.*$/gm, "").toLowerCase();
  return CONTRACTIONS.flatMap(({ kind, pattern }) =>
    [...statements.matchAll(pattern)]
      .map(([, name = ""]) => name)
      .filter((name) => new RegExp(`\\b${name}\\b`).test(known))
      // It is replaced in the same commit.
      .filter((name) => !new RegExp(`\\badd\\s+column\\s+${name}\\b`).test(statements))
      .map((name) => `${kind} ${name}`),
  );
}

interface Row {
  readonly version: string;
  readonly migrations: string;
  readonly keepsServing: string;
}

const rows: readonly Row[] = [...GUIDE.matchAll(ROW)].map(
  ([, of = "", migrations = "", keepsServing = ""]) => ({ version: of, migrations, keepsServing }),
);

describe("guide Upgrade: one version back", () => {
  test("the table has each version that migrates, with its migrations", () => {
    const counts = RELEASES.map((release) => ({
      version: release,
      count: Object.keys(readMigrations(release)).length,
    }));
    if (!RELEASES.includes(CURRENT)) counts.push({ version: CURRENT, count: MIGRATIONS.length });
    const expected = counts.flatMap(({ version: of, count }, index) => {
      const first = (counts[index - 1]?.count ?? count) + 1;
      if (first > count) return [];
      return [{ of, migrations: first === count ? `${count}` : `${first} to ${count}` }];
    });
    expect(rows.map(({ version: of, migrations }) => ({ of, migrations }))).toEqual(
      expected.reverse(),
    );
  });

  test("migrations since the last release take nothing from the programs of that release, unless the table says that they can't serve on", () => {
    const last = RELEASES.filter((release) => release !== CURRENT).at(-1) ?? "";
    const released = Object.keys(readMigrations(last)).length;
    const known = MIGRATIONS.slice(0, released)
      .map(({ text }) => text)
      .join("\n");
    const found = MIGRATIONS.slice(released).flatMap(({ name, text }) =>
      findContractions(text, known).map((contraction) => `${name}: ${contraction}`),
    );
    const row = rows.find((each) => each.version === CURRENT);
    if (row?.keepsServing !== "no") expect(found).toEqual([]);
  });

  test.each([
    ["drop table feeds;", ["drop table feeds"]],
    ["alter table feeds\n  drop column title,\n  add column text text;", ["drop column title"]],
    ["alter table feeds drop column title, add column title text;", []],
    ["alter table feeds rename column title to name;", ["rename column title"]],
    ["alter table feeds rename to sources;", ["rename feeds"]],
    ["alter table feeds alter column title set not null;", ["set not null title"]],
    ["alter table feeds alter column later set not null;", []],
    ["-- drop table feeds;\ncreate table later (id uuid not null);", []],
  ])("%p takes %p", (text, found) => {
    expect(findContractions(text, "create table feeds (title text);")).toEqual(found);
  });
});
