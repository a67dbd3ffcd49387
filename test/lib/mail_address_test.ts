import { describe, expect, test } from "bun:test";
import { parseMailAddress } from "../../src/lib/mail_address.ts";

const LOCAL_64 = "a".repeat(64);
/** 189 characters: with a local part of 64 and the @, 254. */
const DOMAIN_189 = `${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(57)}.com`;

describe("parseMailAddress", () => {
  test.each([
    ["ada@example.com", "ada@example.com", "ada@example.com"],
    ["  ada@example.com\r\n", "ada@example.com", "ada@example.com"],
    ["Ada.Lovelace@Example.COM", "Ada.Lovelace@example.com", "ada.lovelace@example.com"],
    ["ada+feeds@example.com", "ada+feeds@example.com", "ada+feeds@example.com"],
    ["o'neil_{x}|~@mail.example.co.uk", "o'neil_{x}|~@mail.example.co.uk", undefined],
    ["a@b.co", "a@b.co", undefined],
    ["ada@bücher.example", "ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example"],
    ["ada@BÜCHER.example", "ada@xn--bcher-kva.example", undefined],
    ["ada@xn--bcher-kva.example", "ada@xn--bcher-kva.example", undefined],
    ["ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah", undefined],
    // Wide letters are the same letters.
    ["ada@ｅｘａｍｐｌｅ.com", "ada@example.com", undefined],
    // A Cyrillic a is another letter, so this is another domain.
    ["ada@ex\u0430mple.com", "ada@xn--exmple-4nf.com", undefined],
    ["ada@1and1.com", "ada@1and1.com", undefined],
    [`${LOCAL_64}@${DOMAIN_189}`, `${LOCAL_64}@${DOMAIN_189}`, undefined],
  ])("%j is %j", (typed, address, key) => {
    expect(parseMailAddress(typed)).toEqual({ address, key: key ?? address.toLowerCase() });
  });

  test.each([
    "",
    "@",
    "ada",
    "ada@",
    "@example.com",
    "a@b@c",
    "a@b@example.com",
    "ada@localhost",
    "ada@example.com.",
    "ada@.example.com",
    "ada@example..com",
    "ada@-example.com",
    "ada@example-.com",
    "ada@exa_mple.com",
    "ada@192.0.2.1",
    "ada@[192.0.2.1]",
    "ada@[IPv6:2001:db8::1]",
    "ada@0x7f.1",
    ".ada@example.com",
    "ada.@example.com",
    "a..da@example.com",
    '"a b"@example.com',
    '"ada"@example.com',
    "a da@example.com",
    "ada @example.com",
    "ada@ example.com",
    "ada@exam ple.com",
    "ada(comment)@example.com",
    "ada@example.com(comment)",
    "Ada <ada@example.com>",
    "<ada@example.com>",
    "ada@example.com, eve@example.net",
    "ada@example.com;eve@example.net",
    "ada@example.com\r\nBcc: eve@example.net",
    "ada\r\nRCPT TO:<eve@example.net>@example.com",
    "ada@example.com\0",
    "ada\0@example.com",
    "ada\u200b@example.com",
    "ada@exam\u00adple.com",
    "ada@exam\u200bple.com",
    "\u202eada@example.com",
    "jürgen@example.com",
    "\u0430da@example.com",
    "ada\\@example.com",
    "ada:x@example.com",
    "ada@example.com/path",
    "ada@example.com:25",
    "ada@example.com?x",
    "ada@ex%61mple.com",
    "ada@example。com",
    "ada@xn--0.example",
    `${"a".repeat(65)}@example.com`,
    `${LOCAL_64}@e${DOMAIN_189}`,
    `ada@${"b".repeat(64)}.com`,
    `ada@${"ü".repeat(10_000)}.com`,
  ])("%j is no address", (typed) => {
    expect(parseMailAddress(typed)).toBeUndefined();
  });

  test("what was parsed parses to the same", () => {
    const { address = "" } = parseMailAddress("Ada@BÜCHER.example") ?? {};
    expect(parseMailAddress(address)?.address).toBe(address);
  });
});
