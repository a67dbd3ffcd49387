import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { arrayLiteral } from "../../../src/postgres/client/array_literal.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let provider: string;
let writeKey: string;
let readKey: string;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_DISCOVERY_LIMIT: "1000" });
  provider = await gateway.createAccount();
  writeKey = await gateway.createKey(provider, "write");
  readKey = await gateway.createKey(await gateway.createAccount(), "read");
});

afterAll(() => gateway.stop());

function newFeed(): Promise<SeededFeed> {
  return seedFeed(gateway, provider, { type: "collection", rows: [{ id: "a" }] });
}

async function metadata(reference: string) {
  const response = await gateway.get(`/v1/feed/${reference}/metadata`, readKey);
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, etag: response.headers.get("etag"), body };
}

/** Twice: the second is answered from memory. */
async function remembered(reference: string) {
  const first = await metadata(reference);
  const second = await metadata(reference);
  expect(second.status).toBe(200);
  expect({ ...second.body, _origin: 0 }).toEqual({ ...first.body, _origin: 0 });
  expect(second.etag).toBe(first.etag);
  return second;
}

describe("GET /v1/feed/{id}/metadata, remembered", () => {
  test("a push is seen by the next read", async () => {
    const { feedId } = await newFeed();
    const before = await remembered(feedId);
    const push = await gateway.send("POST", `/v1/provider/feed/${feedId}/push`, writeKey, {
      payload: [{ id: "b" }],
    });
    expect(push.status).toBeLessThan(300);
    const after = await metadata(feedId);
    expect(after.body.last_sync_at).not.toBe(before.body.last_sync_at);
    expect(after.etag).not.toBe(before.etag);
  });

  test("a stream shows its oldest and newest event, also after a push", async () => {
    const at = (day: string) => `2018-02-${day}T00:00:00Z`;
    const rows = ["07", "04"].map((day) => ({ id: day, event_timestamp: at(day) }));
    const { feedId } = await seedFeed(gateway, provider, { type: "stream", rows });
    const before = await remembered(feedId);
    expect(before.body).toMatchObject({ oldest_event: at("04"), newest_event: at("07") });
    const push = await gateway.send("POST", `/v1/provider/feed/${feedId}/push`, writeKey, {
      payload: [{ id: "later", event_timestamp: at("09") }],
    });
    expect(push.status).toBe(200);
    expect((await metadata(feedId)).body.newest_event).toBe(at("09"));
    const collection = await metadata((await newFeed()).feedId);
    expect(collection.body).toMatchObject({ oldest_event: null, newest_event: null });
  });

  test("a stream with retention shows no event that can't be read any more", async () => {
    // The older event can be read for another 100 ms.
    const oldest = new Date(Date.now() - 86_400_000 + 100).toISOString();
    const newest = new Date().toISOString();
    const rows = [oldest, newest].map((event_timestamp, id) => ({ id: `${id}`, event_timestamp }));
    const { feedId } = await seedFeed(gateway, provider, { type: "stream", rows });
    await gateway.sql`
      update feeds set retention_days = 1, definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    await metadata(feedId);
    await gateway.sql`select pg_sleep_until(${oldest}::timestamptz + interval '1 day')`;
    const { body } = await metadata(feedId);
    expect(Date.parse(String(body.oldest_event))).toBe(Date.parse(newest));
  });

  test("an edit of another process, and a write of no version at all, are seen by the next read", async () => {
    const { feedId } = await newFeed();
    await remembered(feedId);
    await gateway.sql`
      update feeds set name = 'Edited', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await remembered(feedId)).body.name).toBe("Edited");
    await gateway.sql`update feeds set reliability_score = 12.5 where feed_id = ${feedId}`;
    expect((await metadata(feedId)).body.reliability_score).toBe(12.5);
  });

  test("a feed that closes is 404, also for its slug, until another feed takes that", async () => {
    const { feedId, slug } = await newFeed();
    const other = await newFeed();
    await remembered(slug);
    await gateway.sql`
      update feeds
      set status = 'inactive', endpoint_path = 'was-' || endpoint_path,
        definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    expect((await metadata(slug)).body.code).toBe("FEED_NOT_FOUND");
    const third = await newFeed();
    await remembered(third.slug);
    await gateway.sql`
      update feeds
      set status = 'inactive', endpoint_path = 'was-' || endpoint_path,
        definition_version = definition_version + 1
      where feed_id = ${third.feedId}`;
    await gateway.sql`
      update feeds
      set endpoint_path = ${third.slug}, definition_version = definition_version + 1
      where feed_id = ${other.feedId}`;
    expect((await metadata(third.slug)).body.id).toBe(other.feedId);
  });

  test("of a feed that is not active nothing is shown, to HEAD and to a condition neither", async () => {
    const { feedId } = await newFeed();
    await gateway.sql`
      update feeds set status = 'draft', definition_version = definition_version + 1
      where feed_id = ${feedId}`;
    const path = `/v1/feed/${feedId}/metadata`;
    const head = await fetch(gateway.baseUrl + path, {
      method: "HEAD",
      headers: { "x-api-key": readKey },
    });
    const condition = await gateway.get(path, readKey, { "If-None-Match": "*" });
    expect([head.status, condition.status]).toEqual([404, 404]);
  });

  test("each read has a usage event of its own, and a key that was revoked reads no more", async () => {
    const { feedId } = await newFeed();
    const ids = new Set<string>();
    for (let reads = 0; reads < 3; reads++) {
      const { body } = await metadata(feedId);
      ids.add((body._origin as { usage_id: string }).usage_id);
    }
    const [row] = await gateway.sql`
      select count(*)::int as rows from usage_events where usage_id = any(${arrayLiteral([...ids])}::uuid[])`;
    expect(row?.rows).toBe(3);
    await gateway.sql`update api_keys set revoked_at = now() where permission = 'read'`;
    expect((await metadata(feedId)).status).toBe(403);
  });
});
