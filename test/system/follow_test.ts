import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { IDLE_SECONDS_MAX } from "../../src/limits.ts";
import { readEvents } from "../support/event_source.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { whenBusy } from "../support/pace.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const EVENT = { id: "a", event_timestamp: "2026-11-22T10:00:00Z" };

let gateway: TestGateway;
let provider: string;
let feed: SeededFeed;
let url: string;
let key: string;
let write: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  provider = await gateway.createAccount();
  write = await gateway.createKey(provider, "write");
  key = await gateway.createKey(await gateway.createAccount(), "read");
  feed = await seedFeed(gateway, provider, { type: "stream", rows: [EVENT] });
  url = `${gateway.baseUrl}/v1/feed/${feed.slug}/stream`;
});
afterAll(() => gateway.stop());

/** What a client of HTTP/1.0 is sent until the connection ends. */
async function askOverHttp10(slug: string, query: string): Promise<string> {
  const { hostname, port } = new URL(gateway.baseUrl);
  let received = "";
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, bytes) {
        received += bytes.toString();
      },
      close: () => closed.resolve(),
    },
  });
  const path = `/v1/feed/${slug}/stream?${query}`;
  socket.write(`GET ${path} HTTP/1.0\r\nHost: ${hostname}\r\nx-api-key: ${key}\r\n\r\n`);
  await closed.promise;
  return received;
}

describe("a follower that waits", () => {
  test("a follower that waits longer than other requests may last gets what comes then", async () => {
    const startedMs = performance.now();
    const source = await readEvents(`${url}?live=sse&offset=now`, { "x-api-key": key });
    const poll = await gateway.get(`/v1/feed/${feed.slug}/stream?live=long-poll&offset=now`, key);
    expect(poll.status).toBe(204);
    expect(performance.now() - startedMs).toBeGreaterThan(1_000 * (IDLE_SECONDS_MAX + 9));
    const pushed = await gateway.send("POST", `/v1/provider/feed/${feed.feedId}/push`, write, [
      { ...EVENT, id: "b" },
    ]);
    expect(pushed.status).toBe(200);
    expect(JSON.parse((await source.next("rows")).data).data).toMatchObject([{ id: "b" }]);
    source.close();
  });

  test("a follower gets the refusal within 20 seconds after its key was revoked, though nothing comes", async () => {
    const account = await gateway.createAccount();
    const own = await gateway.createKey(account, "read");
    const source = await readEvents(`${url}?live=sse&offset=now`, { "x-api-key": own });
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${account}`;
    const revokedMs = performance.now();
    expect(JSON.parse((await source.next("end")).data).code).toBe("KEY_INVALID");
    expect(performance.now() - revokedMs).toBeLessThan(20_000 + whenBusy(1_000));
  });

  test("a follower gets the refusal within 20 seconds after its key was revoked, though its window is full", async () => {
    const account = await gateway.createAccount();
    const own = await gateway.createKey(account, "read");
    const limit = gateway.gateway.services.config.limits.readsFree;
    for (let read = 0; read < limit; read += 1) {
      expect((await gateway.get(`/v1/feed/${feed.slug}`, own)).status).toBe(200);
    }
    const source = await readEvents(`${url}?live=sse`, { "x-api-key": own });
    await gateway.sql`update api_keys set revoked_at = now() where account_id = ${account}`;
    const revokedMs = performance.now();
    expect(JSON.parse((await source.next("end")).data).code).toBe("KEY_INVALID");
    expect(performance.now() - revokedMs).toBeLessThan(20_000 + whenBusy(1_000));
  });

  test("a follower gets the refusal within 20 seconds after its grant has ended, though nothing comes", async () => {
    const closed = await seedFeed(gateway, provider, { type: "stream", rows: [EVENT] });
    const account = await gateway.createAccount();
    const own = await gateway.createKey(account, "read");
    const { feedId } = closed;
    await gateway.sql`update feeds set access = 'invited' where feed_id = ${feedId}`;
    await gateway.sql`select grant_access(${feedId}, ${account}, false, null, null, 'test')`;
    const source = await readEvents(
      `${gateway.baseUrl}/v1/feed/${closed.slug}/stream?live=sse&offset=now`,
      { "x-api-key": own },
    );
    await gateway.sql`delete from access_grants where feed_id = ${feedId}`;
    const endedMs = performance.now();
    expect(JSON.parse((await source.next("end")).data).code).toBe("FEED_NOT_FOUND");
    expect(performance.now() - endedMs).toBeLessThan(20_000 + whenBusy(1_000));
  });

  test("a follower over HTTP/1.0 gets a page by long poll, and events without chunks until the connection ends", async () => {
    const [head, body] = (await askOverHttp10(feed.slug, "live=long-poll")).split("\r\n\r\n");
    expect(head).toContain("Content-Length: ");
    expect(JSON.parse(body ?? "").data[0]).toEqual(EVENT);
    const dear = await seedFeed(gateway, provider, {
      type: "stream",
      rows: [EVENT],
      callPriceNanos: 1_000,
    });
    const events = await askOverHttp10(dear.slug, "live=sse");
    expect(events).toContain("\r\n\r\nretry: 1000\n:\n\nevent: end\ndata: {");
    expect(events).toContain("INSUFFICIENT_CREDITS");
    expect(events).not.toContain("Transfer-Encoding");
  });
});
