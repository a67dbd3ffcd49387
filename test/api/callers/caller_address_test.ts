import { describe, expect, test } from "bun:test";
import { callerAddress } from "../../../src/api/callers/caller_address.ts";
import { networkList } from "../../../src/lib/network_list.ts";
import { FORWARDED_ADDRESSES_MAX } from "../../../src/limits.ts";

const TRUSTED = networkList(["10.0.0.0/8", "192.0.2.7", "fd00:1::/32"]);
const PROXY = "10.0.0.1";
const CALLER = "203.0.113.9";

describe("callerAddress", () => {
  test.each<[string, string | null, string, string]>([
    ["no header", null, PROXY, PROXY],
    ["one proxy", CALLER, PROXY, CALLER],
    ["a chain of proxies", `${CALLER}, 192.0.2.7,10.1.2.3`, PROXY, CALLER],
    ["blanks and tabs", ` \t${CALLER} ,\t10.1.2.3 `, PROXY, CALLER],
    ["an entry that the caller forged", `198.51.100.1, ${CALLER}`, PROXY, CALLER],
    ["a trusted entry that the caller forged", `10.0.0.2, ${CALLER}`, PROXY, CALLER],
    ["a loopback entry that the caller forged", `127.0.0.1, ${CALLER}`, PROXY, CALLER],
    ["a neighbor of a trusted address", `${CALLER}, 192.0.2.8`, PROXY, "192.0.2.8"],
    ["an untrusted peer", "198.51.100.1", CALLER, CALLER],
    ["an untrusted peer that names a proxy", PROXY, CALLER, CALLER],
    ["trusted entries only", "10.0.0.3, 10.0.0.2", PROXY, "10.0.0.3"],
    ["IPv6", "2001:db8::1", "fd00:1::5", "2001:db8::1"],
    ["IPv6 in capitals", "2001:DB8::1, FD00:1::6", "fd00:1::5", "2001:DB8::1"],
    ["another IPv6 network", "2001:db8::1", "fd00:2::5", "fd00:2::5"],
    ["a peer with a zone", CALLER, "fd00:1::5%eth0", CALLER],
    ["a peer mapped to IPv6", CALLER, `::ffff:${PROXY}`, CALLER],
    ["an entry mapped to IPv6", `::ffff:${CALLER}`, PROXY, CALLER],
    ["a trusted entry mapped to IPv6", `${CALLER}, ::ffff:10.0.0.2`, PROXY, CALLER],
    ["no peer", CALLER, "", ""],
  ])("%s", (_, forwardedFor, peer, address) => {
    expect(callerAddress({ peer, forwardedFor }, TRUSTED)).toBe(address);
  });

  test.each([
    "",
    " ",
    "unknown",
    "_hidden",
    "localhost",
    "203.0.113.9:4711",
    "[2001:db8::1]",
    "[2001:db8::1]:4711",
    "203.0.113",
    "203.0.113.256",
    "010.0.0.1",
    "0xcb007109",
    "10.0.0.0/8",
    "for=203.0.113.9",
    '"203.0.113.9"',
    "203.0.113.9 198.51.100.1",
  ])("an entry %j ends it at the address to its right", (entry) => {
    const addressOf = (forwardedFor: string) =>
      callerAddress({ peer: PROXY, forwardedFor }, TRUSTED);
    expect(addressOf(entry)).toBe(PROXY);
    expect(addressOf(`${CALLER}, ${entry}, 10.0.0.2`)).toBe("10.0.0.2");
    expect(addressOf(`${entry}, ${CALLER}`)).toBe(CALLER);
  });

  test("without trusted proxies, the header is ignored", () => {
    for (const peer of [PROXY, "127.0.0.1", CALLER]) {
      expect(callerAddress({ peer, forwardedFor: "198.51.100.1" }, undefined)).toBe(peer);
    }
  });

  test("only a bounded number of addresses is read", () => {
    const proxies = Array(FORWARDED_ADDRESSES_MAX - 1).fill("10.0.0.2");
    const addressOf = (entries: readonly string[]) =>
      callerAddress({ peer: PROXY, forwardedFor: entries.join(",") }, TRUSTED);
    expect(addressOf([CALLER, ...proxies])).toBe(CALLER);
    expect(addressOf([CALLER, "10.0.0.2", ...proxies])).toBe("10.0.0.2");
  });

  test.each([
    ["commas", ",".repeat(16_384)],
    ["blanks", " ".repeat(16_384)],
    ["digits", "1".repeat(16_384)],
    ["colons", ":".repeat(16_384)],
    ["trusted addresses", "10.0.0.2,".repeat(1_820)],
    ["blanks between addresses", `10.0.0.2${" ".repeat(500)},`.repeat(32)],
  ])("16 KB of %s take less than a millisecond", (_, forwardedFor) => {
    const calls = 200;
    const startMs = performance.now();
    for (let call = 0; call < calls; call += 1) {
      callerAddress({ peer: PROXY, forwardedFor }, TRUSTED);
    }
    expect((performance.now() - startMs) / calls).toBeLessThan(1);
  });
});
