import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseEventTime } from "../../../src/lib/date_time.ts";
import { type Cursor, readCursor, writeCursor } from "../../../src/read/data/cursor.ts";

const SCOPE = { secret: "0123456789abcdef", binding: "feed 1" };
const position = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
const eventAt = fc
  .tuple(
    fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59Z"),
      noInvalidDate: true,
    }),
    fc.integer({ min: 0, max: 999_999 }),
  )
  .map(
    ([date, micros]) => `${date.toISOString().slice(0, 19)}.${String(micros).padStart(6, "0")}Z`,
  );
const cursor = fc.oneof(
  fc.record<Cursor & { kind: "collection" }>({
    kind: fc.constant("collection"),
    batchNumber: position,
    position,
  }),
  fc.record<Cursor & { kind: "stream" }>({ kind: fc.constant("stream"), eventAt, position }),
);

describe("writeCursor", () => {
  test("every position is read again to the microsecond, and all cursors have one length", () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const token = writeCursor(written, SCOPE);
        expect(token).toMatch(/^[A-Za-z0-9_-]{60}$/);
        expect(readCursor(token, written.kind, SCOPE)).toEqual(written);
      }),
    );
  });

  test("a time of whole seconds, as the database gives it, names the same row", () => {
    const written = { kind: "stream", position: 7n, eventAt: "1969-12-31T23:59:59Z" } as const;
    const read = readCursor(writeCursor(written, SCOPE), "stream", SCOPE);
    expect(read).toEqual({ ...written, eventAt: parseEventTime(written.eventAt) as string });
  });
});

describe("readCursor", () => {
  test("a collection's cursor is none of a stream, nor the other way round", () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const other = written.kind === "stream" ? "collection" : "stream";
        expect(readCursor(writeCursor(written, SCOPE), other, SCOPE)).toBeUndefined();
      }),
    );
  });
});
