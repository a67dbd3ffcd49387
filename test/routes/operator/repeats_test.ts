import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rotateKey } from "../../../src/operator/keys.ts";
import { createDatabase } from "../../../src/postgres/client/database.ts";
import { OPERATOR_ROUTES } from "../../../src/routes/operator/operator_routes.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { ACTOR } from "../../pages/console/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { seedFeed } from "../../support/seed.ts";
import { callOperator } from "./support.ts";

let gateway: TestGateway;
/** Three processes' worth of gateways. In the last, a repeat hardly waits for the first call. */
let urls: readonly string[];
/** The place of the last one in `urls`. */
const HURRIED = 2;
let scene: Record<
  "account" | "key" | "sold" | "feed" | "usage" | "topup" | "closing" | "webhook" | "delivery",
  string
>;

beforeAll(async () => {
  gateway = await startTestGateway();
  const peers = [await gateway.startPeer(), await gateway.startPeer({}, { repeatWait: 50 })];
  urls = [gateway, ...peers].map(({ baseUrl }) => baseUrl);
  const account = await gateway.createAccount({ credits: 100, name: "Repeats" });
  const reader = await gateway.createKey(account, "read");
  const owner = await gateway.createAccount({ name: "Owner" });
  const one = { type: "collection", rows: [{ id: 1 }] } as const;
  const sold = await seedFeed(gateway, owner, { ...one, oneTimePriceCents: 500 });
  const feed = await seedFeed(gateway, owner, { ...one, callPriceNanos: 1_000 });
  const read = await gateway.get(`/v1/feed/${feed.slug}`, reader);
  const { _origin } = (await read.json()) as { _origin: { usage_id: string } };
  const keys = await gateway.sql`select key_id from api_keys where account_id = ${account}`;
  const [topup] = await gateway.sql`
    insert into topups (account_id, way, amount_nanos, expires_at, due_at, alert)
    values (${account}, 'card', 5000000000, now(), now(), 'paid_twice')
    returning topup_id`;
  const [sent] = await gateway.sql`
    with webhook as (
      insert into webhooks (permission, url, types, sealed_secret)
      values ('admin', 'https://93.184.215.14/', '{job.failed}', '') returning webhook_id
    ),
    notice as (
      insert into notices (type, permission, data, spread_at)
      values ('job.failed', 'admin', '{}', now()) returning notice_id
    )
    insert into webhook_deliveries (webhook_id, notice_id, status)
    select webhook_id, notice_id, 'delivered' from webhook, notice
    returning webhook_id, delivery_id`;
  scene = {
    webhook: sent?.webhook_id,
    delivery: sent?.delivery_id,
    account,
    key: String(keys[0]?.key_id),
    sold: sold.feedId,
    feed: feed.feedId,
    usage: _origin.usage_id,
    topup: topup?.topup_id,
    closing: await gateway.createAccount({ name: "Closing" }),
  };
});
afterAll(() => gateway.stop());

interface Act {
  /** As the routes have it. */
  readonly route: string;
  readonly path: string;
  readonly body: object;
  /** What it adds to the audit trail: once, however often it is sent. */
  readonly entries: number;
  /** What a repeat by the key's successor is: the same answer, another one (a link), or a refusal. @default "same" */
  readonly successor?: "another" | "refused";
}

/** Every POST, each so that it may follow those before it. */
function acts(): readonly Act[] {
  const { account, key, sold, feed, usage, topup, closing, webhook, delivery } = scene;
  const of = { account_id: account };
  const onAccount = `/accounts/${account}`;
  const onFeed = (act: string, body: object = {}): Act => ({
    route: `/feeds/:id/${act}`,
    path: `/feeds/${feed}/${act}`,
    body,
    entries: 1,
  });
  return [
    { route: "/accounts", path: "/accounts", body: { name: "Once" }, entries: 1 },
    {
      route: "/accounts/:id/sessions",
      path: `${onAccount}/sessions`,
      body: { permission: "read" },
      entries: 0,
      successor: "another",
    },
    {
      route: "/accounts/:id/suspend",
      path: `${onAccount}/suspend`,
      body: { reason: "r" },
      entries: 1,
    },
    { route: "/accounts/:id/resume", path: `${onAccount}/resume`, body: {}, entries: 1 },
    {
      route: "/accounts/:id/members",
      path: `${onAccount}/members`,
      body: { address: "ada@example.com" },
      entries: 1,
    },
    { route: "/accounts/:id/close", path: `/accounts/${closing}/close`, body: {}, entries: 1 },
    {
      route: "/keys",
      path: "/keys",
      body: { ...of, permission: "read" },
      entries: 1,
      successor: "refused",
    },
    {
      route: "/webhooks",
      path: "/webhooks",
      body: { url: "https://93.184.215.14/hook", types: ["job.failed"] },
      entries: 1,
      successor: "refused",
    },
    { route: "/webhooks/:id/test", path: `/webhooks/${webhook}/test`, body: {}, entries: 0 },
    {
      route: "/webhooks/:id/rotate",
      path: `/webhooks/${webhook}/rotate`,
      body: {},
      entries: 1,
      successor: "refused",
    },
    {
      route: "/webhooks/deliveries/:id/resend",
      path: `/webhooks/deliveries/${delivery}/resend`,
      body: {},
      entries: 0,
    },
    { route: "/keys/find", path: "/keys/find", body: { key }, entries: 0 },
    {
      route: "/keys/:id/rotate",
      path: `/keys/${key}/rotate`,
      body: {},
      // The new key, and the end of the old one.
      entries: 2,
      successor: "refused",
    },
    { route: "/keys/:id/revoke", path: `/keys/${key}/revoke`, body: {}, entries: 1 },
    {
      route: "/credits/grants",
      path: "/credits/grants",
      body: { ...of, credits: 5, reason: "r" },
      entries: 1,
    },
    {
      route: "/credits/revocations",
      path: "/credits/revocations",
      body: { ...of, credits: 1, reason: "r" },
      entries: 1,
    },
    {
      route: "/promotions",
      path: "/promotions",
      body: { code: "ONCE", credits: 3 },
      entries: 1,
    },
    {
      route: "/promotions/:code/redemptions",
      path: "/promotions/ONCE/redemptions",
      body: of,
      entries: 1,
    },
    { route: "/purchases", path: "/purchases", body: { ...of, feed_id: sold }, entries: 1 },
    {
      route: "/purchases/undo",
      path: "/purchases/undo",
      body: { ...of, feed_id: sold, reason: "r" },
      entries: 1,
    },
    {
      route: "/usage/:usage_id/refund",
      path: `/usage/${usage}/refund`,
      body: { reason: "r" },
      entries: 1,
    },
    {
      route: "/topups/:topup_id/settle",
      path: `/topups/${topup}/settle`,
      body: { reason: "r" },
      entries: 1,
    },
    onFeed("decline", { reason: "r" }),
    onFeed("publish"),
    onFeed("unpublish"),
    onFeed("suspend", { reason: "r" }),
    onFeed("resume"),
    {
      route: "/payouts",
      path: "/payouts",
      body: { ...of, usd: 1, reference: "payout", allow_above: true },
      entries: 1,
    },
    {
      route: "/payouts/:payout_id/undo",
      // The one above, which is the database's first.
      path: "/payouts/1/undo",
      body: { reason: "r" },
      entries: 1,
    },
  ];
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(place: number, key: string, { path, body, route }: Act): Promise<Answer> {
  const response = await callOperator(urls[place] ?? "", key, path, {
    method: "POST",
    body,
    headers: { "Idempotency-Key": `once-${route.replaceAll(/\W/g, "-")}` },
  });
  return { status: response.status, text: await response.text() };
}

/** A key that takes the place of an admin key, which works on for a day. */
async function rotate(id: string): Promise<{ readonly id: string; readonly key: string }> {
  const { limits } = gateway.gateway.services.config;
  return rotateKey({ database: createDatabase(gateway.sql), limits }, { key_id: id }, ACTOR);
}

/** How many entries the trail has, and what all balances are. */
async function traces(): Promise<unknown> {
  const [row] = await gateway.sql`
    select
      (select count(*)::int from audit_events) as entries,
      (select sum(balance_nanos)::text from accounts) as balance,
      (select count(*)::int from api_keys) as keys,
      (select count(*)::int from payouts) as payouts`;
  return row;
}

const entriesOf = (traced: unknown) => (traced as { entries: number }).entries;

describe("a POST with an Idempotency-Key", () => {
  test("acts once over two processes, on every route, and after the admin key was rotated twice", async () => {
    const posts = OPERATOR_ROUTES.filter(({ method }) => method === "POST");
    expect(
      acts()
        .map(({ route }) => route)
        .toSorted(),
    ).toEqual(posts.map(({ path }) => path).toSorted());
    const first = await insertAdminKey(gateway);
    const answered = new Map<Act, Answer>();
    for (const act of acts()) {
      const before = entriesOf(await traces());
      const answers = await Promise.all([0, 1, 0, 1].map((place) => send(place, first.key, act)));
      const answer = answers[0] as Answer;
      expect([act.route, [200, 201].includes(answer.status)]).toEqual([act.route, true]);
      expect([act.route, ...answers]).toEqual([act.route, answer, answer, answer, answer]);
      expect([act.route, entriesOf(await traces()) - before]).toEqual([act.route, act.entries]);
      answered.set(act, answer);
    }
    const last = await rotate((await rotate(first.id)).id);
    const before = await traces();
    for (const [act, answer] of answered) {
      const { successor = "same", route } = act;
      expect([route, await send(0, first.key, act)]).toEqual([route, answer]);
      const repeats = await Promise.all([send(0, last.key, act), send(1, last.key, act)]);
      for (const repeat of repeats) {
        if (successor === "same") expect([route, repeat]).toEqual([route, answer]);
        else if (successor === "another") expect([route, repeat.status]).toEqual([route, 201]);
        else expect([route, repeat.text]).toEqual([route, expect.stringContaining(ANSWERED)]);
      }
    }
    expect(await traces()).toEqual(before as object);
  });

  test("of which the process died is done once by the key's successor, too", async () => {
    const first = await insertAdminKey(gateway, "dying");
    const account = await gateway.createAccount({ name: "Dying" });
    const grant: Act = {
      route: "lost",
      path: "/credits/grants",
      body: { account_id: account, credits: 4, reason: "r" },
      entries: 1,
    };
    const done = await send(0, first.key, grant);
    // As if the process had died before the answer was kept.
    await gateway.sql`update operator_calls set status = null, sealed_body = null`;
    const last = await rotate(first.id);
    const again = await send(HURRIED, last.key, grant);
    expect(again).toEqual({ status: 200, text: done.text });
    const [row] = await gateway.sql`
      select balance_nanos::int as nanos from accounts where account_id = ${account}`;
    expect(row?.nanos).toBe(4_000);
  });

  test("is another call with a key that was not made by rotation", async () => {
    const account = await gateway.createAccount({ name: "Strangers" });
    const body = { account_id: account, credits: 4, reason: "r" };
    const grant: Act = { route: "stranger", path: "/credits/grants", body, entries: 1 };
    for (const name of ["one", "other"]) {
      const { key } = await insertAdminKey(gateway, name);
      expect((await send(0, key, grant)).status).toBe(201);
    }
  });

  test("keeps no key in the database, and nothing that its hash does not name", async () => {
    const kept = await gateway.sql`select * from operator_calls where status is not null`;
    expect(kept.length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toMatch(/fg_(?:read|write|admin)_|once-|Repeats/);
    const { key } = await insertAdminKey(gateway);
    const refused: Act = {
      route: "refused",
      path: `/keys/${UNKNOWN_ID}/revoke`,
      body: {},
      entries: 0,
    };
    expect((await send(0, key, refused)).status).toBe(404);
    const freed = { ...refused, path: `/keys/${scene.key}/revoke` };
    expect((await send(1, key, freed)).status).toBe(200);
  });
});

const ANSWERED = '"code":"IDEMPOTENCY_KEY_ANSWERED"';
