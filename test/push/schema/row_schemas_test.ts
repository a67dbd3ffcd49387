import { afterAll, describe, expect, test } from "bun:test";
import { createRowSchemas, type RowsCheck } from "../../../src/push/schema/row_schemas.ts";
import { CALLER, callerOf } from "./caller.ts";

const rowSchemas = createRowSchemas();
afterAll(() => rowSchemas.close());

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
let accounts = 0;

function check(schema: unknown) {
  return rowSchemas.checkSchema(
    typeof schema === "string" ? schema : JSON.stringify(schema),
    CALLER,
  );
}

/** Rows are given as JSON texts, as a push holds them. */
function validate(schema: unknown, ...rows: string[]): Promise<RowsCheck> {
  accounts += 1;
  const text = typeof schema === "string" ? schema : JSON.stringify(schema);
  // Each of an account of its own.
  return rowSchemas.validateRows(text, rows, callerOf(String(accounts)));
}

async function kindOf(schema: unknown, row: string): Promise<string> {
  return (await validate(schema, row)).kind;
}

test("rows and schemas keep all digits on their way to the worker", async () => {
  const row = (n: string) => `{"n":${n}}`;
  const schema = '{"properties":{"n":{"maximum":9007199254740992,"type":"integer"}}}';
  expect(await kindOf(schema, row("9007199254740992"))).toBe("valid");
  expect(await kindOf(schema, row("1.0"))).toBe("valid");
  expect(await kindOf(schema, row("9007199254740993"))).toBe("invalid");
  expect(await kindOf(schema, row("-1234567890123456789.5"))).toBe("invalid");
  const comparison = await rowSchemas.compareSchemas(
    '{"const":1234567890123456789}',
    '{"const":1234567890123456788}',
    CALLER,
  );
  expect(comparison).toMatchObject({ compatibility: "breaking" });
});

describe("checkSchema", () => {
  test("checkSchema takes both drafts, by http or https, with or without the empty fragment", async () => {
    for (const uri of [
      "https://json-schema.org/draft/2020-12/schema",
      "https://json-schema.org/draft/2020-12/schema#",
      "http://json-schema.org/draft-07/schema#",
      "http://json-schema.org/draft-07/schema",
      "https://json-schema.org/draft-07/schema",
    ]) {
      expect(await check({ $schema: uri })).toEqual({ kind: "valid" });
    }
  });

  test("checkSchema refuses every other $schema, also one inside", async () => {
    for (const $schema of ["http://json-schema.org/draft-04/schema#", "", 7, "x"]) {
      expect(await check({ $schema })).toMatchObject({ kind: "invalid_schema" });
    }
    const mixed = { properties: { a: { $schema: DRAFT_07 } } };
    expect(await check(mixed)).toMatchObject({ kind: "invalid_schema" });
  });

  test("checkSchema refuses what the metaschema refuses, and says where", async () => {
    const outcome = await check({ properties: { price: { minimum: "0" } } });
    expect(outcome).toEqual({
      kind: "invalid_schema",
      detail: 'minimum must be a number, got "0"',
      pointer: "/properties/price/minimum",
    });
    for (const schema of ["[]", "1", "null", '"a"', '{"type":"text"}']) {
      expect(await check(schema)).toMatchObject({ kind: "invalid_schema" });
    }
  });

  test("checkSchema refuses a reference that leaves the document, to a metaschema, or to nothing", async () => {
    for (const $ref of [
      "http://localhost:1234/a.json",
      "other.json",
      "https://json-schema.org/draft/2020-12/schema",
      "http://json-schema.org/draft-07/schema#",
      "file:///etc/passwd",
      "#/$defs/none",
      "#none",
      "#/type",
      "#%zz",
      "http://[",
    ]) {
      const schema = { type: "object", properties: { a: { $ref } } };
      expect({ $ref, outcome: await check(schema) }).toMatchObject({
        outcome: { kind: "invalid_schema" },
      });
    }
    expect(await check({ $dynamicRef: "http://localhost/a#b" })).toMatchObject({
      kind: "invalid_schema",
    });
    // Unused definitions as well: they would fail the day they are used.
    expect(await check({ $defs: { a: { $ref: "b.json" } } })).toMatchObject({
      kind: "invalid_schema",
    });
  });

  test("checkSchema refuses a mistake in a target outside the known keywords", async () => {
    const outcome = await check({ $ref: "#/shapes/0", shapes: [{ type: "text" }] });
    expect(outcome).toMatchObject({ kind: "invalid_schema" });
    expect(await kindOf({ $ref: "#/shapes/0", shapes: [{ type: "string" }] }, "1")).toBe("invalid");
  });

  test("checkSchema refuses references that lead back to themselves for the same value", async () => {
    for (const schema of [
      { $ref: "#" },
      {
        $ref: "#/$defs/a",
        $defs: { a: { $ref: "#/$defs/b" }, b: { allOf: [{ $ref: "#/$defs/a" }] } },
      },
      { anyOf: [{ type: "string" }, { $ref: "#" }] },
      { $dynamicAnchor: "a", $dynamicRef: "#a" },
    ]) {
      expect(await check(schema)).toMatchObject({ kind: "invalid_schema" });
    }
    expect(await check({ properties: { child: { $ref: "#" } } })).toEqual({ kind: "valid" });
  });

  test("checkSchema refuses a pattern that is not ECMA-262, or not linear", async () => {
    for (const pattern of ["(", "a{", "\\a", "(?=a)b", "(?<!a)b", "(a)\\1", "a{5000}"]) {
      expect({ pattern, outcome: await check({ pattern }) }).toMatchObject({
        outcome: { kind: "invalid_schema" },
      });
    }
    expect(await check({ patternProperties: { "(?=a)": true } })).toMatchObject({
      kind: "invalid_schema",
    });
  });
});

describe("validateRows", () => {
  test("validateRows gives each mistake the row's index and a JSON Pointer inside the row", async () => {
    const schema = {
      type: "object",
      required: ["id"],
      properties: { "a/b~c": { items: { type: "number" } }, kind: { enum: ["x", "y"] } },
      additionalProperties: false,
    };
    const outcome = await validate(
      schema,
      '{"id":1,"a/b~c":[1,2]}',
      '{"a/b~c":[1,"2"],"kind":"z","m/n":0}',
      "3",
    );
    expect(outcome).toMatchObject({ kind: "invalid", errorCount: 6 });
    const errors = outcome.kind === "invalid" ? outcome.errors : [];
    expect(errors.map(({ row, pointer }) => `${row} ${pointer}`)).toEqual([
      "0 /id",
      "1 ",
      "1 /a~1b~0c/1",
      "1 /kind",
      "1 /m~1n",
      "2 ",
    ]);
    expect(errors.find(({ pointer }) => pointer === "/kind")?.message).toBe(
      'must be one of "x", "y"',
    );
  });

  test("validateRows describes 20 mistakes and counts all of all rows", async () => {
    const rows = Array.from({ length: 500 }, () => '{"a":1,"b":2,"c":3}');
    const schema = { additionalProperties: { type: "string" } };
    const outcome = await validate(schema, ...rows);
    expect(outcome).toMatchObject({ kind: "invalid", errorCount: 1_500 });
    expect(outcome.kind === "invalid" && outcome.errors.length).toBe(20);
    expect(outcome.kind === "invalid" && outcome.errors.at(-1)?.row).toBe(6);
  });

  test("validateRows counts one mistake a row if finding all would cost too much", async () => {
    const branches = Array.from({ length: 100 }, () => ({ items: { type: "string" } }));
    const row = JSON.stringify(Array.from({ length: 10_000 }, () => 1));
    const outcome = await validate({ allOf: branches }, row, row);
    expect(outcome).toMatchObject({ kind: "invalid", errorCount: 2 });
  });

  test("validateRows cuts a message that the schema makes long", async () => {
    const outcome = await validate({ required: ["x".repeat(10_000)] }, "{}");
    expect(outcome.kind === "invalid" && outcome.errors[0]?.message.length).toBe(300);
  });

  test("validateRows has an outcome for a schema that does not compile", async () => {
    expect(await kindOf({ type: "text" }, "1")).toBe("invalid_schema");
  });

  test("format, content keywords and unknown ones check nothing", async () => {
    const schema = {
      format: "date-time",
      contentEncoding: "base64",
      contentMediaType: "application/json",
      contentSchema: { type: "number" },
      unknown: { type: "number" },
      id: "x",
      example: 1,
    };
    expect(await kindOf(schema, '"no date, no base64 %"')).toBe("valid");
  });

  test("keywords of no draft, such as $async and nullable, mean nothing", async () => {
    expect(await kindOf({ $async: true, type: "string" }, "1")).toBe("invalid");
    expect(await kindOf({ type: "string", nullable: true }, "null")).toBe("invalid");
    expect(await kindOf({ $recursiveRef: "#", type: "string" }, '"a"')).toBe("valid");
    expect(await kindOf({ type: "number", maximum: { $data: "1" } }, "1")).toBe("invalid_schema");
  });

  test("texts of a schema that look like code are texts", async () => {
    const breakers = ["*/ throw 1; /*", '"); throw 1; ("', "\\", "\u2028", "`1`", "errors++;"];
    for (const text of breakers) {
      const schema = {
        $id: encodeURI(text),
        title: text,
        description: text,
        $comment: text,
        properties: { [text]: { const: text } },
        required: [text],
        additionalProperties: false,
        $defs: { [text]: { $anchor: "a", enum: [text] } },
        dependentRequired: { [text]: [text] },
        allOf: [{ $ref: "#a" }, true].slice(1),
      };
      const row = JSON.stringify({ [text]: text });
      expect({ text, kind: await kindOf(schema, row) }).toEqual({ text, kind: "valid" });
      expect(await kindOf({ ...schema, $id: text }, "{}")).not.toBe("over_budget");
    }
  });

  test("draft-07 is applied if $schema says so", async () => {
    const schema = { $schema: DRAFT_07, items: [{ type: "string" }], additionalItems: false };
    expect(await kindOf(schema, '["a"]')).toBe("valid");
    expect(await kindOf(schema, '["a",1]')).toBe("invalid");
    // Keywords that draft-07 does not know are ignored there.
    expect(await kindOf({ $schema: DRAFT_07, prefixItems: [{ type: "string" }] }, "[1]")).toBe(
      "valid",
    );
    expect(await kindOf({ $schema: DRAFT_07, unevaluatedItems: false }, "[1]")).toBe("valid");
  });

  test("names of Object.prototype are names like any, in schema and row", async () => {
    const names = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty"];
    for (const name of names) {
      const key = JSON.stringify(name);
      const named = `{"properties":{${key}:{"type":"number"}},"required":[${key}],"additionalProperties":false}`;
      expect(await kindOf(named, `{${key}:1}`)).toBe("valid");
      expect(await kindOf(named, `{${key}:"a"}`)).toBe("invalid");
      expect(await kindOf(named, "{}")).toBe("invalid");
      expect(await kindOf({ additionalProperties: false }, `{${key}:1}`)).toBe("invalid");
      const unevaluated = {
        anyOf: [{ patternProperties: { "^x": true } }],
        unevaluatedProperties: false,
      };
      expect(await kindOf(unevaluated, `{${key}:1}`)).toBe("invalid");
      expect(await kindOf(`{"const":{${key}:1}}`, `{${key}:1}`)).toBe("valid");
      expect(await kindOf(`{"const":{${key}:{}}}`, `{${key}:{}}`)).toBe("valid");
      expect(await kindOf(`{"enum":[{${key}:1}]}`, `{${key}:2}`)).toBe("invalid");
      const dependent = `{"dependentRequired":{${key}:["b"]}}`;
      expect(await kindOf(dependent, `{${key}:1}`)).toBe("invalid");
      expect(await kindOf(dependent, "{}")).toBe("valid");
      const referred = `{"$ref":"#/$defs/${name}","$defs":{${key}:{"type":"object"}}}`;
      expect(await kindOf(referred, "{}")).toBe("valid");
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("unevaluatedItems knows which items a contains has matched, also under conditions", async () => {
    const schema = {
      if: { contains: { const: "a" } },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema's keyword.
      then: { if: { contains: { const: "b" } } },
      unevaluatedItems: false,
    };
    expect(await kindOf(schema, '["a","a"]')).toBe("valid");
    expect(await kindOf(schema, '["a","b","a"]')).toBe("valid");
    expect(await kindOf(schema, '["b"]')).toBe("invalid");
    expect(await kindOf(schema, '["a","b","c"]')).toBe("invalid");
  });

  test("many pushes checked at once have each its own outcome", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        validate({ const: index }, String(index % 2 === 0 ? index : -1)),
      ),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(
      outcomes.map((_, index) => (index % 2 === 0 ? "valid" : "invalid")),
    );
  });

  test("a push of no rows meets any schema", async () => {
    expect(await validate(false)).toEqual({ kind: "valid" });
  });

  test("validateRows rejects rows that are not JSON, which is a fault of ours", async () => {
    expect(validate({}, "{")).rejects.toThrow();
    expect(await kindOf({}, "{}")).toBe("valid");
  });
});

describe("close", () => {
  test("closed row schemas answer busy", async () => {
    const closed = createRowSchemas();
    const waiting = closed.checkSchema("{}", CALLER);
    await closed.close();
    expect(await waiting).toEqual({ kind: "busy" });
    const later = await closed.validateRows("{}", ["1"], CALLER);
    expect(later).toEqual({ kind: "busy" });
  });
});
