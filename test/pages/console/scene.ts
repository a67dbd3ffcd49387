/**
 * Something of everything that the console shows, of names and texts that want to be more than text.
 *
 * @module
 */
import { expect } from "bun:test";
import type { TestGateway } from "../../support/gateway.ts";
import { createAdmin } from "./support.ts";

/** What strangers write: markup, handlers, quotes, templates, and characters that turn text around. */
export const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>\u202e{{7*7}}\${7*7}</textarea></title>`;
/** A word that no line has room for. */
const LONG_WORD = "w".repeat(90);
/** In all that belongs to an account that nobody of the scene has to do with. */
const FOREIGN = "zq7731foreign";

export interface Scene {
  readonly adminKey: string;
  readonly providerKey: string;
  readonly consumerKey: string;
  readonly providerAccount: string;
  readonly consumerAccount: string;
  readonly foreignMarker: string;
  readonly foreignAccount: string;
  readonly foreignFeed: string;
  readonly feeds: Readonly<Record<"metered" | "once" | "waiting", string>>;
}

export async function setScene(gateway: TestGateway): Promise<Scene> {
  const adminKey = await createAdmin(gateway, `ops ${HOSTILE}`);
  const providerAccount = await gateway.createAccount({ name: `Provider ${HOSTILE}${LONG_WORD}` });
  const consumerAccount = await gateway.createAccount({
    name: `Consumer ${HOSTILE}${LONG_WORD}`,
    credits: 10_000_000,
  });
  const providerKey = await gateway.createKey(providerAccount, "write");
  const consumerKey = await gateway.createKey(consumerAccount, "read");
  const foreign = await setForeign(gateway);
  const make = (slug: string, more: object) =>
    makeFeed(gateway, { key: providerKey, slug, name: `${slug} ${HOSTILE}`, more });
  const metered = await make("metered", { price_type: "metered", price_per_1k: 0.5 });
  const once = await make("once", { price_type: "one_time", one_time_price_cents: 100 });
  const waiting = await make("waiting", { request_review: true });
  for (const id of [metered, once]) {
    const path = `/v1/operator/feeds/${id}/publish`;
    expect((await gateway.send("POST", path, adminKey, {})).status).toBe(200);
  }
  const push = `/v1/provider/feed/${waiting}/push`;
  const staged = { payload: [{ id: "9", text: HOSTILE }], batch_id: `batch ${HOSTILE}` };
  expect((await gateway.send("POST", push, providerKey, staged)).status).toBe(200);
  const refused = await gateway.send("POST", push, providerKey, {
    payload: [{ id: HOSTILE, text: 1 }],
  });
  expect(refused.status).toBe(422);
  for (const path of ["/v1/feed/metered", "/v1/feed/once", "/v1/feed/none"]) {
    await gateway.get(path, consumerKey);
    await gateway.get(path, foreign.readKey);
  }
  const buy = { max_credits: 1_000_000 };
  const bought = await gateway.send("POST", "/v1/feed/once/purchase", consumerKey, buy);
  expect(bought.status).toBe(201);
  const promotion = { code: "WELCOME", credits: 5, max_redemptions: 3 };
  await gateway.send("POST", "/v1/operator/promotions", adminKey, promotion);
  const reference = `transfer ${HOSTILE}`;
  const payout = { account_id: providerAccount, usd: 0.25, reference, allow_above: true };
  await gateway.send("POST", "/v1/operator/payouts", adminKey, payout);
  return {
    adminKey,
    providerKey,
    consumerKey,
    providerAccount,
    consumerAccount,
    foreignMarker: FOREIGN,
    foreignAccount: foreign.account,
    foreignFeed: foreign.feed,
    feeds: { metered, once, waiting },
  };
}

/** An account with everything, none of which is anybody else's business. */
async function setForeign(gateway: TestGateway) {
  const account = await gateway.createAccount({ name: FOREIGN, credits: 50_000 });
  const key = await gateway.createKey(account, "write");
  const feed = await makeFeed(gateway, { key, slug: FOREIGN, name: FOREIGN, more: {} });
  return { account, feed, readKey: await gateway.createKey(account, "read") };
}

interface Made {
  readonly key: string;
  readonly slug: string;
  readonly name: string;
  readonly more: object;
}

async function makeFeed(gateway: TestGateway, { key, slug, name, more }: Made): Promise<string> {
  const created = await gateway.send("POST", "/v1/provider/feed/create", key, {
    name,
    endpoint_path: slug,
    description: name,
    readme_md: `# ${name}\n\n[a link](javascript:alert(1)) <b>bold</b>`,
    category: name.slice(0, 100),
    feed_type: "collection",
    sync_interval_mins: 60,
    update_frequency_text: name.slice(0, 100),
    schema_definition: {
      type: "object",
      required: ["id", "text"],
      properties: {
        id: { type: "string" },
        text: { type: "string", description: name },
        [`field ${name}`]: { type: "number", description: name },
      },
    },
    schema_locked: true,
    sample_response: { id: "1", text: name },
    ...more,
  });
  expect([created.status, await created.clone().text()]).toEqual([201, expect.any(String)]);
  const { id } = (await created.json()) as { id: string };
  const rows = [
    { id: "1", text: name },
    { id: "2", text: "plain" },
  ];
  const pushed = await gateway.send("POST", `/v1/provider/feed/${id}/push`, key, { payload: rows });
  expect(pushed.status).toBe(200);
  return id;
}
