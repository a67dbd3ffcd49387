import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { acceptsGzip, completeAnswer, compressStart } from "../../src/feed/compression.ts";

const decoded = (bytes: Uint8Array) => gunzipSync(bytes).toString("utf8");

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

describe("completeAnswer", () => {
  test("any start with any end decodes to both", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 2_000 }),
        fc.string({ unit: "grapheme-ascii", maxLength: 400 }),
        async (text, end) => {
          const start = await compressStart(text);
          expect(decoded(completeAnswer(start, end))).toBe(text + end);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("a start of several megabytes, used by several readers", async () => {
    const row = (id: number) => `{"id":${id},"name":"row ${(id * 7919) % 1000}","é":"🦊"}`;
    const text = `{"data":[${Array.from({ length: 100_000 }, (_, id) => row(id)).join(",")}],`;
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
    for (const each of [text, noise, text + noise, text.slice(0, 131_072)]) {
      const start = await compressStart(each);
      for (const end of ["a}", `"_origin":{"usage_id":"${crypto.randomUUID()}"}}`]) {
        expect(decoded(completeAnswer(start, end)) === each + end).toBe(true);
      }
    }
  });

  test("curl and Python decode it as well as we do, where they are there", async () => {
    const text = `{"data":[${'"é",'.repeat(3_000)}0],`;
    const bytes = completeAnswer(await compressStart(text), "end");
    const python = Bun.which("python3");
    if (python !== null) {
      const script =
        "import sys,gzip;sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))";
      const child = Bun.spawn([python, "-c", script], { stdin: bytes, stdout: "pipe" });
      expect(await new Response(child.stdout).text()).toBe(`${text}end`);
    }
    using server = Bun.serve({
      port: 0,
      fetch: () =>
        new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { "Content-Encoding": "gzip" } }),
    });
    expect(await (await fetch(server.url)).text()).toBe(`${text}end`);
    const curl = Bun.which("curl");
    if (curl === null) return;
    const child = Bun.spawn([curl, "-s", "--compressed", server.url.href]);
    expect(await new Response(child.stdout).text()).toBe(`${text}end`);
  });
});
