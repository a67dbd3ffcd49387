/**
 * Who is told of a feed that is not open, and what those are told who ask to read one.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startOf } from "../../src/accounts/key_format.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { nameWebhook, type Receiver, runNoticeJob, sendNotices, startReceiver } from "./support.ts";

let receiver: Receiver;
let gateway: TestGateway;
let provider: string;
let writeKey: string;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway({}, { webhookTrial: receiver.trial });
  provider = await gateway.createAccount();
  writeKey = await gateway.createKey(provider, "write");
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

/** What was received since, by path. */
async function told(): Promise<string[]> {
  await sendNotices(gateway);
  const received = receiver.received.splice(0);
  return received.map(({ path, notice }) => `${path} ${notice.type}`).sort();
}

async function reader(path: string, types: readonly string[]) {
  const id = await gateway.createAccount({ credits: 1_000 });
  const key = await gateway.createKey(id, "read");
  await nameWebhook(gateway, key, { url: `${receiver.origin}/${path}`, types });
  return { id, key };
}

async function provide(
  method: "DELETE" | "PATCH" | "POST" | "PUT",
  path: string,
  body?: object,
): Promise<void> {
  const answer = await gateway.send(method, `/v1/provider/feed/${path}`, writeKey, body);
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
}

describe("of a feed that is not open, those are told who may read it:", () => {
  for (const access of ["by_request", "invited"] as const) {
    test(access, async () => {
      const types = ["feed.updated", "feed.changed", "feed.gone"];
      const { feedId, slug } = await seedFeed(gateway, provider, {
        type: "singleton",
        rows: [{ a: 1 }],
        isPublic: true,
      });
      const readers = {
        granted: await reader("granted", types),
        unread: await reader("unread", types),
        ended: await reader("ended", types),
        removed: await reader("removed", types),
        stranger: await reader("stranger", types),
      };
      for (const [name, { id }] of Object.entries(readers)) {
        // It never read the feed, so it is told for its grant alone.
        if (name === "unread") continue;
        await gateway.sql`
          insert into spending_days
            (account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos)
          values (${id}, current_date, ${feedId}, null, 1, 0, 0, 0)`;
      }
      await provide("PATCH", `${slug}/edit`, { access });
      for (const name of ["granted", "unread", "ended", "removed"] as const) {
        await provide("PUT", `${feedId}/readers/${readers[name].id}`, {});
      }
      await gateway.sql`
        update access_grants set expires_at = now() - interval '1 minute'
        where account_id = ${readers.ended.id}`;
      await provide("DELETE", `${feedId}/readers/${readers.removed.id}`);
      await runNoticeJob(gateway.sql, "notice subscriptions");
      await told();

      await provide("POST", `${slug}/push`, { payload: { a: 2 } });
      await runNoticeJob(gateway.sql, "updated feeds");
      expect(await told()).toEqual(["/granted feed.updated", "/unread feed.updated"]);
      await provide("PATCH", `${slug}/edit`, { price_type: "metered", price_per_1k: 5 });
      expect(await told()).toEqual(["/granted feed.changed", "/unread feed.changed"]);
      await provide("DELETE", slug);
      expect(await told()).toEqual(["/granted feed.gone", "/unread feed.gone"]);
    });
  }
});

describe("a reader that names no feed is told, from the very beginning,", () => {
  const TYPES = ["feed.updated", "feed.changed"];

  /** A feed that is sold once. */
  async function soldFeed() {
    const feed = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ a: 1 }],
      isPublic: true,
    });
    await provide("PATCH", `${feed.slug}/edit`, {
      price_type: "one_time",
      one_time_price_cents: 100,
    });
    return feed;
  }
  async function buy(feedId: string, key: string) {
    const bought = await gateway.send("POST", `/v1/feed/${feedId}/purchase`, key, {
      max_credits: 1_000_000,
    });
    expect(bought.status).toBe(201);
  }
  async function rich(path: string) {
    const id = await gateway.createAccount({ credits: 1_000_000 });
    const key = await gateway.createKey(id, "read");
    return { id, key, webhook: { url: `${receiver.origin}/${path}`, types: TYPES } };
  }
  async function expectTold(slug: string, path: string) {
    await provide("POST", `${slug}/push`, { payload: { a: 2 } });
    await runNoticeJob(gateway.sql, "updated feeds");
    expect(await told()).toEqual([`/${path} feed.updated`]);
    await provide("PATCH", `${slug}/edit`, { one_time_price_cents: 200 });
    expect(await told()).toEqual([`/${path} feed.changed`]);
  }

  test("of a feed that it has just bought", async () => {
    const { feedId, slug } = await soldFeed();
    const { key, webhook } = await rich("bought");
    await nameWebhook(gateway, key, webhook);
    await told();
    await buy(feedId, key);
    await expectTold(slug, "bought");
  });

  test("of a feed that it was just granted", async () => {
    const { feedId, slug } = await soldFeed();
    const { id, key, webhook } = await rich("given");
    await nameWebhook(gateway, key, webhook);
    await told();
    await provide("PUT", `${feedId}/readers/${id}`, {});
    await expectTold(slug, "given");
  });

  test("of a feed that it bought before its webhook was there, or was for all feeds", async () => {
    for (const path of ["named", "edited"]) {
      const { feedId, slug } = await soldFeed();
      const { key, webhook } = await rich(path);
      await buy(feedId, key);
      await told();
      if (path === "named") await nameWebhook(gateway, key, webhook);
      else {
        const other = await soldFeed();
        const { id } = await nameWebhook(gateway, key, { ...webhook, feed_ids: [other.feedId] });
        const all = { feed_ids: null };
        expect((await gateway.send("PATCH", `/v1/webhooks/${id}`, key, all)).status).toBe(200);
      }
      await expectTold(slug, path);
    }
  });
});

test("an agent is not told of what other keys of its account read", async () => {
  const { feedId, slug } = await seedFeed(gateway, provider, {
    type: "singleton",
    rows: [{ a: 1 }],
    isPublic: true,
  });
  const { id, key } = await reader("account", ["feed.changed"]);
  const agent = await gateway.createKey(id, "read");
  await gateway.sql`
    insert into agent_connections (
      code_hash, challenge, client_id, client_name, redirect_uri, account_id, key_ends_at, key_id,
      daily_nanos, actor, is_spent
    )
    select sha256('code'), sha256('challenge'), 'client', 'Agent', 'https://agent.example/', ${id},
      now() + interval '1 day', key_id, 1000, 'test', true
    from api_keys
    where key_start = ${startOf(agent)}`;
  await nameWebhook(gateway, agent, {
    url: `${receiver.origin}/agent`,
    types: ["feed.changed"],
  });
  expect((await gateway.get(`/v1/feed/${slug}`, key)).status).toBe(200);
  await gateway.sql`
    insert into spending_days
      (account_id, day, feed_id, key_id, reads, purchases, charged_nanos, refunded_nanos)
    values (${id}, current_date, ${feedId}, null, 1, 0, 0, 0)`;
  await runNoticeJob(gateway.sql, "notice subscriptions");
  await provide("PATCH", `${slug}/edit`, { price_type: "metered", price_per_1k: 5 });
  expect(await told()).toEqual(["/account feed.changed"]);
  // What the account was granted is the agent's to read, too.
  await provide("PUT", `${feedId}/readers/${id}`, {});
  await provide("PATCH", `${slug}/edit`, { price_per_1k: 6 });
  expect(await told()).toEqual(["/account feed.changed", "/agent feed.changed"]);
  for (let count = 1; count < 5; count += 1) {
    await nameWebhook(gateway, agent, { url: `${receiver.origin}/agent`, types: ["feed.gone"] });
  }
  const sixth = { url: `${receiver.origin}/agent`, types: ["feed.gone"] };
  const refused = await gateway.send("POST", "/v1/webhooks", agent, sixth);
  expect([refused.status, await refused.json()]).toEqual([
    409,
    expect.objectContaining({ detail: expect.stringContaining("5 webhooks of a connected agent") }),
  ]);
  expect((await gateway.send("POST", "/v1/webhooks", key, sixth)).status).toBe(201);
});

describe("a request for access is told to the provider, and its answer to the account that asked:", () => {
  for (const [answer, body, outcome] of [
    ["approve", {}, { outcome: "approved", reason: null }],
    ["decline", { reason: "Not for resale." }, { outcome: "declined", reason: "Not for resale." }],
  ] as const) {
    test(answer, async () => {
      const { feedId, slug } = await seedFeed(gateway, provider, {
        type: "singleton",
        rows: [{ a: 1 }],
        isPublic: true,
      });
      await provide("PATCH", `${slug}/edit`, { access: "by_request" });
      const asker = await reader(answer, ["access.answered"]);
      await nameWebhook(gateway, writeKey, {
        url: `${receiver.origin}/provider`,
        types: ["access.requested"],
        feed_ids: [feedId],
      });
      const path = `/v1/feed/${slug}/access-requests`;
      const asked = await gateway.send("POST", path, asker.key, { message: "For a map." });
      const { request_id: requestId } = (await asked.json()) as { request_id: string };
      await sendNotices(gateway);
      expect(receiver.received.splice(0).map(({ notice }) => notice)).toMatchObject([
        {
          type: "access.requested",
          data: {
            feed_id: feedId,
            request_id: requestId,
            account_id: asker.id,
            message: "For a map.",
          },
        },
      ]);
      await provide("POST", `${feedId}/access-requests/${requestId}/${answer}`, body);
      await sendNotices(gateway);
      expect(receiver.received.splice(0)).toMatchObject([
        {
          path: `/${answer}`,
          notice: {
            type: "access.answered",
            data: { feed_id: feedId, request_id: requestId, ...outcome },
          },
        },
      ]);
    });
  }
});
