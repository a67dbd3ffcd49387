import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { plainDecimal } from "../../../src/lib/plain_decimal.ts";
import { CheckRun } from "../../../src/push/schema/check_run.ts";
import { compareSchemas } from "../../../src/push/schema/compare_schemas.ts";
import { compileSchema } from "../../../src/push/schema/compile_schema.ts";
import {
  compareNumbers,
  isInteger,
  isMultipleOf,
  isNumeric,
  LongNumber,
  type Numeric,
  negated,
  parseExactly,
  wholeFrom,
} from "../../../src/push/schema/exact_numbers.ts";

const LONG = "1234567890123456789";

/** The mistakes of a value by a schema, both as JSON text. */
function mistakes(schema: string, value: string): readonly string[] {
  const run = new CheckRun({ stepsMax: 1_000_000, isExplaining: true });
  compileSchema(parseExactly(schema)).isValid(parseExactly(value), run);
  return run.errors.map(({ message }) => message);
}

function numericOf(text: string): Numeric {
  const value = parseExactly(text);
  if (!isNumeric(value)) throw new Error(`${text} is no number`);
  return value;
}

describe("a schema takes numbers with all their digits", () => {
  const cases: readonly (readonly [schema: string, valid: string, invalid: string])[] = [
    [`{"const":${LONG}}`, LONG, "1234567890123456788"],
    [`{"enum":["a",${LONG}]}`, `${LONG}.0`, "1234567890123456790"],
    [`{"const":{"a":[${LONG}]}}`, `{"a":[${LONG}]}`, `{"a":[1234567890123456788]}`],
    ['{"uniqueItems":true}', `[${LONG},1234567890123456788]`, `[${LONG},12345678901234567890e-1]`],
    ['{"type":"integer"}', LONG, `${LONG}.5`],
    ['{"type":"number"}', `${LONG}.5`, `"${LONG}.5"`],
    ['{"maximum":9007199254740992}', "9007199254740992", "9007199254740993"],
    [`{"exclusiveMaximum":${LONG}}`, "1234567890123456788", LONG],
    [`{"minimum":${LONG}}`, "1234567890123456790", "1234567890123456788"],
    [`{"exclusiveMinimum":${LONG}}`, `${LONG}.1`, LONG],
    ['{"multipleOf":2}', "9007199254740994", "9007199254740993"],
    ['{"multipleOf":0.01}', `${LONG}.25`, `${LONG}.255`],
    ['{"maximum":0.1}', "0.1", "0.10000000000000000001"],
    [`{"maxLength":${LONG}}`, '"a"', "{}"],
  ];
  for (const [schema, valid, invalid] of cases) {
    test(schema, () => {
      expect(mistakes(schema, valid)).toEqual([]);
      if (!schema.includes("maxLength")) expect(mistakes(schema, invalid)).toHaveLength(1);
    });
  }

  test("a long number is no object, and a message shows its digits", () => {
    expect(mistakes('{"type":"object"}', LONG)).toEqual(["must be an object"]);
    expect(mistakes('{"required":["a"],"minProperties":1}', LONG)).toEqual([]);
    expect(mistakes(`{"maximum":${LONG}}`, "1e30")).toEqual([`must be at most ${LONG}`]);
    expect(mistakes(`{"const":${LONG}}`, "1")).toEqual([`must be ${LONG}`]);
    expect(() => compileSchema(parseExactly(`{"items":${LONG}}`))).toThrow("must be a schema");
    expect(() => compileSchema(parseExactly(`{"maxItems":${LONG}.5}`))).toThrow("whole number");
  });

  test("schemas are compared by all digits", () => {
    const compared = (before: string, after: string) =>
      compareSchemas(parseExactly(before), parseExactly(after)).compatibility;
    const values = (text: string) => `{"const":${text}}`;
    expect(compared(values(LONG), values("1234567890123456788"))).toBe("breaking");
    expect(compared(values(LONG), values(`${LONG}.0`))).toBe("same");
    const most = (text: string) => `{"type":"integer","maximum":${text}}`;
    expect(compared(most(LONG), most("1234567890123456788"))).toBe("compatible");
    expect(compared(most(LONG), most("1234567890123456790"))).toBe("breaking");
    expect(compared(most(LONG), most(`${LONG}.5`))).toBe("same");
    const factor = (text: string) => `{"type":"number","multipleOf":${text}}`;
    expect(compared(factor(LONG), factor("2469135780246913578"))).toBe("compatible");
    expect(compared(factor(LONG), factor("2469135780246913579"))).toBe("breaking");
  });
});

describe("parseExactly", () => {
  test("only a number that a double would change is a long one", () => {
    for (const text of ["1.10", "1e22", "0.30000000000000004", "10000000000000000000000", "-0"]) {
      expect([text, parseExactly(text)]).toEqual([text, Number(text)]);
    }
    for (const text of ["9007199254740993", "1.00000000000000000001", "1.23456789e-320"]) {
      expect([text, parseExactly(text)]).toEqual([text, expect.any(LongNumber)]);
    }
    expect(parseExactly(`{"a":"x,${LONG}"}`)).toEqual({ a: `x,${LONG}` });
  });

  test("numbers keep their value, wherever they stand", () => {
    const digits = fc.stringMatching(/^-?[1-9]\d{0,24}(\.\d{1,24})?(e-?\d{1,2})?$/);
    const value = fc.letrec((tie) => ({
      text: fc.oneof(
        { maxDepth: 3 },
        digits,
        fc.string().map((each) => JSON.stringify(each)),
        fc.array(tie("text"), { maxLength: 3 }).map((each) => `[ ${each.join(" ,\n")}]`),
        fc
          .tuple(fc.string(), tie("text"))
          .map(([key, each]) => `{${JSON.stringify(key)}: ${each}}`),
      ),
    })).text;
    const plain = (text: string) =>
      JSON.stringify(
        JSON.parse(text, (_: string, each: unknown, context?: { readonly source?: string }) =>
          typeof each === "number" ? plainDecimal(context?.source ?? "") : each,
        ),
      );
    fc.assert(
      fc.property(value, (text) => {
        expect(plain(JSON.stringify(parseExactly(String(text))))).toBe(plain(String(text)));
      }),
    );
  });
});

test("long numbers and doubles are ordered and divided as exact arithmetic does it", () => {
  const number = fc.tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat({ max: 3 }));
  const textOf = ([digits, places]: readonly [bigint, number]) => `${digits}e-${places}`;
  const scaled = ([digits, places]: readonly [bigint, number]) =>
    digits * 10n ** BigInt(3 - places);
  fc.assert(
    fc.property(number, number, (a, b) => {
      const [first, second] = [numericOf(textOf(a)), numericOf(textOf(b))];
      const [x, y] = [scaled(a), scaled(b)];
      expect(compareNumbers(first, second)).toBe(x < y ? -1 : x > y ? 1 : 0);
      expect(isInteger(first)).toBe(x % 1_000n === 0n);
      if (y !== 0n) expect(isMultipleOf(first, second)).toBe(x % y === 0n);
      expect(compareNumbers(negated(first), negated(second))).toBe(compareNumbers(second, first));
      const whole = wholeFrom(first, false);
      expect(compareNumbers(whole, first)).toBeGreaterThanOrEqual(0);
      expect(isInteger(whole)).toBe(true);
      const above = wholeFrom(first, true);
      expect(compareNumbers(above, first)).toBe(1);
      expect(x - scaled([BigInt(String(above)), 0])).toBeGreaterThanOrEqual(-1_000n);
    }),
  );
});
