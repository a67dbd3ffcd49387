import { describe, expect, test } from "bun:test";
import { describeFields } from "../../../src/pages/public/field_details.ts";

function detailsOf(schema: unknown, sample: unknown = null) {
  return describeFields({
    schema: schema === undefined ? null : JSON.stringify(schema),
    sample: JSON.stringify(sample),
  }).fields;
}

describe("describeFields", () => {
  test("a field has the type, format, description, values and example of the schema", () => {
    const [at, state] = detailsOf({
      required: ["at"],
      properties: {
        at: {
          type: "string",
          format: "date-time",
          description: " When\nit\u202e was ",
          examples: ["2026"],
        },
        state: { enum: Array.from({ length: 10 }, (_, place) => `s${place}`) },
      },
    });
    expect(at).toEqual({
      name: "at",
      type: "string (date-time)",
      isRequired: true,
      description: "When it was",
      values: [],
      otherValues: 0,
      example: "2026",
    });
    expect(state).toMatchObject({ type: "any", isRequired: false, otherValues: 2, example: "" });
    expect(state?.values).toHaveLength(8);
  });

  test("without an example in the schema, the sample's value is one", () => {
    expect(detailsOf({ properties: { a: {} } }, [{ a: { b: [1] } }])[0]?.example).toBe('{"b":[1]}');
    expect(detailsOf(undefined, { a: 1.5 })[0]?.example).toBe("1.5");
    expect(detailsOf(undefined, { a: null })[0]?.example).toBe("");
  });

  test("a schema that is no such thing describes nothing", () => {
    for (const odd of [true, [], 1, "x", null]) expect(detailsOf(odd)).toEqual([]);
    const [field] = detailsOf({
      required: 1,
      properties: { a: { description: {}, format: "<b>", enum: "x", examples: {} } },
    });
    expect(field).toMatchObject({ type: "any", description: "", values: [], example: "" });
    expect(detailsOf({ properties: { a: true } })[0]).toMatchObject({ type: "any" });
  });
});
