import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseEventTime } from "../../src/lib/date_time.ts";
import edgeRows from "../fixtures/edge-rows.json";
import suite from "../fixtures/timestamps.json";

const NORMAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const NS_PER_US = 1_000n;
const NS_PER_MS = 1_000_000n;

describe("parseEventTime", () => {
  for (const { text, rfc3339, source, epoch_ns } of suite as SuiteRow[]) {
    test(`${source}: ${text} is ${rfc3339 ? "" : "not "}RFC 3339`, () => {
      const time = parseEventTime(text);
      expect(time !== undefined).toBe(rfc3339);
      if (time === undefined) return;
      expect(time).toMatch(NORMAL);
      if (epoch_ns) expect(epochNs(time)).toBe((BigInt(epoch_ns) / NS_PER_US) * NS_PER_US);
    });
  }

  test.each([
    ["2024-02-29T12:00:00.123456Z", "2024-02-29T12:00:00.123456Z"],
    ["2024-01-01t00:00:00z", "2024-01-01T00:00:00.000000Z"],
    ["2024-01-01T00:00:00.1Z", "2024-01-01T00:00:00.100000Z"],
    ["2024-01-01T00:00:00.9999999Z", "2024-01-01T00:00:00.999999Z"],
    ["2024-01-01T00:00:00.0000009+01:00", "2023-12-31T23:00:00.000000Z"],
    ["2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00.000000Z"],
    ["2024-01-01T00:00:00+23:59", "2023-12-31T00:01:00.000000Z"],
    ["2024-02-28T23:30:00-01:00", "2024-02-29T00:30:00.000000Z"],
    ["2023-03-01T00:30:00.5+05:45", "2023-02-28T18:45:00.500000Z"],
    ["1833-01-01T00:00:00Z", "1833-01-01T00:00:00.000000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"],
    ["0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000000Z"],
    ["0099-12-31T23:00:00-02:00", "0100-01-01T01:00:00.000000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
    ["9999-12-31T22:59:59-01:00", "9999-12-31T23:59:59.000000Z"],
    ["2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z"],
  ])("%s is %s", (text, time) => {
    expect(parseEventTime(text)).toBe(time);
  });

  test.each([
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"],
    ["2016-12-31T23:59:60.25Z", "2017-01-01T00:00:00.250000Z"],
    ["2017-01-01T05:29:60.5+05:30", "2017-01-01T00:00:00.500000Z"],
    ["2016-12-31T15:59:60-08:00", "2017-01-01T00:00:00.000000Z"],
    ["1960-02-29T23:59:60Z", "1960-03-01T00:00:00.000000Z"],
    ["1960-03-01T00:59:60+01:00", "1960-03-01T00:00:00.000000Z"],
  ])("the leap second %s is ordered as %s", (text, time) => {
    expect(parseEventTime(text)).toBe(time);
  });

  test.each([
    "2016-12-31T23:58:60Z",
    "2016-12-31T22:59:60Z",
    "2016-12-31T23:59:60+01:00",
    "2016-12-31T23:59:60-08:00",
    "1960-12-31T22:59:60Z",
    "2016-12-31T23:59:61Z",
    "9999-12-31T23:59:60Z",
  ])("%s is no leap second at the end of a UTC day", (text) => {
    expect(parseEventTime(text)).toBeUndefined();
  });

  test.each([
    "0000-01-01T00:00:00Z",
    "0000-12-31T23:59:59-01:00",
    "0001-01-01T00:59:59+01:00",
    "9999-12-31T23:00:00-01:00",
    "-0001-01-01T00:00:00Z",
    "+2024-01-01T00:00:00Z",
  ])("%s lies outside the years 0001 to 9999", (text) => {
    expect(parseEventTime(text)).toBeUndefined();
  });

  test.each([
    "",
    "now",
    "infinity",
    "1704067200",
    "2024-01-01",
    "2024-01-01 00:00:00Z",
    "2024-01-01T00:00:00",
    "2024-01-01T00:00Z",
    "2024-01-01T00:00:00,5Z",
    "2024-01-01T00:00:00.Z",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00+0100",
    "2024-01-01T00:00:00+01",
    "2024-01-01T00:00:00+01:60",
    "2024-01-01T00:00:00 01:00",
    "2024-01-01T00:00:00\u221201:00",
    "2024-00-01T00:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-01-00T00:00:00Z",
    "2024-01-32T00:00:00Z",
    "2024-04-31T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2024-02-30T00:00:00Z",
    " 2024-01-01T00:00:00Z",
    "2024-01-01T00:00:00Z ",
    "2024-01-01T00:00:00Z\n",
    "2024-01-01T00:00:00ZZ",
    "２０２４-01-01T00:00:00Z",
    "2024-001T00:00:00Z",
    "2024-W01-1T00:00:00Z",
  ])("%j is none", (text) => {
    expect(parseEventTime(text)).toBeUndefined();
  });

  test("edge rows that PostgreSQL reads, too, are the same time to it", () => {
    for (const { kind, row, pg_timestamptz } of edgeRows as EdgeRow[]) {
      if (kind !== "timestamp") continue;
      const text: unknown = JSON.parse(row).event_timestamp;
      const time = typeof text === "string" ? parseEventTime(text) : undefined;
      if (time !== undefined) expect(`${time.slice(0, -1)}+00`).toBe(pg_timestamptz ?? "none");
    }
  });

  test("any time with any offset and fraction is read to the microsecond", () => {
    const time = fc.date({
      min: new Date("0001-01-02T00:00:00Z"),
      max: new Date("9999-12-30T23:59:59Z"),
      noInvalidDate: true,
    });
    const offset = fc.integer({ min: -1_439, max: 1_439 });
    fc.assert(
      fc.property(time, offset, fc.stringMatching(/^\d{1,9}$/), (date, minutes, digits) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, 19);
        const size = Math.abs(minutes);
        const zone = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
        const read = parseEventTime(`${local}.${digits}${zone}`);
        const micros = digits.padEnd(6, "0").slice(0, 6);
        expect(read).toBe(`${date.toISOString().slice(0, 19)}.${micros}Z`);
        expect(parseEventTime(read ?? "")).toBe(read);
      }),
      { numRuns: 5_000 },
    );
  });

  test("parseEventTime takes exactly the dates of the calendar", () => {
    const field = (max: number) => fc.integer({ min: 0, max });
    fc.assert(
      fc.property(field(9_999), field(13), field(32), (year, month, day) => {
        const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
        const made = new Date(0);
        made.setUTCFullYear(year, month - 1, day);
        const isDate = year > 0 && made.toISOString().slice(0, 10) === date;
        expect(parseEventTime(`${date}T00:00:00Z`) !== undefined).toBe(isDate);
      }),
      { numRuns: 5_000 },
    );
  });
});

interface SuiteRow {
  readonly text: string;
  readonly rfc3339: boolean;
  readonly source: string;
  readonly epoch_ns?: string;
}

interface EdgeRow {
  readonly kind: string;
  readonly row: string;
  readonly pg_timestamptz?: string | null;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}

function epochNs(time: string): bigint {
  const seconds = BigInt(Date.parse(`${time.slice(0, 19)}Z`));
  return seconds * NS_PER_MS + BigInt(time.slice(20, 26)) * NS_PER_US;
}
