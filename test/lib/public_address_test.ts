import { describe, expect, test } from "bun:test";
import {
  isLoopbackAddress,
  isLoopbackHost,
  isPublicAddress,
} from "../../src/lib/public_address.ts";

const PRIVATE = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::7f00:1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b:1::a00:1",
  "100::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
];

describe("isPublicAddress", () => {
  for (const address of PRIVATE) {
    test(`is false for ${address}`, () => expect(isPublicAddress(address)).toBe(false));
  }

  test("is true for addresses of the internet", () => {
    for (const address of ["8.8.8.8", "100.63.255.255", "172.32.0.1", "2606:4700::1111"]) {
      expect([address, isPublicAddress(address)]).toEqual([address, true]);
    }
  });

  test("is false for what is no address, or one in another spelling", () => {
    for (const text of ["", "localhost", "0x7f000001", "2130706433", "127.1", "017700000001"]) {
      expect([text, isPublicAddress(text)]).toEqual([text, false]);
    }
  });
});

test("isLoopbackAddress and isLoopbackHost know the machine's own addresses and name", () => {
  expect(["127.0.0.1", "::1", "::ffff:127.0.0.1"].map(isLoopbackAddress)).toEqual([
    true,
    true,
    true,
  ]);
  expect(["10.0.0.1", "::2", "localhost", ""].map(isLoopbackAddress)).toEqual(Array(4).fill(false));
  expect(["localhost", "[::1]", "127.0.0.1"].map(isLoopbackHost)).toEqual([true, true, true]);
  expect(["localhost.evil.test", "127.0.0.1.evil.test"].map(isLoopbackHost)).toEqual([
    false,
    false,
  ]);
});
