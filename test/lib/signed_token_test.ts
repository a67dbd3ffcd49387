import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openToken, signToken } from "../../src/lib/signed_token.ts";

const OPTIONS = { secret: "0123456789abcdef", binding: "account 1" };
/** Well-formed text: a lone surrogate has no UTF-8. */
const text = fc.string({ unit: "binary" });

describe("signToken", () => {
  test("what is signed is opened again, and the token is base64url", () => {
    fc.assert(
      fc.property(text, text, (payload, binding) => {
        const options = { ...OPTIONS, binding };
        const token = signToken(payload, options);
        expect(token).toMatch(/^[A-Za-z0-9_-]{22,}$/);
        expect(openToken(token, options)).toBe(payload);
      }),
    );
  });
});

describe("openToken", () => {
  const token = signToken("page 2", OPTIONS);

  test("refuses another secret and another binding", () => {
    expect(openToken(token, { ...OPTIONS, secret: "fedcba9876543210" })).toBeUndefined();
    expect(openToken(token, { ...OPTIONS, binding: "account 2" })).toBeUndefined();
  });

  test("refuses a token with any one character changed, added or left out", () => {
    for (let place = 0; place < token.length; place++) {
      const [before, here, after] = [
        token.slice(0, place),
        token[place] as string,
        token.slice(place + 1),
      ];
      for (const other of ["A", "B", "_", "~", "é"].filter((each) => each !== here)) {
        expect(openToken(before + other + after, OPTIONS)).toBeUndefined();
      }
      expect(openToken(before + after, OPTIONS)).toBeUndefined();
    }
    expect(openToken(`${token}A`, OPTIONS)).toBeUndefined();
    expect(openToken(`${token}=`, OPTIONS)).toBeUndefined();
    expect(openToken(` ${token}`, OPTIONS)).toBeUndefined();
  });

  test("refuses what is no token at all", () => {
    for (const wrong of ["", "A", "AAAA", "A".repeat(22), "\0", "💥".repeat(20)]) {
      expect(openToken(wrong, OPTIONS)).toBeUndefined();
    }
  });

  test("binding and payload can't trade characters", () => {
    const moved = signToken("bc", { ...OPTIONS, binding: "a" });
    expect(openToken(moved, { ...OPTIONS, binding: "ab" })).toBeUndefined();
    const signature = Buffer.from(moved, "base64url").subarray(0, -"bc".length);
    const forged = Buffer.concat([signature, Buffer.from("c")]).toString("base64url");
    expect(openToken(forged, { ...OPTIONS, binding: "ab" })).toBeUndefined();
  });
});
