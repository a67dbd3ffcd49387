import { afterAll, describe, expect, test } from "bun:test";
import type { FeedType } from "../../../src/feeds/find.ts";
import { createRowSchemas } from "../../../src/push/schema/row_schemas.ts";
import { CALLER } from "./caller.ts";

const rowSchemas = createRowSchemas();
afterAll(() => rowSchemas.close());

interface Definition {
  readonly schema: unknown;
  readonly sample?: unknown;
  readonly feedType?: FeedType | null;
  readonly rows?: readonly unknown[];
}

function warningsOf({ schema, sample, feedType = "collection", rows = [] }: Definition) {
  return rowSchemas.findWarnings(
    {
      schema: JSON.stringify(schema),
      sample: sample === undefined ? null : JSON.stringify(sample),
      feedType,
      newestRows: rows.map((row) => JSON.stringify(row)),
    },
    CALLER,
  );
}

const SCHEMA = { type: "object", properties: { id: { type: "string" } } };

describe("findWarnings", () => {
  test("a schema that names id, with a sample that meets it, gives none", async () => {
    for (const feedType of ["singleton", "collection", "stream", null] as const) {
      expect(await warningsOf({ schema: SCHEMA, sample: { id: "a" }, feedType })).toEqual([]);
    }
    // Rows of a page make a sample, too.
    expect(await warningsOf({ schema: SCHEMA, sample: [{ id: "a" }, { id: "b" }] })).toEqual([]);
  });

  test("format is not checked, wherever it stands", async () => {
    const schema = { ...SCHEMA, $defs: { time: { format: "date-time" } } };
    expect(await warningsOf({ schema })).toEqual([
      "format in schema_definition is an annotation and is not checked; use pattern.",
    ]);
    const named = { ...SCHEMA, properties: { id: {}, format: { enum: ["format"] } } };
    expect(await warningsOf({ schema: named })).toEqual([]);
  });

  test("a sample that does not meet the schema is reported with its first mistake", async () => {
    const message = "sample_response does not meet schema_definition: /id must be a string.";
    expect(await warningsOf({ schema: SCHEMA, sample: { id: 1 } })).toEqual([message]);
    expect(await warningsOf({ schema: SCHEMA, sample: [{ id: "a" }, { id: 1 }] })).toEqual([
      message,
    ]);
    expect(await warningsOf({ schema: SCHEMA, sample: [], feedType: "singleton" })).toEqual([
      "sample_response does not meet schema_definition: a row must be an object.",
    ]);
  });

  test("a schema for an array is for no row", async () => {
    for (const type of ["array", ["array"]]) {
      expect(await warningsOf({ schema: { type }, feedType: null })).toEqual([
        "schema_definition describes an array, though it is for one row.",
      ]);
    }
    expect(await warningsOf({ schema: { type: ["array", "object"] }, feedType: null })).toEqual([]);
  });

  test("rows of collections and streams need an id, unless a subschema may name it", async () => {
    const schema = { properties: { name: {} } };
    for (const feedType of ["collection", "stream"] as const) {
      expect(await warningsOf({ schema, feedType })).toEqual([
        `schema_definition names no property "id", which each row of a ${feedType} must have.`,
      ]);
    }
    expect(await warningsOf({ schema, feedType: "singleton" })).toEqual([]);
    expect(await warningsOf({ schema: { allOf: [SCHEMA] } })).toEqual([]);
  });

  test("keywords that look misspelt are reported with where they stand; those of providers' own are not", async () => {
    const misspelt = (name: string, meant: string, where = "") =>
      `The keyword "${name}" in schema_definition${where} is unknown and checks nothing; did you mean "${meant}"?`;
    const schema = {
      ...SCHEMA,
      requierd: ["id"],
      properties: { id: { typ: "string" }, price: { tpye: "number", minimun: 0, unit: "USD" } },
    };
    expect(await warningsOf({ schema })).toEqual([
      misspelt("requierd", "required"),
      misspelt("typ", "type", " at /properties/id"),
      misspelt("tpye", "type", " at /properties/price"),
      misspelt("minimun", "minimum", " at /properties/price"),
    ]);
    const plural = {
      ...SCHEMA,
      additionalProperty: false,
      property: {},
      patternProperty: {},
      dependency: {},
    };
    expect(await warningsOf({ schema: plural })).toEqual([
      misspelt("additionalProperty", "additionalProperties"),
      misspelt("property", "properties"),
      misspelt("patternProperty", "patternProperties"),
      misspelt("dependency", "dependencies"),
    ]);
    const nullable = { type: ["string"], nullable: true };
    expect(await warningsOf({ schema: { properties: { id: {}, nullable } } })).toEqual([
      'The keyword "nullable" in schema_definition at /properties/nullable is unknown and checks nothing; list "null" in "type" instead.',
    ]);
    const harmless = { type: ["string", "null"], nullable: true };
    expect(await warningsOf({ schema: { properties: { id: harmless } } })).toEqual([]);
    // Annotations of OpenAPI and of providers, words of another draft, and names of properties.
    const own = {
      ...SCHEMA,
      properties: {
        id: { example: 1, nullable: true, note: "x", "x-unit": "s" },
        typ: {},
        itmes: {},
      },
    };
    expect(await warningsOf({ schema: own })).toEqual([]);
    const many = {
      ...SCHEMA,
      $defs: Object.fromEntries([...Array(9).keys()].map((n) => [n, { typ: 1 }])),
    };
    expect(await warningsOf({ schema: many })).toHaveLength(5);
  });

  test("of rows that are there already it says how many fail, with the first mistake", async () => {
    const rows = [{ id: "a" }, { id: 1 }, { id: 2 }];
    expect(await warningsOf({ schema: SCHEMA, rows })).toEqual([
      "Of the newest 3 rows, 2 fail schema_definition, which is locked: /id must be a string.",
    ]);
    expect(await warningsOf({ schema: SCHEMA, rows: [{ id: "a" }] })).toEqual([]);
    expect(await warningsOf({ schema: SCHEMA, rows: [{ id: 1 }], feedType: "singleton" })).toEqual([
      "The stored document fails schema_definition, which is locked: /id must be a string.",
    ]);
  });

  test("a schema that takes too long is not reviewed, and the warning says so", async () => {
    const closed = createRowSchemas();
    closed.close();
    const definition = { schema: "{}", sample: null, feedType: null, newestRows: [] };
    expect(await closed.findWarnings(definition, CALLER)).toEqual([
      "The schema and the sample were not reviewed, because this takes too long at the moment.",
    ]);
  });
});
