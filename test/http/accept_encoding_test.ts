import { describe, expect, test } from "bun:test";
import { acceptsGzip } from "../../src/http/accept_encoding.ts";

describe("acceptsGzip", () => {
  const cases: readonly [header: string | null, accepts: boolean][] = [
    [null, false],
    ["", false],
    ["gzip", true],
    ["x-gzip", true],
    ["GZIP", true],
    ["gzip, deflate, br, zstd", true],
    ["deflate, br, zstd", false],
    ["br;q=0.5, gzip;q=0.4", true],
    ["gzip;Q=0.500 , br; q=1", true],
    ["*", true],
    ["*;q=0", false],
    ["*, gzip;q=0", false],
    ["gzip;q=0.000", false],
    ["identity, gzip;q=0.5", false],
    ["identity;q=0.5, gzip", true],
    ["identity;q=0, gzip;q=0.1", true],
    ["gzip;q=2", false],
    ["gzip;q=x", false],
    ["gzip;level=9;q=0.1", true],
    [",, gzip ,", true],
    [`gzip, ${"x".repeat(300)}`, false],
  ];
  for (const [header, accepts] of cases) {
    test(`${JSON.stringify(header)?.slice(0, 60)}: ${accepts}`, () => {
      expect(acceptsGzip(header)).toBe(accepts);
    });
  }
});
