import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { scanJson } from "../../../src/lib/json_text.ts";
import { plainDecimal } from "../../../src/lib/plain_decimal.ts";
import { canonicalRowId } from "../../../src/push/rows/row_id.ts";

describe("canonicalRowId", () => {
  test.each([
    ["1", "1"],
    ['"1"', "1"],
    ["1.0", "1"],
    ["1e0", "1"],
    ["100e-2", "1"],
    ["-0", "0"],
    ["0.000", "0"],
    ["0e999999999999", "0"],
    ["-1.50e1", "-15"],
    ["-15E-4", "-0.0015"],
    ["1e3", "1000"],
    ["1.25e+1", "12.5"],
    ["12345678901234567890.50", "12345678901234567890.5"],
    ["9007199254740993", "9007199254740993"],
    ['"1.0"', "1.0"],
    ['"1e0"', "1e0"],
    ['" "', " "],
    ['"a\\u00e9\\n"', "aé\n"],
    ['"true"', "true"],
  ])("%s is the id %j", (source, id) => {
    expect(rowId(source)).toEqual({ kind: "valid", id });
  });

  test("plainDecimal writes a large exponent out", () => {
    expect(plainDecimal("1e300")).toBe(`1${"0".repeat(300)}`);
    expect(plainDecimal("5e-324")).toBe(`0.${"0".repeat(323)}5`);
  });

  test("a row id may have 256 code points of any script, and no more", () => {
    for (const character of ["x", "é", "名", "😀"]) {
      expect(rowId(`"${character.repeat(256)}"`)).toEqual({
        kind: "valid",
        id: character.repeat(256),
      });
      expect(rowId(`"${character.repeat(257)}"`).kind).toBe("invalid");
    }
    expect(rowId(`"${"\\u0041".repeat(256)}"`)).toEqual({ kind: "valid", id: "A".repeat(256) });
  });

  test.each([
    ['""', "an empty string"],
    [`"${"x".repeat(1_000)}"`, "a longer string"],
    ["null", "null"],
    ["true", "boolean"],
    ["[1]", "array"],
    ["{}", "object"],
  ])("%s is none", (source, got) => {
    expect(rowId(source)).toEqual({
      kind: "invalid",
      message: `id must be a string of 1 to 256 characters or a number, got ${got}`,
    });
  });

  test("the row id of a double is the double without exponent and needless zeros", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const id = plainDecimal(JSON.stringify(value));
        expect(Number(id)).toBe(value === 0 ? 0 : value);
        expect(id).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
      }),
      { numRuns: 5_000 },
    );
  });

  test("every spelling of one number is one row id", () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,30}$/);
    fc.assert(
      fc.property(
        digits,
        fc.integer({ min: -40, max: 40 }),
        fc.nat(20),
        (whole, exponent, zeros) => {
          const spelled = `${whole}${"0".repeat(zeros)}.${"0".repeat(zeros)}E${exponent - zeros}`;
          expect(plainDecimal(spelled)).toBe(plainDecimal(`${whole}e${exponent}`));
          expect(plainDecimal(`-${spelled}`)).toBe(`-${plainDecimal(spelled)}`);
        },
      ),
    );
  });
});

function rowId(source: string) {
  const json = scanJson(source, { spanDepth: 0, heightMax: 100 });
  return canonicalRowId(json, json.root);
}
