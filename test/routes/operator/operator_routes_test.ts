import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR_CONNECTIONS_MAX, OPERATOR_LIMIT } from "../../../src/limits.ts";
import type { Gateway } from "../../../src/server.ts";
import { UNKNOWN_ID } from "../../cli/support.ts";
import { type Contract, loadContract } from "../../support/contract.ts";
import { problemOf, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { insertAdminKey } from "../../support/insert_key.ts";
import { waitFor } from "../../support/processes.ts";
import { seedFeed } from "../../support/seed.ts";
import { callDocumented, callOperator, type OperatorCall } from "./support.ts";

let gateway: TestGateway;
/** A peer that gives reports a second, and hardly waits for the end of a call that is repeated. */
let hurried: Gateway;
let contract: Contract;
let admin: { readonly id: string; readonly key: string };
let provider: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  hurried = await gateway.startPeer({}, { operatorStatementMsMax: 1_000, repeatWait: 50 });
  contract = await loadContract(gateway.baseUrl);
  admin = await insertAdminKey(gateway);
  provider = await gateway.createAccount({ name: "Provider" });
});
afterAll(() => gateway.stop());

/** A call with the admin key, held against the document. */
const call = <Body = Record<string, unknown>>(
  status: number,
  path: string,
  options: OperatorCall = {},
) => callDocumented<Body>({ gateway, contract, key: admin.key }, status, path, options);

const post = <Body = Record<string, unknown>>(status: number, path: string, body?: unknown) =>
  call<Body>(status, path, { method: "POST", body });

describe("the operator's API", () => {
  test("accounts are made, found, changed, suspended and proven", async () => {
    const made = await post<{ id: string }>(201, "/accounts", {
      name: "Acme",
      max_feeds_allowed: 5,
    });
    const { id } = made;
    expect(made).toMatchObject({ name: "Acme", max_feeds_allowed: 5, balance_credits: 0 });
    expect(await call(200, "/accounts?name=Acme")).toEqual({
      accounts: [made],
      limit: 100,
      has_more: false,
      next_cursor: null,
    });
    const first = await call<{ next_cursor: string }>(200, "/accounts?limit=1");
    expect(first).toMatchObject({ limit: 1, has_more: true });
    await call(200, `/accounts?limit=1&cursor=${first.next_cursor}`);
    const edited = { method: "PATCH", body: { name: "Acme agents" } } as const;
    expect(await call(200, `/accounts/${id}`, edited)).toMatchObject({ name: "Acme agents" });
    const suspended = await post(200, `/accounts/${id}/suspend`, { reason: "abuse" });
    expect(suspended).toMatchObject({ suspension_reason: "abuse" });
    expect(await post(200, `/accounts/${id}/resume`)).not.toHaveProperty("suspension_reason");
    await post(201, "/keys", { account_id: id, permission: "read" });
    expect(await call(200, `/accounts/Acme%20agents`)).toMatchObject({
      id,
      ledger: { is_balanced: true },
      keys: [{ permission: "read" }],
    });
  });

  test("deliveries of all webhooks, and of one, are listed page by page like every list", async () => {
    const [webhook] = await gateway.sql`
      insert into webhooks (permission, url, types, sealed_secret)
      values ('admin', 'https://example.com', '{job.failed}', 'x') returning webhook_id`;
    await gateway.sql`
      with told as (
        insert into notices (type, permission, data, spread_at)
        select 'job.failed', 'admin', '{}', now() from generate_series(1, 3)
        returning notice_id
      )
      insert into webhook_deliveries (webhook_id, notice_id, status)
      select ${webhook?.webhook_id}, notice_id, 'failed' from told`;
    for (const path of ["/notices", `/webhooks/${webhook?.webhook_id}/deliveries`]) {
      const whole = await call<{ deliveries: { id: string }[] }>(200, path);
      expect(whole).toMatchObject({ limit: 100, has_more: false, next_cursor: null });
      expect(whole.deliveries).toHaveLength(3);
      const first = await call<{ next_cursor: string }>(200, `${path}?limit=2`);
      expect(first).toMatchObject({ deliveries: whole.deliveries.slice(0, 2), has_more: true });
      expect(await call(200, `${path}?limit=2&cursor=${first.next_cursor}`)).toMatchObject({
        deliveries: whole.deliveries.slice(2),
        has_more: false,
        next_cursor: null,
      });
    }
  });

  test("keys are made, listed, found, changed, rotated and revoked; admin keys are only found and revoked", async () => {
    const account = await gateway.createAccount({ name: "Keys" });
    const made = await post<{ id: string; key: string }>(201, "/keys", {
      account_id: account,
      permission: "read",
      name: "agent",
      daily_credits: 0.125,
      expires_at: "2030-01-01T00:00:00+02:00",
    });
    expect(made).toMatchObject({
      daily_credits: 0.125,
      expires_at: "2029-12-31T22:00:00Z",
    } as object);
    expect((await gateway.get("/v1/account", made.key)).status).toBe(200);
    expect(await call(200, `/keys?account_id=${account}`)).toMatchObject({
      keys: [{ id: made.id }],
    });
    const found = await post(200, "/keys/find", { key: made.key });
    expect(found).toMatchObject({ id: made.id, account_name: "Keys" });
    const change = { method: "PATCH", body: { daily_credits: null, name: "day" } } as const;
    expect(await call(200, `/keys/${made.id}`, change)).toMatchObject({ daily_credits: null });
    const rotated = await post<{ id: string }>(201, `/keys/${made.id}/rotate`, {
      grace_seconds: 0,
    });
    expect(rotated).toMatchObject({ replaces: made.id, name: "day" } as object);
    expect(await post(200, `/keys/${rotated.id}/revoke`)).toMatchObject({
      id: rotated.id,
    } as object);
    await post(409, `/keys/${rotated.id}/rotate`, {});
    await call(409, `/keys/${rotated.id}`, change);
    const write = { account_id: account, permission: "write", daily_credits: 5 };
    expect(await post(422, "/keys", write)).toMatchObject({ code: "KEY_NOT_FOR_READING" });
    const other = await insertAdminKey(gateway, "other");
    for (const code of [
      await post(403, `/keys/${other.id}/rotate`, {}),
      await call(403, `/keys/${other.id}`, { method: "PATCH", body: { name: "x" } }),
    ]) {
      expect(code).toMatchObject({ code: "ADMIN_KEY_BY_COMMAND" });
    }
    expect(await post(422, "/keys", { account_id: account, permission: "admin" })).toMatchObject({
      code: "VALIDATION_FAILED",
    });
    expect(await post(200, "/keys/find", { key: other.key })).toMatchObject({ account_id: null });
    expect(await post(200, `/keys/${other.id}/revoke`)).toMatchObject({ permission: "admin" });
    const refused = await callOperator(gateway.baseUrl, other.key, "/accounts");
    expect(refused.status).toBe(401);
  });

  test("credits are given and taken back to three places, and refused beyond them", async () => {
    const account = await gateway.createAccount({ name: "Credits" });
    const path = "/credits/grants";
    const grant = { account_id: account, reason: "invoice", reference: "order-1" };
    const first = await post(201, path, { ...grant, credits: 5000.125 });
    expect(first).toMatchObject({
      kind: "grant",
      credits: 5000.125,
      balance_after_credits: 5000.125,
    });
    expect(await post(200, path, { ...grant, credits: 5000.125 })).toEqual(first);
    expect(await post(409, path, { ...grant, credits: 1 })).toMatchObject({
      code: "REFERENCE_TAKEN",
    });
    // Beyond what a double holds.
    const exact = `{"account_id":"${account}","credits":999999999999.123,"reason":"large"}`;
    const response = await callOperator(gateway.baseUrl, admin.key, path, {
      method: "POST",
      body: exact,
    });
    expect(await response.text()).toContain('"credits":999999999999.123,');
    for (const credits of ["0", "-1", "0.0001", "1e16", '"5"', "null", "1e999"]) {
      const body = `{"account_id":"${account}","reason":"r","credits":${credits}}`;
      const problem = await post(422, path, body);
      expect([credits, problem]).toMatchObject([credits, { code: "VALIDATION_FAILED" }]);
    }
    const revocation = { account_id: account, credits: 0.125, reason: "charged back" };
    expect(await post(201, "/credits/revocations", revocation)).toMatchObject({ credits: -0.125 });
    const tooMuch = { ...revocation, credits: 10 ** 14 };
    expect(await post(409, "/credits/revocations", tooMuch)).toMatchObject({
      code: "BALANCE_TOO_LOW",
    });
    expect(await call(200, `/accounts/${account}`)).toMatchObject({
      ledger: { is_balanced: true },
    });
  });

  test("promotions, purchases and refunds are made, listed and undone", async () => {
    const account = await gateway.createAccount({ name: "Buyer", credits: 10 });
    const promotion = { code: "WELCOME", credits: 10, max_redemptions: 1 };
    const made = await post(201, "/promotions", promotion);
    expect(await post(200, "/promotions", promotion)).toEqual(made);
    await post(409, "/promotions", { ...promotion, credits: 11 });
    await post(201, "/promotions/WELCOME/redemptions", { account_id: account });
    await post(409, "/promotions/WELCOME/redemptions", { account_id: account });
    await post(409, "/promotions/WELCOME/redemptions", { account_id: provider });
    await post(404, "/promotions/NONE/redemptions", { account_id: account });
    expect(await call(200, "/promotions")).toMatchObject({ promotions: [{ redemptions: 1 }] });
    const sold = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: 1 }],
      oneTimePriceCents: 500,
    });
    const bought = { account_id: account, feed_id: sold.slug };
    await post(201, "/purchases", { ...bought, reference: "order-2" });
    await post(200, "/purchases", { ...bought, reference: "order-2" });
    await post(409, "/purchases", { ...bought, reference: "order-3" });
    expect(await call(200, `/purchases?account_id=${account}`)).toMatchObject({
      purchases: [{ reference: "order-2", price_usd: 5 }],
    });
    await post(201, "/purchases/undo", { ...bought, reason: "charged back" });
    await post(200, "/purchases/undo", { ...bought, reason: "charged back" });
    const free = await seedFeed(gateway, provider, { type: "collection", rows: [{ id: 1 }] });
    await post(409, "/purchases", { ...bought, feed_id: free.slug });
    await post(404, "/purchases/undo", { ...bought, feed_id: free.slug, reason: "none" });
    const metered = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_000,
    });
    const read = await gateway.get(
      `/v1/feed/${metered.slug}`,
      await gateway.createKey(account, "read"),
    );
    const { _origin } = (await read.json()) as { _origin: { usage_id: string } };
    const usage = await call<{ usage: object[] }>(200, `/usage?account_id=${account}&limit=5`);
    expect(usage.usage).toMatchObject([{ usage_id: _origin.usage_id, credits_charged: 1 }]);
    const refund = `/usage/${_origin.usage_id}/refund`;
    await post(201, refund, { reason: "wrong data" });
    await post(200, refund, { reason: "wrong data" });
    await post(404, `/usage/${UNKNOWN_ID}/refund`, { reason: "wrong data" });
  });

  test("feeds are listed, looked at, published, suspended and deleted", async () => {
    const { feedId, slug } = await seedFeed(gateway, provider, {
      type: "collection",
      rows: [{ id: 1 }],
    });
    const reader = await gateway.createKey(await gateway.createAccount(), "read");
    expect(await call(200, `/feeds?account_id=${provider}&limit=1`)).toMatchObject({
      feeds: [{ id: feedId }],
    });
    const writer = await gateway.createKey(provider, "write");
    const staged = { payload: [{ id: 2 }, { id: 3 }], batch_id: "next" };
    await gateway.send("POST", `/v1/provider/feed/${feedId}/push`, writer, staged);
    expect(await call(200, `/feeds/${slug}?rows=1`)).toMatchObject({
      newest_rows: [{ id: 1 }],
      open_batches: [{ batch_id: "next", rows: 2 }],
    });
    const declined = await post(200, `/feeds/${slug}/decline`, { reason: "no sample" });
    expect(declined).toMatchObject({ review: "declined", review_reason: "no sample" });
    expect(await post(200, `/feeds/${slug}/publish`)).toMatchObject({ is_public: true });
    await post(409, `/feeds/${slug}/decline`, { reason: "late" });
    expect(await post(200, `/feeds/${slug}/unpublish`)).toMatchObject({ is_public: false });
    const suspended = await post(200, `/feeds/${slug}/suspend`, { reason: "licence" });
    expect(suspended).toMatchObject({ suspension_reason: "licence" });
    expect((await gateway.get(`/v1/feed/${slug}`, reader)).status).toBe(404);
    await post(200, `/feeds/${slug}/resume`);
    expect((await gateway.get(`/v1/feed/${slug}`, reader)).status).toBe(200);
    for (let times = 0; times < 2; times++) {
      const deleted = await call(200, `/feeds/${feedId}`, { method: "DELETE" });
      expect(deleted).toMatchObject({ deleted_at: expect.any(String) });
    }
    for (const act of ["publish", "unpublish", "resume"])
      await post(409, `/feeds/${feedId}/${act}`);
    await post(409, `/feeds/${feedId}/suspend`, { reason: "late" });
    const events = await call<{ events: object[] }>(200, `/audit?feed_id=${feedId}`);
    // The feed itself was made by the test.
    expect(events.events).toHaveLength(7);
    expect(events.events[0]).toMatchObject({
      action: "feed delete",
      actor: `admin key shop (${admin.id})`,
    });
    await call(200, "/audit?limit=2&since=2020-01-01T00:00:00Z&until=2040-01-01T00:00:00Z");
    expect(await call<{ limit: number }>(200, "/audit?limit=1001")).toMatchObject({ limit: 100 });
  });
});

describe("what the operator's API refuses", () => {
  test("bad input is a problem that names the field, and nothing is done", async () => {
    const before = await gateway.sql`select count(*)::int as count from accounts`;
    for (const [body, message] of [
      [{}, "name is required"],
      [{ name: "" }, "name must not be blank"],
      [{ name: "  " }, "name must not be blank"],
      [{ name: "x\0" }, "\\u0000"],
      [{ name: 5 }, "name must be"],
      [{ name: "x".repeat(201) }, "name must be"],
      [{ name: "x", max_feeds_allowed: 0 }, "max_feeds_allowed must be an integer from 1"],
      [{ name: "x", max_feeds_allowed: 1.5 }, "max_feeds_allowed must be"],
      [{ name: "x", max_feed_allowed: 5 }, 'use \\"max_feeds_allowed\\"'],
      [[], "must be an object"],
      [{ name: "x", max_feeds_allowed: [[[]]] }, "deeper"],
    ] as const) {
      const problem = await post(422, "/accounts", body);
      expect([body, JSON.stringify(problem.errors)]).toEqual([
        body,
        expect.stringContaining(message),
      ]);
    }
    const after = await gateway.sql`select count(*)::int as count from accounts`;
    expect(after[0]?.count).toBe(before[0]?.count);
    await post(400, "/accounts", "{");
    await post(413, "/accounts", { name: "x".repeat(2_000_000) });
    const plain = {
      method: "POST",
      body: "{}",
      headers: { "Content-Type": "text/plain" },
    } as const;
    await call(415, "/accounts", plain);
    for (const path of [
      "/accounts?limit=0",
      "/accounts?x=1",
      "/accounts?name=%00",
      "/accounts/%00",
      "/keys",
      "/usage",
      "/audit?since=yesterday",
      "/audit?cursor=x",
      "/purchases?cursor=x",
      `/usage?account_id=${provider}&cursor=x`,
      "/feeds?is_unlisted=maybe",
    ]) {
      await call(400, path);
    }
    await gateway.createAccount({ name: "Twin" });
    await gateway.createAccount({ name: "Twin" });
    for (const path of ["/accounts", "/feeds", `/keys?account_id=${provider}`, "/audit"]) {
      for (const cursor of ["xyz", UNKNOWN_ID, "Twin"]) {
        const next = `${path}${path.includes("?") ? "&" : "?"}cursor=${cursor}`;
        expect(await call(400, next)).toMatchObject({ code: "CURSOR_INVALID" });
      }
    }
    expect(await call(409, "/accounts/Twin")).toMatchObject({ code: "REFERENCE_AMBIGUOUS" });
    const grant = { account_id: provider, credits: 1, reason: "r", reference: "refund:1" };
    await post(422, "/credits/grants", grant);
    await post(422, "/promotions", { code: "a b", credits: 1 });
    await post(422, "/keys", { account_id: provider, permission: "read", feed_ids: [] });
    await post(422, "/keys", { account_id: provider, permission: "read", feed_ids: [5] });
    await post(422, "/keys", { account_id: provider, permission: "read", expires_at: "soon" });
  });

  test("what is unknown is 404", async () => {
    for (const [path, code] of [
      [`/accounts/${UNKNOWN_ID}`, "ACCOUNT_NOT_FOUND"],
      ["/keys?account_id=none", "ACCOUNT_NOT_FOUND"],
      [`/feeds/${UNKNOWN_ID}`, "FEED_NOT_FOUND"],
      ["/audit?feed_id=none", "FEED_NOT_FOUND"],
    ] as const) {
      expect(await call(404, path)).toMatchObject({ code });
    }
    expect(await post(404, `/keys/${UNKNOWN_ID}/revoke`)).toMatchObject({ code: "KEY_NOT_FOUND" });
  });

  test("more calls of a key than the limit are 429, and other keys are not held up", async () => {
    const busy = await insertAdminKey(gateway, "busy");
    let limited: Response | undefined;
    for (let calls = 0; calls < 2 * OPERATOR_LIMIT && limited === undefined; calls += 50) {
      const some = await Promise.all(
        Array.from({ length: 50 }, () => callOperator(gateway.baseUrl, busy.key, "/promotions?x")),
      );
      for (const each of some) {
        if (each.status === 429) limited ??= each;
        else await each.body?.cancel();
      }
    }
    expect(await problemOf(limited as Response)).toMatchObject({
      status: 429,
      code: "RATE_LIMITED",
    });
    await call(200, "/promotions");
  });
});

describe("a repeat with an Idempotency-Key", () => {
  const withKey = (baseUrl: string, path: string, key: string, body: unknown) =>
    callOperator(baseUrl, admin.key, path, {
      method: "POST",
      body,
      headers: { "Idempotency-Key": key },
    });

  test("the same key for another call is refused, and a refused call gives its key free", async () => {
    const account = await gateway.createAccount({ name: "Others" });
    const body = { account_id: account, credits: 1, reason: "r" };
    const path = "/credits/revocations";
    const refused = await withKey(gateway.baseUrl, path, "free", body);
    expect(await contract.check("POST", refused)).toMatchObject({ code: "BALANCE_TOO_LOW" });
    await post(201, "/credits/grants", body);
    expect((await withKey(gateway.baseUrl, path, "free", body)).status).toBe(201);
    const other = await withKey(gateway.baseUrl, path, "free", { ...body, credits: 2 });
    expect(await contract.check("POST", other)).toMatchObject({ code: "IDEMPOTENCY_KEY_REUSED" });
    const bad = await withKey(gateway.baseUrl, path, "a b", body);
    expect(await problemOf(bad)).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
  });

  test("if a call's end was lost, a grant is written once all the same, and a key is not made twice", async () => {
    const account = await gateway.createAccount({ name: "Lost" });
    const grant = { account_id: account, credits: 4, reason: "r" };
    const first = await (await withKey(gateway.baseUrl, "/credits/grants", "lost-1", grant)).json();
    const makeKey = { account_id: account, permission: "read" };
    await withKey(gateway.baseUrl, "/keys", "lost-2", makeKey);
    // As if the process had died before the answer was kept.
    await gateway.sql`update operator_calls set status = null, sealed_body = null`;
    const [again, unfinished] = await Promise.all([
      withKey(hurried.baseUrl, "/credits/grants", "lost-1", grant),
      withKey(hurried.baseUrl, "/keys", "lost-2", makeKey),
    ]);
    expect([again.status, await again.json()]).toEqual([200, first]);
    expect(await contract.check("POST", unfinished)).toMatchObject({
      code: "IDEMPOTENCY_KEY_UNFINISHED",
    });
    const keys = await gateway.sql`select key_id from api_keys where account_id = ${account}`;
    expect(keys).toHaveLength(1);
  });
});

/** Within this time all connections of reports wait for the lock, also on a busy machine. */
const FULL_MS_MAX = 30_000;

describe("faults", () => {
  test("reports that take too long are 503, have few connections, and hold no charged read up", async () => {
    const owner = await gateway.createAccount({ name: "Metered" });
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows: [{ id: 1 }],
      callPriceNanos: 1_000,
    });
    const reader = await gateway.createKey(await gateway.createAccount({ credits: 50 }), "read");
    const { baseUrl } = hurried;
    const session = await gateway.sql.reserve();
    try {
      await session`begin`;
      // What totals are read from, and no read writes.
      await session`lock table spending_days, day_totals in access exclusive mode`;
      const waiting = async () => {
        const [row] = await gateway.sql`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'
            and (query like '%day_totals%' or query like '%find_top_reads%')
            and query not like '%pg_stat_activity%'`;
        return Number(row?.count);
      };
      const answers: Response[] = [];
      let isOver = false;
      const asking = Array.from({ length: 3 * OPERATOR_CONNECTIONS_MAX }, async () => {
        while (!isOver) answers.push(await callOperator(baseUrl, admin.key, "/stats"));
      });
      const isFull = async () => (await waiting()) === OPERATOR_CONNECTIONS_MAX;
      expect(await waitFor(isFull, FULL_MS_MAX)).toBe(true);
      for (let reads = 0; reads < 20; reads++) {
        const read = await fetch(`${baseUrl}/v1/feed/${feed.slug}`, {
          headers: { "x-api-key": reader },
        });
        expect(read.status).toBe(200);
        expect(await waiting()).toBeLessThanOrEqual(OPERATOR_CONNECTIONS_MAX);
      }
      isOver = true;
      await Promise.all(asking);
      const codes = new Set<unknown>();
      for (const answer of answers) {
        const problem = await contract.check("GET", answer);
        expect(problem).toMatchObject({ status: 503 });
        codes.add((problem as { readonly code?: string }).code);
      }
      // A report that had a connection is told this; one that waited for a connection may be told another reason.
      expect(codes).toContain("REPORT_TOO_LONG");
    } finally {
      await session`rollback`;
      session.release();
    }
    expect(await call(200, "/stats")).toMatchObject({ by: "day" });
  });
});
