import { describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import {
  chooseEncoding,
  completeAnswer,
  compressStart,
  type Encoding,
} from "../../src/feed/compression.ts";

const DECODERS: Readonly<Record<Encoding, (bytes: Uint8Array) => Uint8Array>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};
const ENCODINGS = ["zstd", "br", "gzip"] as const;

describe("chooseEncoding", () => {
  const cases: readonly [string | null, Encoding | undefined][] = [
    [null, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["x-gzip", "gzip"],
    ["GZIP", "gzip"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["gzip, deflate, br", "br"],
    ["deflate, compress", undefined],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br; q=0.5 , gzip;Q=0.500", "br"],
    ["*", "zstd"],
    ["*;q=0", undefined],
    ["*, zstd;q=0", "br"],
    ["zstd;q=0, br;q=0.0, gzip;q=0.000", undefined],
    ["identity, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip", "gzip"],
    ["identity;q=0, gzip;q=0.1", "gzip"],
    ["gzip;q=2", undefined],
    ["gzip;q=x", undefined],
    ["gzip;level=9;q=0.1", "gzip"],
    [",, gzip ,", "gzip"],
    [`gzip, ${"x".repeat(300)}`, undefined],
  ];
  for (const [header, encoding] of cases) {
    test(`${JSON.stringify(header)?.slice(0, 60)}: ${encoding ?? "none"}`, () => {
      expect(chooseEncoding(header)).toBe(encoding);
      expect(chooseEncoding(header)).toBe(encoding);
    });
  }
});

describe("completeAnswer", () => {
  for (const encoding of ENCODINGS) {
    const decoded = (bytes: Uint8Array) => Buffer.from(DECODERS[encoding](bytes)).toString("utf8");

    test(`${encoding}: any start with any end decodes to both`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: "grapheme", minLength: 1, maxLength: 2_000 }),
          fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 400 }),
          async (text, end) => {
            const start = await compressStart(text, encoding);
            expect(decoded(completeAnswer(start, end))).toBe(text + end);
          },
        ),
        { numRuns: 200 },
      );
    });

    test(`${encoding}: a start of several megabytes, used by several readers`, async () => {
      const row = (id: number) => `{"id":${id},"name":"row ${(id * 7919) % 1000}","é":"🦊"}`;
      const text = `{"data":[${Array.from({ length: 100_000 }, (_, id) => row(id)).join(",")}],`;
      const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString("base64");
      for (const each of [text, noise, text + noise, text.slice(0, 131_072)]) {
        const start = await compressStart(each, encoding);
        for (const end of ["a}", `"_origin":{"usage_id":"${crypto.randomUUID()}"}}`]) {
          expect(decoded(completeAnswer(start, end)) === each + end).toBe(true);
        }
      }
    });
  }

  test("curl and Python decode it as well as we do, where they are there", async () => {
    const text = `{"data":[${'"é",'.repeat(3_000)}0],`;
    const python = Bun.which("python3");
    if (python !== null) {
      const bytes = completeAnswer(await compressStart(text, "gzip"), "end");
      const script =
        "import sys,gzip;sys.stdout.buffer.write(gzip.decompress(sys.stdin.buffer.read()))";
      const child = Bun.spawn([python, "-c", script], { stdin: bytes, stdout: "pipe" });
      expect(await new Response(child.stdout).text()).toBe(`${text}end`);
    }
    const curl = Bun.which("curl");
    if (curl === null) return;
    const starts = new Map<string, Uint8Array>();
    for (const encoding of ENCODINGS) {
      starts.set(encoding, completeAnswer(await compressStart(text, encoding), "end"));
    }
    using server = Bun.serve({
      port: 0,
      fetch(request) {
        const encoding = new URL(request.url).pathname.slice(1);
        return new Response(starts.get(encoding) as Uint8Array<ArrayBuffer>, {
          headers: { "Content-Encoding": encoding },
        });
      },
    });
    const version = await new Response(Bun.spawn([curl, "--version"]).stdout).text();
    const features: Readonly<Record<Encoding, RegExp>> = {
      zstd: /zstd/,
      br: /brotli/,
      gzip: /libz/,
    };
    for (const encoding of ENCODINGS) {
      expect(await (await fetch(`${server.url}${encoding}`)).text()).toBe(`${text}end`);
      if (!features[encoding].test(version)) continue;
      const child = Bun.spawn([curl, "-s", "--compressed", `${server.url}${encoding}`]);
      expect(await new Response(child.stdout).text()).toBe(`${text}end`);
    }
  });
});
