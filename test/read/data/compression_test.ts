import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { completeAnswer, compressStart } from "../../../src/read/data/compression.ts";

const decoded = (parts: readonly Uint8Array[]) => gunzipSync(Buffer.concat(parts)).toString("utf8");

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
});
