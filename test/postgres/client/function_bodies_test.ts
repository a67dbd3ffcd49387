import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { FUNCTIONS } from "../../../src/postgres/generated/statements.ts";
import { FUNCTION_SCHEMA, inFunctionSet } from "../../../src/postgres/migrate/function_set.ts";
import { createTestDatabase } from "../../support/database.ts";
import { takeApart } from "../../support/function_bodies.ts";

let connections: Connections;

beforeAll(async () => {
  connections = connect((await createTestDatabase()).address, { connectionsMax: 1 });
});
afterAll(() => connections.end());

/** Names and types of a function's parameters, those that it returns by included. */
async function parametersOf(name: string): Promise<[string, string][]> {
  const rows = await connections`
    select argument.name, format_type(argument.type, null) as type
    from pg_proc
    cross join lateral unnest(
      proargnames, coalesce(proallargtypes, proargtypes::oid[])
    ) as argument (name, type)
    where proname = ${name}
      and pronamespace = ${FUNCTION_SCHEMA}::regnamespace
      and argument.name <> ''`;
  return rows.map((row) => [row.name, row.type]);
}

/** What PostgreSQL says of the queries of a plpgsql function; nothing if all is well. */
async function mistakesOf(name: string, text: string): Promise<string[]> {
  const { variables, records, queries } = takeApart(text);
  const parameters = new Map([
    ...(await parametersOf(name)),
    ...variables,
    ["found", "boolean"] as const,
  ]);
  const list = [...parameters].map(([parameter, type]) => `${parameter} ${type}`).join(", ");
  const member = new RegExp(`\\b(?:${["no record", ...records].join("|")})\\b`);
  const mistakes: string[] = [];
  for (const query of queries) {
    if (member.test(query)) continue;
    const made = `create function pg_temp.${name}(${list}) returns void language sql as $looked$${query}$looked$`;
    try {
      await connections.unsafe(inFunctionSet(`begin; ${made}; rollback`));
    } catch (error) {
      await connections.unsafe("rollback");
      mistakes.push(`${name}: ${(error as Error).message} in ${query.slice(0, 300)}`);
    }
  }
  return mistakes;
}

const plpgsql = FUNCTIONS.filter(({ text }) => /^language plpgsql/m.test(text));

test("every name in the body of a plpgsql function is one of its own, or of the database", async () => {
  const mistakes: string[] = [];
  for (const { name, text } of plpgsql) mistakes.push(...(await mistakesOf(name, text)));
  expect(mistakes).toEqual([]);
});

test("a parameter, column or function that was renamed is found", async () => {
  const broken = (from: string, to: string, name: string) => {
    const text = FUNCTIONS.find((each) => each.name === name)?.text ?? "";
    const changed = text.replace(/\$\$.*\$\$/s, (body) => body.replaceAll(from, to));
    expect(changed).not.toBe(text);
    return mistakesOf(name, changed);
  };
  expect(await broken("bought_feed", "sold_feed", "undo_purchase")).not.toEqual([]);
  expect(await broken("purchase_id", "sale_id", "undo_purchase")).not.toEqual([]);
  expect(await broken("append_ledger_entry(", "add_entry(", "record_purchase")).not.toEqual([]);
});

test("most queries of the functions are looked at", () => {
  const counts = plpgsql.map(({ text }) => {
    const { records, queries } = takeApart(text);
    const passed = queries.filter((query) => records.some((name) => query.includes(`${name}.`)));
    return { all: queries.length, passed: passed.length };
  });
  const sum = (name: "all" | "passed") => counts.reduce((total, each) => total + each[name], 0);
  expect(sum("all")).toBeGreaterThan(500);
  expect(sum("passed") / sum("all")).toBeLessThan(0.2);
});
