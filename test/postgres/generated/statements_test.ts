import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Glob } from "bun";
import {
  generateStatements,
  isFunction,
  parseFunction,
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
const statements = [...texts].flatMap(([path, text]) => {
  if (!isFunction(path)) return [{ path, ...parseHeader(text, path), sql: numbered(text) }];
  const called = parseFunction(text, path);
  return called === undefined ? [] : [{ path, ...called, sql: called.call }];
});

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

  for (const { path, name: declared, parameters, columns, sql } of statements) {
    test(`${path}: what it declares is what the database describes`, async () => {
      expect(path.replace(/^.*\/|\.sql$/g, "")).toBe(declared);
      const described = await connections.unsafe(inFunctionSet(sql)).describe();
      expect(described.types.map((oid) => typeNames.get(oid))).toEqual(
        parameters.map(({ type }) => fullName(type)),
      );
      expect(
        (described.columns ?? []).map(({ name, type }) => [name, typeNames.get(type)]),
      ).toEqual(columns.map(({ name, type }) => [name, fullName(type)]));
    });
  }

  describe("a function names all of its parameters and columns for the program, or none", () => {
    const signature = (second: string, sum: string) =>
      `-- Adds.\ncreate or replace function add(\n  a int, -- :first?\n  ${second}\n  out c bigint${sum}\n)\nlanguage sql\n`;

    test("all: it is a statement", () => {
      expect(parseFunction(signature("b int[], -- :others", " -- :sum"), "add.sql")).toEqual({
        name: "add",
        why: "Adds",
        parameters: [
          { name: "first", type: "int", nullable: true },
          { name: "others", type: "int[]", nullable: false },
        ],
        columns: [{ name: "sum", type: "bigint", nullable: false }],
        call: "select * from add($1, $2) as called (sum)",
      });
    });

    test("none: only SQL calls it", () => {
      const unnamed = signature("b int[],", "").replace(" -- :first?", "");
      expect(parseFunction(unnamed, "add.sql")).toBeUndefined();
    });

    test("some: it is refused", () => {
      const text = signature("b int[],", " -- :sum");
      expect(() => parseFunction(text, "add.sql")).toThrow('no ":name" follows "b int[],"');
    });
  });
});
