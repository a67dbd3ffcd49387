import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { WAITS_PER_ACCOUNT_MAX } from "../../../src/limits.ts";
import { type EventReader, readEvents } from "../../support/event_source.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";
import { signIn } from "../console/support.ts";

let gateway: TestGateway;
let owner: string;
let write: string;
let feed: SeededFeed;
const open: EventReader[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await gateway.createAccount({ credits: 1_000 });
  write = await gateway.createKey(owner, "write");
  const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
  feed = await seedFeed(gateway, owner, { type: "stream", rows, isPublic: true, name: "Live" });
});
afterEach(() => {
  for (const events of open.splice(0)) events.close();
});
afterAll(() => gateway.stop());

async function watch(path: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const events = await readEvents(gateway.baseUrl + path, headers);
  open.push(events);
  return events;
}

let pushed = 1;
async function push(): Promise<void> {
  pushed += 1;
  const body = [{ id: pushed, event_timestamp: "2026-01-02T00:00:00Z" }];
  const path = `/v1/provider/feed/${feed.feedId}/push`;
  expect((await gateway.send("POST", path, write, body)).status).toBe(200);
}

/** The address of a page's events, as its page has it. */
async function addressIn(path: string, cookie = ""): Promise<string> {
  const html = await (
    await fetch(gateway.baseUrl + path, { headers: { cookie, Accept: "text/html" } })
  ).text();
  const [, address = ""] = /<main[^>]* data-live="([^"]+)"/.exec(html) ?? [];
  expect(address).not.toBe("");
  return new URL(address, gateway.baseUrl + path).href.slice(gateway.baseUrl.length);
}

/** Resolves with what the stream says at its end. */
const ended = (events: EventReader): Promise<string> =>
  events.next("changed").then(
    ({ id }) => `it goes on with ${id}`,
    (error: Error) => error.message,
  );
const END = "the stream of events has ended";

test("a feed's public page is told of each push, and the page that is asked for then has the row", async () => {
  const page = `/feeds/${feed.slug}`;
  const events = await watch(await addressIn(page));
  expect(events.response.headers.get("cache-control")).toContain("no-");
  await push();
  const { id } = await events.next("changed");
  const html = await (await gateway.get(page, undefined, { Accept: "text/html" })).text();
  expect(html).toContain(`data-live="./${feed.slug}/live?version=${id}"`);
  expect(html).toContain(`<td class="num">${pushed}</td>`);
});

test("a page that is older than the feed is told at once; the id of an event goes before the page's version", async () => {
  await push();
  const address = await addressIn(`/feeds/${feed.slug}`);
  await push();
  const { id } = await (await watch(address)).next("changed");
  const again = await watch(address, { "Last-Event-ID": id });
  await push();
  expect(BigInt((await again.next("changed")).id)).toBeGreaterThan(BigInt(id));
});

test("viewers take no statement each while nothing happens, and one asks for all", async () => {
  const address = await addressIn(`/feeds/${feed.slug}`);
  for (let count = 0; count < 10; count++) await watch(address);
  const { database } = gateway.gateway.services;
  const before = database.statementCount;
  await Bun.sleep(400);
  // At most one each 20 ms, which is how often gateways of tests ask.
  expect(database.statementCount - before).toBeLessThanOrEqual(25);
  const asked = database.statementCount;
  await push();
  await Promise.all(open.map((events) => events.next("changed")));
  expect(database.statementCount - asked).toBeLessThan(30);
});

test("a network has so many viewers and no more, which it gets back when they go", async () => {
  const address = await addressIn(`/feeds/${feed.slug}`);
  for (let count = 0; count < WAITS_PER_ACCOUNT_MAX; count++) await watch(address);
  const refused = await gateway.get(address);
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({ code: "TOO_MANY_WAITS" });
  for (const events of open.splice(0)) events.close();
  for (let tries = 0; gateway.gateway.services.viewers.open > 0 && tries < 100; tries++) {
    await Bun.sleep(10);
  }
  await watch(address);
});

test("events of a feed that nobody may see are no stream, and those of one that is taken away end", async () => {
  expect((await gateway.get("/feeds/none/live")).status).toBe(404);
  expect((await gateway.get(`/feeds/${feed.slug}/live?x=1`)).status).toBe(400);
  const events = await watch(await addressIn(`/feeds/${feed.slug}`));
  await gateway.sql`update feeds set is_public = false where feed_id = ${feed.feedId}`;
  await push();
  await events.next("end");
  expect(await ended(events)).toBe(END);
  expect((await gateway.get(`/feeds/${feed.slug}/live`)).status).toBe(404);
  await gateway.sql`update feeds set is_public = true where feed_id = ${feed.feedId}`;
});

test("a provider's page of a feed is told of pushes, until its session ends", async () => {
  const { cookie, post } = await signIn(gateway.baseUrl, write);
  const path = `/console/feeds/${feed.feedId}`;
  const events = await watch(await addressIn(path, cookie), { cookie });
  await push();
  await events.next("changed");
  await post("/sign-out", {});
  await push();
  await events.next("end");
  expect(await ended(events)).toBe(END);
});

test("a consumer's page of a feed is told of pushes, until its key is revoked", async () => {
  const read = await gateway.createKey(owner, "read");
  const { cookie } = await signIn(gateway.baseUrl, read);
  const path = `/console/catalog/${feed.feedId}`;
  const events = await watch(await addressIn(path, cookie), { cookie });
  await push();
  await events.next("changed");
  await gateway.sql`
    update api_keys set revoked_at = now()
    where account_id = ${owner} and permission = 'read'`;
  await push();
  await events.next("end");
  expect(await ended(events)).toBe(END);
});

test("the answer of “Try it” waits for news, and the page has a button to read again", async () => {
  const read = await gateway.createKey(owner, "read");
  const consumer = await signIn(gateway.baseUrl, read);
  const answer = await consumer.post(`/catalog/${feed.feedId}`, { act: "try" });
  const html = await answer.text();
  expect(html).toMatch(/data-live-note="?(true|")?[^>]* hidden/);
  expect(html).toContain("Read again");
  const [, address = ""] = /<main[^>]* data-live="\.\.\/\.\.([^"]+)"/.exec(html) ?? [];
  const events = await watch(address, { cookie: consumer.cookie });
  await push();
  await events.next("changed");
});

test("the operators' overview is told when counts or waiting feeds change, and nobody else gets it", async () => {
  const { cookie } = await signIn(gateway.baseUrl, (await insertAdminKey(gateway)).key);
  const events = await watch(await addressIn("/console", cookie), { cookie });
  const draft = await seedFeed(gateway, owner, { type: "stream", rows: [] });
  await gateway.sql`update feeds set review = 'waiting' where feed_id = ${draft.feedId}`;
  await events.next("changed");
  for (const permission of ["read", "write"] as const) {
    const other = await signIn(gateway.baseUrl, await gateway.createKey(owner, permission));
    expect((await other.get("/live")).status).toBe(404);
  }
  const stranger = await fetch(`${gateway.baseUrl}/console/live`);
  expect(stranger.headers.get("content-type")).toContain("text/html");
  await stranger.body?.cancel();
}, 30_000);

test("a feed of somebody else has no events", async () => {
  const other = await gateway.createKey(await gateway.createAccount(), "write");
  const { get } = await signIn(gateway.baseUrl, other);
  expect((await get(`/feeds/${feed.feedId}/live`)).status).toBe(403);
});

test("a gateway that stops ends its viewers' streams", async () => {
  const peer = await gateway.startPeer();
  const events = await readEvents(`http://127.0.0.1:${peer.port}/feeds/${feed.slug}/live`, {});
  const end = ended(events);
  await peer.stop();
  expect(await end).toBe(END);
});
