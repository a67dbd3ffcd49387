import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { escapeInvisible, withoutInvisible } from "../../src/lib/invisible_text.ts";

/** What hides a sentence from people and not from models. */
const HIDING = [
  ["control", "\u0000\u0007\u001b\u009b\r"],
  ["zero width", "\u200b\u200c\u200d\u2060\ufeff\u00ad"],
  ["bidirectional", "\u202e\u2066\u061c"],
  ["tags", "\u{e0001}\u{e0049}\u{e007f}"],
  ["variation selectors", "\ufe00\ufe0f\u{e0100}\u{e01ef}\u180b\u180f"],
  ["grapheme joiner", "\u034f"],
  ["Hangul fillers", "\u115f\u1160\u3164\uffa0"],
  ["braille blank", "\u2800"],
  ["private use", "\ue000\u{f0000}"],
  ["lone surrogate", "\ud800"],
] as const;

describe("withoutInvisible", () => {
  test.each(HIDING)("withoutInvisible removes %s", (_name, hiding) => {
    expect(withoutInvisible(`a${hiding}b`)).toBe("ab");
  });

  test("withoutInvisible leaves letters of every script, marks, symbols, emoji and line breaks", () => {
    for (const text of ["größe é", "한국어 देवनागरी العربية", "🌍 ½ €", "a\nb"]) {
      expect(withoutInvisible(text)).toBe(text);
    }
  });
});

describe("escapeInvisible", () => {
  test.each(HIDING)("escapeInvisible escapes %s", (_name, hiding) => {
    expect(escapeInvisible(`a${hiding}b`)).toMatch(/^a(\\u[0-9a-f]{4})+b$/);
  });

  test("escapeInvisible leaves the value of any JSON text as it is", () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: "binary" }), (json) => {
        const escaped = escapeInvisible(json);
        expect(JSON.parse(escaped)).toEqual(JSON.parse(json));
        expect(withoutInvisible(escaped)).toBe(escaped);
      }),
    );
  });
});
