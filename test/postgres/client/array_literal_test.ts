import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import { type Connections, connect } from "../../../src/postgres/client/connect.ts";
import { createTestDatabase } from "../../support/database.ts";

let sql: Connections;

beforeAll(async () => {
  const { address } = await createTestDatabase();
  sql = connect(address, { connectionsMax: 1 });
});

afterAll(() => sql.end());

describe("arrayLiteral", () => {
  test("PostgreSQL gives back any texts and nulls of an array literal as they were", async () => {
    // PostgreSQL holds no NUL, and a lone surrogate is no UTF-8.
    const text = fc
      .string({ unit: "grapheme", maxLength: 12 })
      .map((any) => any.replaceAll("\0", ""))
      .filter((any) => any.isWellFormed());
    const special = fc.constantFrom(
      "",
      "NULL",
      "null",
      '"',
      "\\",
      "{}",
      ",",
      " a ",
      '\\"',
      "{a,b}",
    );
    const element = fc.oneof(text, special, fc.constant(null));
    await fc.assert(
      fc.asyncProperty(fc.array(element, { maxLength: 8 }), async (elements) => {
        const [row] = await sql.unsafe(
          "select to_json($1::text[])::text as back",
          [arrayLiteral(elements)],
          { prepare: true },
        );
        expect(JSON.parse(row?.back)).toEqual(elements);
      }),
      { numRuns: 300 },
    );
  });

  test("PostgreSQL reads numbers, bigints and booleans of an array literal", () => {
    expect(arrayLiteral([])).toBe("{}");
    expect(arrayLiteral([1, -2.5, 9_007_199_254_740_993n, true, null])).toBe(
      "{1,-2.5,9007199254740993,true,null}",
    );
  });
});
