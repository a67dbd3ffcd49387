import { afterAll, expect, test } from "bun:test";
import { treaty } from "@elysiajs/eden";
import type { App } from "../src/app.ts";
import { shareTestGateway } from "./support/gateway.ts";
import { seedFeed } from "./support/seed.ts";

const gateway = await shareTestGateway();
afterAll(() => gateway.stop());

test("a client that is typed by the app's routes reads a feed", async () => {
  const owner = await gateway.createAccount();
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const feed = await seedFeed(gateway, owner, { type: "collection", rows, isPublic: true });
  const headers = { "x-api-key": await gateway.createKey(owner, "read") };
  const client = treaty<App>(gateway.baseUrl, { headers });

  const catalog = await client.v1.catalog.get({ query: { limit: 5 } });
  const first: string | undefined = catalog.data?.feeds[0]?.endpoint_path ?? undefined;
  expect(first).toBe(feed.slug);

  const read = await client.v1.feed({ id: feed.slug }).get({ query: { limit: 2 } });
  const cursor: string | null | undefined = read.data?.next_cursor;
  expect(read.data).toMatchObject({ data: rows.slice(0, 2), has_more: true });
  expect(cursor).toBeString();

  const missing = await client.v1.feed({ id: "none" }).get();
  if (missing.error?.status !== 404) throw new Error("an unknown feed is 404");
  const code: "FEED_NOT_FOUND" | "INTERNAL" | string = missing.error.value.code;
  expect(code).toBe("FEED_NOT_FOUND");
});

test("a provider's routes are typed, too, and what they don't take is refused by the compiler", async () => {
  const owner = await gateway.createAccount();
  const headers = { authorization: `Bearer ${await gateway.createKey(owner, "write")}` };
  const client = treaty<App>(gateway.baseUrl, { headers });
  const { feed } = client.v1.provider;

  const created = await feed.create.post({ name: "Typed", endpoint_path: "typed" });
  const id: string | undefined = created.data?.id;
  expect(created.status).toBe(201);
  const pushed = await feed({ feed_id: id ?? "" }).push.post(
    { payload: [{ id: 1, place: "Tonga" }] },
    { query: { dry_run: true } },
  );
  const inserted: number | undefined = pushed.data?.rows_inserted;
  expect(inserted).toBe(1);

  // @ts-expect-error: a name is a text
  const refused = await feed.create.post({ name: 5, endpoint_path: "typed-2" });
  expect(refused.status).toBe(422);
});
