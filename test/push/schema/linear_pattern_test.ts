import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CheckRun, StepsSpent } from "../../../src/push/schema/check_run.ts";
import { PatternCompiler } from "../../../src/push/schema/linear_pattern.ts";
import { SchemaRefused } from "../../../src/push/schema/schema_refused.ts";

/** The pattern, tested by a run with so many steps. */
function compile(pattern: string, stepsMax = 1_000_000) {
  const run = new CheckRun({ stepsMax, isExplaining: false });
  const linear = new PatternCompiler().compile(pattern, "/pattern");
  return { test: (text: string) => linear.test(text, run) };
}

const TEXTS = [
  ..."aAbzZ09_-[]^\\/.{}()|$+*?:,!&~ \t\n\r\v\f\b\0\u00a0\u0085\u2028\u2029\ufeff\u200bäßſKéΑαжあ漢😀𝔸\u{10ffff}",
  "",
  "ab",
  "a\n",
  "\na",
  "aa",
  "a-b",
  "]",
];

describe("PatternCompiler.compile", () => {
  test("a linear pattern matches as the platform's RegExp with the u flag", () => {
    const patterns = [
      ".",
      "^.$",
      "a",
      "^a$",
      "\\s",
      "\\S",
      "\\d",
      "\\D",
      "\\w",
      "\\W",
      "\\b",
      "\\B",
      "^\\w+\\b",
      "[\\s]",
      "[^\\s]",
      "[\\S]",
      "[^\\S]",
      "[\\d\\s]",
      "[\\D]",
      "[\\W]",
      "[^\\W]",
      "[]",
      "[^]",
      "[\\w-]",
      "[-a]",
      "[a-]",
      "[a-z]",
      "[^a-z]",
      "[\\-]",
      "[[]",
      "[[:alpha:]",
      "[&&]",
      "[a^]",
      "[\\b]",
      "[\\]]",
      "[.]",
      "[$]",
      "\\/",
      "\\.",
      "\\[",
      "\\^",
      "\\$",
      "\\{",
      "\\|",
      "\\t",
      "\\n",
      "\\v",
      "\\f",
      "\\r",
      "\\0",
      "\\cA",
      "\\cj",
      "\\x41",
      "\\u0041",
      "\\u{41}",
      "\\u{1f600}",
      "\\ud83d\\ude00",
      "[\\ud83d\\ude00]",
      "[😀-😂]",
      "😀",
      "\\p{L}",
      "\\P{L}",
      "\\p{Lu}",
      "\\p{Letter}",
      "\\p{Script=Greek}",
      "\\p{sc=Grek}",
      "\\p{Script_Extensions=Greek}",
      "\\p{ASCII}",
      "\\p{Any}",
      "\\p{Emoji}",
      "\\P{ASCII}",
      "[\\p{Script=Greek}a]",
      "[^\\p{Script=Greek}]",
      "[\\P{ASCII}a]",
      "\\p{Cn}",
      "\\p{Cs}",
      "\\P{Cs}",
      "\\p{Alphabetic}",
      "(a)",
      "(?:a)",
      "(?<name>a)",
      "(a|b)+",
      "a?",
      "a*",
      "a+",
      "a{1}",
      "a{2,}",
      "a{0,2}",
      "a+?",
      "a??",
      "^$",
      "a|",
      "(?:)",
      "^(?:a|ab)$",
    ];
    for (const pattern of patterns) {
      const expected = new RegExp(pattern, "u");
      const linear = compile(pattern);
      for (const text of TEXTS) {
        expect({ pattern, text, isMatch: linear.test(text) }).toEqual({
          pattern,
          text,
          isMatch: expected.test(text),
        });
      }
    }
  });

  test("a linear pattern that is composed at random matches as the platform's RegExp", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      ".",
      "\\s",
      "\\w",
      "[ab]",
      "[^a]",
      "[\\s-]",
      "\\u{1f600}",
      "^",
      "$",
      "\\b",
      "-",
      "\\/",
      "[\\]^]",
      "\\p{Lu}",
      "ä",
    );
    const quantifier = fc.constantFrom("", "", "", "*", "+", "?", "{1,2}", "*?");
    const term = fc
      .tuple(atom, quantifier)
      .map(([left, right]) => (/^(?:\^|\$|\\b)$/.test(left) ? left : left + right));
    const sequence = fc.array(term, { maxLength: 4 }).map((terms) => terms.join(""));
    const pattern = fc
      .tuple(sequence, sequence, sequence)
      .map(([left, right, rest]) => `(?:${left}|(${right}))${rest}`);
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "A", " ", "-", "\n", "ä", "😀", "]", "\u2028"),
      maxLength: 6,
    });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (source, texts) => {
        const expected = new RegExp(source, "u");
        const linear = compile(source);
        for (const each of texts) expect(linear.test(each)).toBe(expected.test(each));
      }),
      { numRuns: 500 },
    );
  });

  test("a pattern that is not ECMA-262, or can't be linear, is refused", () => {
    const patterns = ["(", "a{", "\\a", "\\-", "[z-a]", "(?=a)", "(?!a)", "(?<=a)", "(?<!a)"];
    patterns.push("(a)\\1", "(?<n>a)\\k<n>", "a{2000}", "(?i:a)", "x".repeat(5_000));
    for (const pattern of patterns) expect(() => compile(pattern)).toThrow(SchemaRefused);
  });

  test("a linear pattern spends steps by the length of the text", () => {
    const linear = compile("^(a+)+$", 10_000);
    expect(linear.test(`${"a".repeat(50_000)}!`)).toBe(false);
    expect(() => {
      for (let run = 0; run < 100; run += 1) linear.test("a".repeat(50_000));
    }).toThrow(StepsSpent);
  });

  test("a linear pattern goes on matching after its automaton was dropped", () => {
    const linear = new PatternCompiler().compile("^[ab]*$", "/pattern");
    const text = "ab".repeat(50_000);
    for (let count = 0; count < 100; count += 1) {
      const run = new CheckRun({ stepsMax: 1_000_000, isExplaining: false });
      expect(linear.test(text, run)).toBe(true);
    }
  });
});
