import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CheckRun } from "../../../src/push/schema/check_run.ts";
import { compileSchema } from "../../../src/push/schema/compile_schema.ts";
import { isMultipleOf } from "../../../src/push/schema/exact_numbers.ts";

function isValid(schema: unknown, value: unknown): boolean {
  const run = new CheckRun({ stepsMax: 1_000_000, isExplaining: false });
  return compileSchema(schema).isValid(value, run);
}

describe("isMultipleOf", () => {
  test("isMultipleOf goes by decimal digits", () => {
    for (const cents of [1, 435, 1_999, 123_456_789]) {
      expect(isMultipleOf(cents / 100, 0.01)).toBe(true);
    }
    expect(isMultipleOf(19.999, 0.01)).toBe(false);
    expect(isMultipleOf(1e308, 0.123456789)).toBe(false);
    expect(isMultipleOf(1e308, 1e-300)).toBe(true);
    expect(isMultipleOf(0, 0.1)).toBe(true);
    expect(isMultipleOf(-0.3, 0.1)).toBe(true);
    expect(isMultipleOf(5e-324, 1)).toBe(false);
    expect(isMultipleOf(2 ** 60, 2)).toBe(true);
  });

  test("isMultipleOf agrees with exact arithmetic", () => {
    const decimal = fc.tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 6 }));
    fc.assert(
      fc.property(decimal, decimal, ([value, places], [divisor, divisorPlaces]) => {
        fc.pre(divisor !== 0);
        const scaled = BigInt(value) * 10n ** BigInt(6 - places);
        const scaledDivisor = BigInt(Math.abs(divisor)) * 10n ** BigInt(6 - divisorPlaces);
        expect(
          isMultipleOf(
            Number(`${value}e-${places}`),
            Number(`${Math.abs(divisor)}e-${divisorPlaces}`),
          ),
        ).toBe(scaled % scaledDivisor === 0n);
      }),
    );
  });
});

describe("equality of JSON values", () => {
  test("enum and const find a value whatever the order of its keys, and no other", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        const same: unknown = JSON.parse(JSON.stringify(value), reverseKeys);
        const isSame = Bun.deepEquals(value, JSON.parse(JSON.stringify(other)));
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(isValid({ const: plain }, same)).toBe(true);
        expect(isValid({ enum: [plain, "x"] }, same)).toBe(true);
        if (!isSame && JSON.stringify(plain) !== JSON.stringify(other)) {
          expect(isValid({ uniqueItems: true }, [plain, JSON.parse(JSON.stringify(other))])).toBe(
            !isValid({ const: plain }, JSON.parse(JSON.stringify(other))),
          );
        }
        expect(isValid({ uniqueItems: true }, [plain, 0.5, same])).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  test("equality distinguishes kinds of values", () => {
    const values = [0, "0", false, null, "", [], {}, [0], ["0"], { 0: 0 }, "[]", "{}", "null"];
    expect(isValid({ uniqueItems: true }, values)).toBe(true);
    for (const value of values) {
      const others = values.filter((other) => other !== value);
      expect(isValid({ enum: others }, value)).toBe(false);
    }
  });
});

function reverseKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).reverse());
}
