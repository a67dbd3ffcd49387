import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Glob } from "bun";
import {
  generateStatements,
  isFunction,
  parseHeader,
} from "../../../src/build/generate_statements.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { numbered } from "../../../src/postgres/client/numbered.ts";
import { inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { createTestDatabase } from "../../support/database.ts";

const SQL_FOLDER = Bun.fileURLToPath(new URL("../../../sql/", import.meta.url));
const paths = [...new Glob("**/*.sql").scanSync(SQL_FOLDER)]
  .filter((path) => !path.startsWith("migrations/"))
  .sort();
const texts = new Map<string, string>();
for (const path of paths) texts.set(path, await Bun.file(SQL_FOLDER + path).text());
const statements = [...texts].filter(([path]) => !isFunction(path));

let connections: Connections;
const typeNames = new Map<number, string>();

beforeAll(async () => {
  connections = connect((await createTestDatabase()).address, {
    connectionsMax: 2,
    statementTimeoutMs: 0,
  });
  const types = await connections`select oid::int, format_type(oid, null) as name from pg_type`;
  for (const { oid, name } of types) typeNames.set(oid, name);
});
afterAll(() => connections.end());

/** A header's type as PostgreSQL names it. */
function fullName(type: string): string {
  const names: Record<string, string> = {
    int: "integer",
    timestamptz: "timestamp with time zone",
    double: "double precision",
  };
  const element = type.replace("[]", "");
  return (names[element] ?? element) + (type.endsWith("[]") ? "[]" : "");
}

describe("statements", () => {
  test("the generated file is what the SQL files say", async () => {
    const written = await Bun.file(
      Bun.fileURLToPath(new URL("../../../src/postgres/generated/statements.ts", import.meta.url)),
    ).text();
    expect(written).toBe(await generateStatements());
  });

  test("a file defines the function of its name if it is in a folder of functions, and only then", () => {
    const defined = [...texts].map(([path, text]) => [
      path,
      /^create or replace function (\w+)\(/m.exec(text)?.[1] ?? null,
    ]);
    const named = [...texts.keys()].map((path) => [
      path,
      isFunction(path) ? path.replace(/^.*\/|\.sql$/g, "") : null,
    ]);
    expect(defined).toEqual(named);
  });

  for (const [path, text] of statements) {
    test(`${path}: its header is what the database describes`, async () => {
      const header = parseHeader(text, path);
      expect(path.replace(/^.*\/|\.sql$/g, "")).toBe(header.name);
      const described = await connections.unsafe(inFunctionSet(numbered(text))).describe();
      expect(described.types.map((oid) => typeNames.get(oid))).toEqual(
        header.parameters.map(({ type }) => fullName(type)),
      );
      expect(
        (described.columns ?? []).map(({ name, type }) => [name, typeNames.get(type)]),
      ).toEqual(header.columns.map(({ name, type }) => [name, fullName(type)]));
    });
  }
});
