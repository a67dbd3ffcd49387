/** What a provider sees and asks of its feeds: the schema gate, reviews, and the history of pushes. Beyond 7 and 11. */
import { describe, expect, test } from "bun:test";
import { refused, startOperatedGateway } from "../../cli/support.ts";
import { problemOf } from "../../support/gateway.ts";

const { gateway, operator } = await startOperatedGateway({ FEEDGATE_PUSH_LIMIT: "3" });
const provider = await gateway.createAccount({ name: "A provider" });
const key = await gateway.createKey(provider, "write");
const SCHEMA = { type: "object", properties: { id: {}, price: { type: "integer" } } };
const WIDER = { type: "object", properties: { id: {}, price: { type: "number" } } };
const NARROWER = { ...SCHEMA, required: ["price"] };

type Body = Record<string, unknown> & { readonly id: string };

async function created(slug: string, more: object = {}): Promise<Body> {
  const body = { name: slug, endpoint_path: slug, feed_type: "collection", ...more };
  const response = await gateway.send("POST", "/v1/provider/feed/create", key, body);
  expect(response.status).toBe(201);
  return (await response.json()) as Body;
}

const edit = (feed: Body, body: object, search = "") =>
  gateway.send("PATCH", `/v1/provider/feed/${feed.id}/edit${search}`, key, body);

async function edited(feed: Body, body: object, search = ""): Promise<Body> {
  const response = await edit(feed, body, search);
  expect([response.status, await response.clone().text()]).toEqual([200, expect.anything()]);
  return (await response.json()) as Body;
}

const push = (feed: Body, body: unknown, search = "") =>
  gateway.send("POST", `/v1/provider/feed/${feed.id}/push${search}`, key, body);

const own = (path: string) =>
  fetch(gateway.baseUrl + path, { headers: { Authorization: `Bearer ${key}` } });

async function activeLocked(slug: string): Promise<Body> {
  const feed = await created(slug, { schema_definition: SCHEMA, schema_locked: true });
  expect((await push(feed, [{ id: 1, price: 1 }])).status).toBe(200);
  return feed;
}

describe("schema gate", () => {
  test("a breaking schema of an active, locked feed is 409 SCHEMA_BREAKING without a higher schema_version", async () => {
    const feed = await activeLocked("gated");
    const broken = await problemOf(await edit(feed, { schema_definition: WIDER }));
    expect(broken).toMatchObject({ status: 409, code: "SCHEMA_BREAKING" });
    expect(broken.body.changes).toEqual([
      {
        path: "/properties/price/type",
        change: "type widened",
        why: "values may now be of type number",
      },
    ]);
    const same = await edit(feed, { schema_definition: WIDER, schema_version: 1 });
    expect((await problemOf(same)).code).toBe("SCHEMA_BREAKING");
    // What compares well passes, and so does what can't be compared.
    const narrower = await edited(feed, { schema_definition: NARROWER });
    expect(narrower.schema_version).toBe(1);
    await edited(feed, { schema_definition: { ...NARROWER, anyOf: [{ required: ["id"] }] } });
    await edited(feed, { schema_definition: NARROWER });
    const widened = await edited(feed, { schema_definition: WIDER, schema_version: 1.1 });
    expect(widened).toMatchObject({ schema_version: 1.1, schema_definition: WIDER });
    // By the id in a create's body, too.
    const upsert = { id: feed.id, name: "x", endpoint_path: "gated", schema_definition: SCHEMA };
    const created2 = await gateway.send("POST", "/v1/provider/feed/create", key, {
      ...upsert,
      schema_definition: { type: "object" },
    });
    expect((await problemOf(created2)).code).toBe("SCHEMA_BREAKING");
  });

  test("a draft, an inactive feed and one without a lock take any schema", async () => {
    const draft = await created("loose-draft", { schema_definition: SCHEMA, schema_locked: true });
    await edited(draft, { schema_definition: WIDER });
    const inactive = await activeLocked("loose-inactive");
    await edited(inactive, { status: "inactive" });
    await edited(inactive, { schema_definition: WIDER });
    const open = await activeLocked("loose-open");
    await edited(open, { schema_locked: false });
    await edited(open, { schema_definition: WIDER });
  });

  test("a dry run saves nothing, and refuses what else the edit would refuse", async () => {
    const feed = await activeLocked("dry");
    const before = await gateway.sql`select * from feeds where feed_id = ${feed.id}`;
    const judged = (body: object) => edited(feed, body, "?dry_run=true");
    expect(await judged({ schema_definition: WIDER })).toMatchObject({
      dry_run: true,
      compatibility: "breaking",
      changes: { length: 1 },
      refused_with: "SCHEMA_BREAKING",
    });
    expect(await judged({ schema_definition: WIDER, schema_version: 2 })).toMatchObject({
      compatibility: "breaking",
      refused_with: null,
    });
    expect((await judged({ schema_definition: NARROWER })).compatibility).toBe("compatible");
    expect(await judged({ name: "Other" })).toMatchObject({ compatibility: "same", changes: [] });
    expect((await judged({ request_review: true })).refused_with).toBeNull();
    await created("dry-taken");
    for (const [body, code] of [
      [{ endpoint_path: "dry-taken", schema_definition: WIDER }, "ENDPOINT_PATH_TAKEN"],
      [{ feed_type: "stream" }, "FEED_TYPE_LOCKED"],
      [{ schema_definition: null }, "SCHEMA_REQUIRED"],
      [{ schema_definition: { type: 1 } }, "SCHEMA_INVALID"],
      [{ price_type: "metered" }, "PRICING_INVALID"],
    ] as const) {
      expect((await problemOf(await edit(feed, body, "?dry_run=true"))).code).toBe(code);
    }
    expect(await gateway.sql`select * from feeds where feed_id = ${feed.id}`).toEqual(before);
  });

  test("of two edits at once none passes that the other made breaking", async () => {
    const feed = await activeLocked("two-at-once");
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        edit(feed, { schema_definition: NARROWER }),
        edit(feed, { schema_definition: SCHEMA }),
      ]);
      const statuses = answers.map(({ status }) => status);
      // Back to SCHEMA is breaking if NARROWER came first. If it came last, NARROWER is stored.
      expect(statuses[0]).toBe(200);
      expect([200, 409]).toContain(statuses[1] ?? 0);
      const [row] = await gateway.sql`
        select schema_definition ->> 'required' as required from feeds where feed_id = ${feed.id}`;
      expect(row?.required).toBe('["price"]');
    }
  });

  test("metadata shows schema_version, and schema_changed_at moves only with the schema", async () => {
    const feed = await activeLocked("dated");
    const reader = await gateway.createKey(await gateway.createAccount(), "read");
    const metadata = async () => {
      const response = await gateway.get(`/v1/feed/${feed.id}/metadata`, reader);
      return (await response.json()) as Body;
    };
    const first = await metadata();
    expect(first.schema_version).toBe(1);
    expect(Date.parse(String(first.schema_changed_at))).toBeGreaterThan(0);
    await edited(feed, { name: "Renamed", schema_definition: SCHEMA });
    expect((await metadata()).schema_changed_at).toBe(first.schema_changed_at);
    await edited(feed, { schema_definition: NARROWER });
    const later = String((await metadata()).schema_changed_at);
    expect(Date.parse(later)).toBeGreaterThan(Date.parse(String(first.schema_changed_at)));
  });
});

describe("review", () => {
  test("asked for, declined with a reason, asked for again, listed, and none after that", async () => {
    const feed = await created("reviewed");
    expect(feed).toMatchObject({ review: "none", review_reason: null });
    expect(await edited(feed, { request_review: true })).toMatchObject({ review: "waiting" });
    const waiting = (await operator.json("feed", "list", "--review", "waiting")) as Body[];
    expect(waiting.map(({ id }) => id)).toContain(feed.id);
    await operator.json("feed", "decline", "reviewed", "--reason", "no sample");
    const declined = { review: "declined", review_reason: "no sample" };
    expect(await edited(feed, { name: "Better" })).toMatchObject(declined);
    const again = await edited(feed, { request_review: true, sample_response: { id: 1 } });
    expect(again).toMatchObject({ review: "waiting", review_reason: null });
    await operator.json("feed", "publish", feed.id);
    expect(await edited(feed, { request_review: true })).toMatchObject({
      review: "listed",
      review_reason: null,
    });
    const refusal = await operator.run(["feed", "decline", feed.id, "--reason", "late"]);
    refused(refusal, `feedgate: feed "${feed.id}" is listed; unpublish it first`);
    await operator.json("feed", "unpublish", feed.id);
    expect(await edited(feed, {})).toMatchObject({ review: "none", review_reason: null });
    const events = await gateway.sql`
      select action from audit_events where feed_id = ${feed.id} order by event_id`;
    expect(events.map(({ action }) => action)).toContain("feed decline");
  });

  test("create takes request_review, false changes nothing, and null is 422", async () => {
    const asked = await created("asked-at-once", { request_review: true });
    expect(asked.review).toBe("waiting");
    expect(await edited(asked, { request_review: false })).toMatchObject({ review: "waiting" });
    const refusal = await problemOf(await edit(asked, { request_review: null }));
    expect(refusal).toMatchObject({ status: 422, code: "VALIDATION_FAILED" });
    await operator.json("feed", "unpublish", asked.id);
    expect((await edited(asked, {})).review).toBe("none");
  });
});

interface Page {
  readonly pushes: readonly (Record<string, unknown> & { readonly push_id: number })[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

describe("GET /v1/provider/feed/{feed_id}/pushes", () => {
  test("what was stored and refused, the newest first, and a flood by rate as one entry", async () => {
    const feed = await created("history", { schema_definition: SCHEMA, schema_locked: true });
    await push(feed, [{ id: 1, price: 1 }], "?dry_run=true");
    await push(feed, { payload: [{ id: 1, price: 1 }], batch_id: "b1" });
    await push(feed, { payload: [{ id: 2, price: "x" }], batch_id: "b1" });
    const flood = Array.from({ length: 25 }, () => push(feed, [{ id: 3, price: 3 }]));
    for (const { status } of await Promise.all(flood)) expect(status).toBe(429);
    await push(feed, [{ id: 3, price: 3 }], "?dry_run=true");
    const response = await own("/v1/provider/feed/history/pushes");
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const page = (await response.json()) as Page;
    expect(page).toMatchObject({ limit: 20, has_more: false, next_cursor: null });
    const limited = page.pushes.filter(({ code }) => code === "RATE_LIMITED");
    // The minute may end in between.
    expect([1, 2]).toContain(limited.length);
    expect(limited[0]).toMatchObject({ outcome: "refused", rows_received: 0, bytes: 0 });
    const [wrong, stored, ...none] = page.pushes.slice(limited.length);
    expect(none).toEqual([]);
    expect(wrong).toMatchObject({
      outcome: "refused",
      code: "VALIDATION_FAILED",
      detail: expect.stringContaining("/payload/0/price"),
      rows_received: 1,
      batch_id: "b1",
    });
    expect(stored).toEqual({
      push_id: expect.any(Number),
      pushed_at: expect.any(String),
      outcome: "stored",
      code: null,
      detail: null,
      rows_received: 1,
      rows_inserted: 1,
      rows_updated: 0,
      rows_duplicate: 0,
      bytes: 48,
      ms: expect.any(Number),
      batch_id: "b1",
    });
    const { feeds } = (await (await own("/v1/provider/feeds?limit=1")).json()) as {
      feeds: Record<string, unknown>[];
    };
    expect(feeds[0]?.last_refusal).toMatchObject({ code: "RATE_LIMITED" });
  });

  test("pages by cursor, 90 days long, and cursors are bound to the feed", async () => {
    const feed = await created("paged");
    await gateway.sql`
      insert into pushes (
        feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated, rows_duplicate,
        body_bytes, duration_ms
      )
      select ${feed.id}, now() - day * interval '1 day', true, day, 0, 0, 0, 1, 1
      from generate_series(1, 100, 10) as day`;
    const days: unknown[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 10; pages++) {
      const search = cursor === "" ? "" : `&cursor=${cursor}`;
      const page = (await (
        await own(`/v1/provider/feed/${feed.id}/pushes?limit=4${search}`)
      ).json()) as Page;
      days.push(...page.pushes.map(({ rows_received: day }) => day));
      cursor = page.next_cursor;
    }
    expect(days).toEqual([1, 11, 21, 31, 41, 51, 61, 71, 81]);
    const first = (await (await own(`/v1/provider/feed/paged/pushes?limit=4`)).json()) as Page;
    const foreign = await own(`/v1/provider/feed/history/pushes?cursor=${first.next_cursor}`);
    expect(await problemOf(foreign)).toMatchObject({ status: 400, code: "CURSOR_INVALID" });
  });

  test("401, 403, 400 and 405 for the wrong key, feed, parameter and method", async () => {
    const path = "/v1/provider/feed/paged/pushes";
    const reader = await gateway.createKey(provider, "read");
    const stranger = await gateway.createKey(await gateway.createAccount(), "write");
    const as = (sender: string) =>
      fetch(gateway.baseUrl + path, { headers: { Authorization: `Bearer ${sender}` } });
    expect((await problemOf(await gateway.get(path))).code).toBe("KEY_REQUIRED");
    expect((await problemOf(await as(reader))).code).toBe("KEY_PERMISSION");
    expect((await problemOf(await as(stranger))).code).toBe("FEED_FORBIDDEN");
    expect((await problemOf(await own(`${path}?limit=0`))).code).toBe("INVALID_PARAMETER");
    expect((await gateway.send("POST", path, key, {})).status).toBe(405);
  });
});
