import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { openToken, sealToken } from "../../src/lib/sealed_token.ts";

const OPTIONS = { secret: "0123456789abcdef", purpose: "test token", binding: "account 1" };
/** Well-formed text: a lone surrogate has no UTF-8. */
const text = fc.string({ unit: "binary" });

function seal(payload: string, options = OPTIONS): string {
  return sealToken(Buffer.from(payload, "utf8"), options);
}

function open(token: string, options = OPTIONS): string | undefined {
  return openToken(token, options)?.toString("utf8");
}

describe("sealToken", () => {
  test("openToken opens what sealToken sealed, and the token is base64url", () => {
    fc.assert(
      fc.property(text, text, text, (payload, binding, purpose) => {
        const options = { ...OPTIONS, binding, purpose };
        const token = seal(payload, options);
        expect(token).toMatch(/^[A-Za-z0-9_-]{39,}$/);
        expect(open(token, options)).toBe(payload);
      }),
    );
  });

  test("tokens of payloads that differ in one bit have no byte in common but by chance", () => {
    const zeros = new Uint8Array(64);
    const one = Uint8Array.from(zeros).fill(1, 63);
    const [first, second] = [zeros, one].map((payload) =>
      Buffer.from(sealToken(payload, OPTIONS), "base64url").subarray(1),
    ) as [Buffer, Buffer];
    const common = first.filter((byte, place) => byte === second[place]).length;
    expect(common).toBeLessThan(8);
    expect(first.filter((byte) => byte === 0).length).toBeLessThan(8);
  });

  test("a payload has one token, and another one for another secret, purpose or binding", () => {
    const others = [
      { ...OPTIONS, secret: "fedcba9876543210" },
      { ...OPTIONS, purpose: "other token" },
      { ...OPTIONS, binding: "account 2" },
    ];
    expect(seal("page 2")).toBe(seal("page 2"));
    expect(new Set([OPTIONS, ...others].map((options) => seal("page 2", options))).size).toBe(4);
  });

  // A change of this token without a change of the version would refuse every cursor that is out.
  test("the form of version 1 stays as it is", () => {
    expect(seal("page 2")).toBe("ARgSKx4hy9HlS_oRn-b8GVvLfW0FDGK1lYX4qKzxagzUm3Q");
  });
});

describe("openToken", () => {
  const token = seal("page 2");

  test("openToken refuses another secret, another purpose and another binding", () => {
    expect(open(token, { ...OPTIONS, secret: "fedcba9876543210" })).toBeUndefined();
    expect(open(token, { ...OPTIONS, purpose: "other token" })).toBeUndefined();
    expect(open(token, { ...OPTIONS, binding: "account 2" })).toBeUndefined();
  });

  test("openToken refuses a token with any character changed, added or left out", () => {
    for (let place = 0; place < token.length; place++) {
      const [before, here, after] = [
        token.slice(0, place),
        token[place] as string,
        token.slice(place + 1),
      ];
      for (const other of ["A", "B", "_", "~", "é"].filter((each) => each !== here)) {
        expect(open(before + other + after)).toBeUndefined();
      }
      expect(open(before + after)).toBeUndefined();
    }
    for (const wrong of [`${token}A`, `${token}=`, ` ${token}`, `${token}\n`]) {
      expect(open(wrong)).toBeUndefined();
    }
  });

  test("openToken refuses a token that is cut anywhere", () => {
    for (let length = 0; length < token.length; length++) {
      expect(open(token.slice(0, length))).toBeUndefined();
    }
  });

  test("openToken refuses text that is no token", () => {
    for (const wrong of ["", "A", "AAAA", "AQ", "A".repeat(60), "\0", "💥".repeat(20)]) {
      expect(open(wrong)).toBeUndefined();
    }
  });

  test("openToken refuses a token whose binding gave a character to its payload", () => {
    const moved = seal("bc", { ...OPTIONS, binding: "a" });
    expect(open(moved, { ...OPTIONS, binding: "ab" })).toBeUndefined();
    expect(moved).not.toBe(seal("c", { ...OPTIONS, binding: "ab" }));
  });
});
