import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ConnectionError, ProblemError } from "../../src/client/errors.ts";
import { EtagCache } from "../../src/client/etag_cache.ts";
import { serverSentEvents } from "../../src/client/event_stream.ts";
import { type FollowOptions, follow } from "../../src/client/follow.ts";
import { elementTexts, memberTexts } from "../../src/client/json_texts.ts";
import { isPassing, parseRetryAfter, pauseMs } from "../../src/client/retry.ts";
import { type Fetch, Transport } from "../../src/client/transport.ts";

describe("json texts", () => {
  test("elements and members are those that JSON.parse finds, however they are written", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.constantFrom(undefined, 1, "\t"),
        (values, space) => {
          const text = JSON.stringify(values, null, space);
          expect(elementTexts(text).map((each) => JSON.parse(each))).toEqual(JSON.parse(text));
        },
      ),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(0, 2),
        (value, space) => {
          const text = JSON.stringify(value, null, space);
          const members = [...memberTexts(text)].map(([name, each]) => [name, JSON.parse(each)]);
          expect(Object.fromEntries(members)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  test("numbers keep their text", () => {
    expect(elementTexts(' [1.10, -2e+3 ,"],\\"",{"a":[1]}]')).toEqual([
      "1.10",
      "-2e+3",
      '"],\\""',
      '{"a":[1]}',
    ]);
    expect([...memberTexts('{ "a" : 1.0 , "b":{} }')]).toEqual([
      ["a", "1.0"],
      ["b", "{}"],
    ]);
  });
});

describe("pauseMs", () => {
  const patience = { retries: 3, waitMsMax: 10_000, pauseMsMax: 15_000 };
  const problem = (status: number, retryAfterMs?: number) =>
    new ProblemError({ status, code: "X", detail: "", retry_after_ms: retryAfterMs } as never);

  test("is what the answer says, the longer of its two figures", () => {
    expect(pauseMs({ error: problem(429, 700), retryAfterMs: 500, tries: 1 }, patience, 0)).toBe(
      700,
    );
    expect(pauseMs({ error: problem(503, 7), retryAfterMs: 500, tries: 1 }, patience, 0)).toBe(500);
    expect(pauseMs({ error: problem(429, 10_001), tries: 1 }, patience, 0)).toBeUndefined();
  });

  test("doubles without one, and ends", () => {
    const error = new ConnectionError("x");
    const pauses = [1, 2, 3].map((tries) => pauseMs({ error, tries }, patience, 1));
    expect(pauses).toEqual([250, 500, 1_000]);
    expect(pauseMs({ error, tries: 4 }, patience, 1)).toBeUndefined();
    expect([problem(404), new Error("own"), error, problem(503)].map(isPassing)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test("reads seconds and dates", () => {
    const now = Date.parse("2026-11-21T08:00:00Z");
    expect(parseRetryAfter("2", now)).toBe(2_000);
    expect(parseRetryAfter("Sat, 21 Nov 2026 08:00:05 GMT", now)).toBe(5_000);
    expect(parseRetryAfter("Sat, 21 Nov 2026 07:00:05 GMT", now)).toBe(0);
    expect(parseRetryAfter("soon", now)).toBeUndefined();
    expect(parseRetryAfter(null, now)).toBeUndefined();
  });
});

describe("follow", () => {
  const MINUTE_MS = 60_000;
  const PAGE = {
    data: [{ id: 1 }],
    next_offset: "1",
    up_to_date: true,
    has_more: false,
    _origin: {},
  };

  /** Follows at a gateway of which each call takes a minute, and fails if it is not to answer. */
  function followed(given: FollowOptions, answers: (call: number) => Response | undefined) {
    let calls = 0;
    const answer: Fetch = async () => {
      calls += 1;
      const response = answers(calls);
      if (response === undefined) throw new TypeError("refused");
      return response;
    };
    const options = {
      ...{ baseUrl: "http://gateway", key: undefined, fetch: answer, onRetry: undefined },
      ...{ retries: 2, waitMsMax: 1, pauseMsMax: 1, timeoutMs: MINUTE_MS, cacheCharsMax: 0 },
    };
    const transport = new Transport(options);
    const nowMs = () => calls * MINUTE_MS;
    const pages = follow({ transport, options, parseRow: undefined, nowMs }, "feed", given);
    return { pages, calls: () => calls };
  }

  const page = (fields = {}) => Response.json({ ...PAGE, ...fields });
  const events = () => new Response(`id: 1\nevent: rows\ndata: ${JSON.stringify(PAGE)}\n\n`);

  test("stops after the same outage, whether it catches up or is live", async () => {
    for (const offset of ["start", "now"]) {
      const { pages, calls } = followed({ offset }, () => undefined);
      await expect(pages.next()).rejects.toBeInstanceOf(ConnectionError);
      // The last one is more than 15 minutes after the first.
      expect({ offset, calls: calls() }).toEqual({ offset, calls: 16 });
      const brief = followed({ offset, outageMsMax: 3 * MINUTE_MS }, () => undefined);
      await expect(brief.pages.next()).rejects.toBeInstanceOf(ConnectionError);
      expect({ offset, calls: brief.calls() }).toEqual({ offset, calls: 4 });
    }
  });

  test("outlasts an outage that is shorter, and begins anew after each answer", async () => {
    // Minutes 13 and 26 are answers.
    const { pages, calls } = followed({}, (call) =>
      call % 13 === 0 ? page({ up_to_date: false }) : undefined,
    );
    for (const end of [13, 26, 39]) {
      expect((await pages.next()).value?.rows).toEqual([{ id: 1 }]);
      expect(calls()).toBe(end);
    }
    const live = followed({ offset: "now" }, (call) => (call % 13 === 0 ? events() : undefined));
    for (const end of [13, 26]) {
      expect((await live.pages.next()).value?.rows).toEqual([{ id: 1 }]);
      expect(live.calls()).toBe(end);
    }
    await live.pages.return();
  });

  test("is as patient as any other call if it ends when it has caught up, unless told otherwise", async () => {
    const { pages, calls } = followed({ isLive: false }, () => undefined);
    await expect(pages.next()).rejects.toBeInstanceOf(ConnectionError);
    expect(calls()).toBe(3);
    const patient = followed({ isLive: false, outageMsMax: 5 * MINUTE_MS }, () => undefined);
    await expect(patient.pages.next()).rejects.toBeInstanceOf(ConnectionError);
    expect(patient.calls()).toBe(6);
  });
});

describe("EtagCache", () => {
  test("forgets what was used least recently, and keeps nothing that is too large", () => {
    const cache = new EtagCache(10);
    const keep = (url: string, chars: number) =>
      cache.keep(url, { etag: url, text: "x".repeat(chars) });
    keep("a", 4);
    keep("b", 4);
    expect(cache.find("a")?.etag).toBe("a");
    keep("c", 4);
    expect(["a", "b", "c"].map((url) => cache.find(url) !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
    keep("a", 11);
    expect(cache.find("a")).toBeUndefined();
    keep("d", 6);
    expect(["c", "d"].map((url) => cache.find(url) !== undefined)).toEqual([true, true]);
  });
});

describe("serverSentEvents", () => {
  test("are the same however the bytes are cut, and with any line end", async () => {
    const text =
      ': comment\nretry: 1\n\nevent: rows\nid: 1\ndata: {"a":"é"}\ndata: x\n\nid: 2\n\ndata:y\n\ndata: cut';
    const expected = [
      { name: "rows", id: "1", data: '{"a":"é"}\nx' },
      { name: "message", id: "2", data: "" },
      { name: "message", id: undefined, data: "y" },
    ];
    for (const end of ["\n", "\r\n", "\r"]) {
      for (const size of [1, 2, 3, 7, 1_000]) {
        const bytes = new TextEncoder().encode(text.replaceAll("\n", end));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk);
            controller.close();
          },
        });
        expect(await Array.fromAsync(serverSentEvents(body, () => {}))).toEqual(expected);
      }
    }
  });
});
