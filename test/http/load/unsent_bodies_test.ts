import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { UnsentBodies } from "../../../src/http/load/unsent_bodies.ts";

const KIB = 1_024;

/** Bodies of 100 KiB and more are streamed; all of them together may hold 1 MiB. */
function createBodies() {
  const clock = { nowMs: 0 };
  const bodies = new UnsentBodies({
    bytesMax: 1_024 * KIB,
    streamedBytesMin: 100 * KIB,
    now: () => clock.nowMs,
  });
  const send = (body: Parameters<typeof bodies.bodyOf>[0]) =>
    (bodies.bodyOf(body) as ReadableStream<Uint8Array>).getReader();
  return { bodies, clock, send };
}

async function read(reader: {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}) {
  const chunks: Uint8Array[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done || value === undefined) return Buffer.concat(chunks);
    chunks.push(value);
  }
}

describe("UnsentBodies", () => {
  test("passes small bodies and blobs on, and counts none of them", () => {
    const { bodies } = createBodies();
    const blob = new Blob(["x".repeat(200 * KIB)]);
    expect(bodies.bodyOf(null)).toBeNull();
    expect(bodies.bodyOf(blob)).toBe(blob);
    expect(bodies.bodyOf("text")).toBe("text");
    expect(bodies.bodyOf(["one ", "two"])).toBe("one two");
    expect(bodies.bodyOf([Buffer.from("one "), "two"])).toEqual(Buffer.from("one two"));
    expect(bodies.bytes).toBe(0);
  });

  test("streams any large text as its UTF-8 bytes", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).map((each) => each.toWellFormed());
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const { bodies, send } = createBodies();
        const first = one.repeat(Math.ceil((150 * KIB) / one.length));
        const bytes = await read(send([first, other]));
        expect(bytes.equals(Buffer.from(first + other))).toBe(true);
        expect(bodies.bytes).toBe(0);
      }),
      { numRuns: 30 },
    );
  });

  test("counts a body until it has been read, or its client has gone", async () => {
    const { bodies, send } = createBodies();
    const one = send("x".repeat(200 * KIB));
    const other = send(Buffer.alloc(300 * KIB));
    expect(bodies.bytes).toBe(500 * KIB);
    await read(one);
    expect(bodies.bytes).toBe(300 * KIB);
    await other.cancel();
    expect(bodies.bytes).toBe(0);
  });

  test("counts a part once that many answers share", async () => {
    const { bodies, send } = createBodies();
    const shared = "x".repeat(400 * KIB);
    const readers = Array.from({ length: 100 }, (_, index) => send([shared, `${index}`]));
    expect(bodies.bytes).toBeLessThan(401 * KIB);
    for (const [index, reader] of readers.entries()) {
      expect((await read(reader)).toString("latin1", 400 * KIB)).toBe(`${index}`);
    }
    expect(bodies.bytes).toBe(0);
  });

  test("gives the slowest up if there is no room, and its reader sees no whole answer", async () => {
    const { bodies, clock, send } = createBodies();
    const quick = send("a".repeat(400 * KIB));
    const slow = send("b".repeat(400 * KIB));
    for (let chunk = 0; chunk < 3; chunk++) await quick.read();
    await slow.read();
    clock.nowMs = 5_000;
    const young = send("c".repeat(400 * KIB));
    expect(bodies.bytes).toBe(800 * KIB);
    expect(read(slow)).rejects.toBeUndefined();
    expect((await read(quick)).length).toBe((400 - 3 * 64) * KIB);
    expect((await read(young)).length).toBe(400 * KIB);
    expect(bodies.bytes).toBe(0);
  });

  test("sends a body that is larger than all room", async () => {
    const { bodies, send } = createBodies();
    const reader = send(Buffer.alloc(2_000 * KIB));
    expect((await read(reader)).length).toBe(2_000 * KIB);
    expect(bodies.bytes).toBe(0);
  });
});
