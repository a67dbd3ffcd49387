import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createLog } from "../../src/lib/log.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import type { Gateway } from "../../src/server.ts";
import { finishTopup } from "../../src/topups/finish.ts";
import { openWays } from "../../src/topups/open_ways.ts";
import { type Contract, loadContract } from "../support/contract.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { histories } from "../support/histories.ts";
import {
  deliver,
  type Message,
  STRIPE_ENVIRONMENT,
  type StripeHost,
  signMessage,
  startStripeHost,
} from "../support/stripe_host.ts";

const CREDITS_PER_USD = 1_000_000;

let stripe: StripeHost;
let gateway: TestGateway;
let peer: Gateway;
let contract: Contract;

beforeAll(async () => {
  stripe = startStripeHost();
  gateway = await startTestGateway(
    { ...STRIPE_ENVIRONMENT, FEEDGATE_TOPUP_MAX_USD: "200", FEEDGATE_TOPUP_ACCOUNT_DAY_USD: "500" },
    { stripePort: stripe.port },
  );
  peer = await gateway.startPeer();
  contract = await loadContract(gateway.baseUrl);
});
afterAll(async () => {
  await gateway.stop();
  await stripe.stop();
});

interface Answer {
  topup_id: string;
  usd: number;
  credits: number;
  status: string;
  pay_url?: string;
  expires_at: string;
}

async function agent() {
  const accountId = await gateway.createAccount();
  return { accountId, key: await gateway.createKey(accountId, "read") };
}

interface Asking {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly at?: string;
}

/** `POST /v1/topups`, held against the document. */
async function ask(
  key: string | undefined,
  { body = { usd: 5 }, headers = {}, at = gateway.baseUrl }: Asking = {},
) {
  const response = await fetch(`${at}/v1/topups`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(key && { "x-api-key": key }), ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = (await contract.check("POST", response)) as Answer & { code?: string };
  return { status: response.status, answer };
}

async function begun(key: string, asking?: Asking): Promise<Answer> {
  const { status, answer } = await ask(key, asking);
  expect({ status, answer }).toMatchObject({ status: 201 });
  return answer;
}

async function show(key: string, topupId: string): Promise<Answer> {
  const response = await gateway.get(`/v1/topups/${topupId}`, key);
  expect(response.status).toBe(200);
  return (await contract.check("GET", response)) as Answer;
}

/** Credits in the balance; the ledger must add up. */
async function balanceOf(accountId: string): Promise<number> {
  const [row] = await gateway.sql`
    select
      balance_nanos / 1000 as balance,
      granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos as difference
    from ledger_of(${accountId})`;
  expect(Number(row?.difference)).toBe(0);
  return Number(row?.balance);
}

async function alertOf(topupId: string): Promise<string | null> {
  const [row] = await gateway.sql`select alert from topups where topup_id = ${topupId}`;
  return row?.alert;
}

async function hear(message: Message, at = gateway.baseUrl): Promise<void> {
  const response = await deliver(at, message);
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { received: true },
  });
}

const told = (type: string, object: object) => signMessage(type, object);
const completed = (topupId: string, changes: object = {}) =>
  told("checkout.session.completed", { ...stripe.sessionsOf(topupId)[0], ...changes });

describe("POST /v1/topups by card", () => {
  test("the answer has a link of Stripe with the amount, and the credits come once it is paid", async () => {
    const { accountId, key } = await agent();
    const topup = await begun(key, { body: { usd: 12.34 } });
    const [session] = stripe.sessionsOf(topup.topup_id);
    expect(topup).toMatchObject({
      usd: 12.34,
      credits: 12.34 * CREDITS_PER_USD,
      status: "waiting",
      way: "card",
      pay_url: session?.url,
      expires_at: new Date((session?.expires_at ?? 0) * 1_000).toISOString().replace(".000", ""),
    });
    const { form } = stripe.calls.findLast(({ line }) => line.startsWith("POST")) ?? {};
    expect(Object.fromEntries(form ?? [])).toMatchObject({
      mode: "payment",
      client_reference_id: topup.topup_id,
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][unit_amount]": "1234",
      "line_items[0][price_data][currency]": "usd",
      "metadata[feedgate_topup]": topup.topup_id,
      "payment_intent_data[metadata][feedgate_topup]": topup.topup_id,
      "adaptive_pricing[enabled]": "false",
    });
    expect(await show(key, topup.topup_id)).toEqual(topup);
    stripe.pay(topup.topup_id);
    await hear(await completed(topup.topup_id));
    const { status, pay_url } = await show(key, topup.topup_id);
    expect({ status, pay_url }).toEqual({ status: "granted", pay_url: undefined });
    expect(await balanceOf(accountId)).toBe(12.34 * CREDITS_PER_USD);
    const [entry] = await gateway.sql`
      select kind, reference, reason from credit_ledger where account_id = ${accountId}`;
    expect(entry).toEqual({
      kind: "grant",
      reference: `stripe:${session?.id}`,
      reason: `top-up ${topup.topup_id} by card`,
    } as never);
    const [event] = await gateway.sql`
      select actor, action from audit_events where account_id = ${accountId} order by event_id desc limit 1`;
    expect(event).toEqual({ actor: "payment", action: "credits grant" } as never);
  });

  test("an Idempotency-Key gets one page, also at two gateways at once, and another order is 409", async () => {
    const { key } = await agent();
    const headers = { "Idempotency-Key": "once" };
    const both = await Promise.all(
      [gateway.baseUrl, peer.baseUrl, gateway.baseUrl, peer.baseUrl].map((at) =>
        ask(key, { headers, at }),
      ),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    const ids = new Set(both.map(({ answer }) => answer.topup_id));
    expect(ids.size).toBe(1);
    expect(stripe.sessionsOf([...ids][0] as string)).toHaveLength(1);
    const other = await ask(key, { headers, body: { usd: 6 } });
    expect([other.status, other.answer.code]).toEqual([409, "IDEMPOTENCY_KEY_REUSED"]);
  });

  test("amounts are from 0.50 USD to the limit, exact to the cent, and unknown fields are refused", async () => {
    const { key } = await agent();
    for (const usd of ["0.5", "0.50", "200", "2e2", "1.10"]) {
      expect((await ask(key, { body: `{"usd":${usd}}` })).status).toBe(201);
    }
    const bad = ["0.49", "200.01", "1.001", "-5", '"5"', "null", "1e99", "0.5000000001"];
    for (const usd of bad) {
      const { status, answer } = await ask(key, { body: `{"usd":${usd}}` });
      expect([usd, status, answer.code]).toEqual([usd, 422, "VALIDATION_FAILED"]);
    }
    for (const body of [{}, { usd: 5, feed: 1 }, { usd: 5, way: "cash" }]) {
      expect((await ask(key, { body })).status).toBe(422);
    }
    expect((await ask(key, { body: "" })).status).toBe(400);
    expect((await ask(key, { body: { more: "x".repeat(5_000) } })).status).toBe(413);
    const asText = { "Content-Type": "text/plain" };
    expect((await ask(key, { headers: asText })).status).toBe(415);
  });

  test("a limit of the day is 403, a way that is not configured is 404, and another account's top-up is 404", async () => {
    const { key } = await agent();
    for (let count = 0; count < 2; count++) await begun(key, { body: { usd: 200 } });
    const full = await ask(key, { body: { usd: 200 } });
    expect([full.status, full.answer.code]).toEqual([403, "TOPUP_LIMIT"]);
    const other = await ask(key, { body: { usd: 5, way: "x402" } });
    expect([other.status, other.answer.code]).toEqual([404, "TOPUPS_OFF"]);
    const { topup_id: id } = await begun(key);
    const stranger = await agent();
    for (const path of [`/v1/topups/${id}`, "/v1/topups/x"]) {
      const { status, code } = await problemOf(await gateway.get(path, stranger.key));
      expect([path, status, code]).toEqual([path, 404, "TOPUP_NOT_FOUND"]);
    }
  });

  test("links that nobody pays leave room in the day for other accounts", async () => {
    const bounded = await gateway.startPeer({
      ...STRIPE_ENVIRONMENT,
      FEEDGATE_TOPUP_MAX_USD: "1000",
      FEEDGATE_TOPUP_ACCOUNT_DAY_USD: "5000",
      FEEDGATE_TOPUP_DAY_USD: "10000",
    });
    const at = bounded.baseUrl;
    const large = { body: { usd: 600 }, at };
    for (const { key } of [await agent(), await agent()]) {
      await begun(key, large);
      const { status, answer } = await ask(key, large);
      expect([status, answer.code]).toEqual([403, "TOPUP_LIMIT"]);
    }
    const { key } = await agent();
    const { topup_id: id } = await begun(key, large);
    stripe.pay(id);
    await hear(await completed(id), at);
    // It waits no more.
    await begun(key, large);
  });

  test("while Stripe can't be had it is 503, nothing waits, no secret is told, and a repeat goes on", async () => {
    const { accountId, key } = await agent();
    const lines: string[] = [];
    const log = createLog({ level: "debug", isReadable: false, write: (line) => lines.push(line) });
    for (const answer of [
      () =>
        Response.json({ error: { type: "api_error", message: "sk_test_leak" } }, { status: 500 }),
      () => new Response("<html>", { status: 502 }),
      () => Response.json({ error: { type: "card_error", code: "x" } }, { status: 402 }),
    ]) {
      stripe.answerWith(answer);
      const { status, answer: body } = await ask(key);
      expect([status, body.code]).toEqual([503, "UNAVAILABLE"]);
      expect(JSON.stringify(body)).not.toContain("sk_test");
      const { card } = openWays({ ...gateway.gateway.services, log });
      const failed = await card
        ?.begin({ amount_nanos: 1n, expires_at: "x" } as never)
        .catch(String);
      expect(failed).not.toContain("sk_test");
    }
    expect(lines.join()).not.toContain("sk_test");
    const waiting = () => gateway.sql`
      select topup_id from topups where account_id = ${accountId} and status = 'waiting'`;
    expect(await waiting()).toHaveLength(0);

    const headers = { "Idempotency-Key": "again" };
    expect((await ask(key, { headers })).status).toBe(503);
    expect(await waiting()).toHaveLength(1);
    stripe.answerWith(undefined);
    const { status, answer } = await ask(key, { headers });
    expect([status, answer.status]).toEqual([200, "waiting"]);
    expect(answer.pay_url).toBe(stripe.sessionsOf(answer.topup_id)[0]?.url);
  });
});

describe("POST /webhooks/stripe", () => {
  async function paid(usd = 5) {
    const { accountId, key } = await agent();
    const { topup_id: id } = await begun(key, { body: { usd } });
    stripe.pay(id);
    return { accountId, key, id };
  }

  test("a message that is forged, too old, changed or unsigned is 400 and changes nothing", async () => {
    const { accountId, id } = await paid();
    const session = { ...stripe.sessionsOf(id)[0] };
    const type = "checkout.session.completed";
    const good = await signMessage(type, session);
    const messages = {
      forged: await signMessage(type, session, { secret: "whsec_of_somebody_else" }),
      old: await signMessage(type, session, { ageSeconds: 301 }),
      changed: { ...good, body: good.body.replace("usd", "eur") },
      respaced: { ...good, body: JSON.stringify(JSON.parse(good.body)) },
      "another scheme": { ...good, signature: good.signature.replace("v1=", "v0=") },
      "without a time": { ...good, signature: good.signature.replace(/t=\d+/, "t=") },
    };
    for (const [name, message] of Object.entries(messages)) {
      const { status, code } = await problemOf(await deliver(gateway.baseUrl, message));
      expect([name, status, code]).toEqual([name, 400, "SIGNATURE_INVALID"]);
    }
    const unsigned = await fetch(`${gateway.baseUrl}/webhooks/stripe`, {
      method: "POST",
      body: good.body,
    });
    expect((await problemOf(unsigned)).code).toBe("SIGNATURE_INVALID");
    const large = { ...good, body: "x".repeat(300_000) };
    expect((await problemOf(await deliver(gateway.baseUrl, large))).code).toBe("PAYLOAD_TOO_LARGE");
    expect(await balanceOf(accountId)).toBe(0);
    // One that is nearly too old is heard.
    await hear(await signMessage(type, session, { ageSeconds: 240 }));
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
  });

  test("a message that comes again, and to several gateways at once, grants once", async () => {
    const { accountId, id } = await paid();
    const message = await completed(id);
    const other = await told("checkout.session.async_payment_succeeded", {
      ...stripe.sessionsOf(id)[0],
    });
    const at = [gateway.baseUrl, peer.baseUrl];
    await Promise.all(
      [message, other, message, other].flatMap((each) => at.map((base) => hear(each, base))),
    );
    await hear(message);
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
  });

  test("another amount, another currency and another page are alerts, and grant nothing", async () => {
    for (const changes of [
      { amount_total: 499 },
      { amount_total: 501 },
      { currency: "eur" },
      { payment_status: "no_payment_required" },
      { id: "cs_test_of_another" },
    ]) {
      const { accountId, id } = await paid();
      await hear(await completed(id, changes));
      expect(await balanceOf(accountId)).toBe(0);
      expect({ changes, alert: await alertOf(id) }).toEqual({ changes, alert: expect.any(String) });
    }
  });

  test("a slow payment is granted when it has come in, and expires if it fails", async () => {
    const { accountId, key } = await agent();
    const [good, bad] = [await begun(key), await begun(key)];
    for (const { topup_id: id } of [good, bad]) {
      stripe.pay(id, "unpaid");
      await hear(await completed(id));
      expect((await show(key, id)).status).toBe("waiting");
    }
    const [first, second] = [
      stripe.settle(good.topup_id, true),
      stripe.settle(bad.topup_id, false),
    ];
    await hear(await told("checkout.session.async_payment_succeeded", first));
    await hear(await told("checkout.session.async_payment_failed", second));
    expect((await show(key, good.topup_id)).status).toBe("granted");
    expect((await show(key, bad.topup_id)).status).toBe("expired");
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
  });

  test("what is none of ours is passed over", async () => {
    const { id } = await paid();
    for (const metadata of [{}, null, { feedgate_topup: "x" }, { feedgate_topup: FOREIGN }]) {
      await hear(await completed(id, { metadata }));
    }
    await hear(await told("customer.created", { id: "cus_1", object: "customer" }));
    await hear(await told("charge.refunded", { id: "ch_1", payment_intent: null, metadata: {} }));
    const lost = { id: "dp_9", status: "lost", amount: 500, payment_intent: null };
    await hear(await told("charge.dispute.closed", lost));
  });

  test("refunds take back their total, also before the payment is told of, and the rest is an alert", async () => {
    const { accountId, id } = await paid();
    await hear(await told("charge.refunded", stripe.chargeOf(id, 100)));
    expect(await balanceOf(accountId)).toBe(0);
    await hear(await completed(id));
    expect(await balanceOf(accountId)).toBe(4 * CREDITS_PER_USD);
    await hear(await told("charge.refunded", stripe.chargeOf(id, 300)));
    await hear(await told("charge.refunded", stripe.chargeOf(id, 200)));
    expect(await balanceOf(accountId)).toBe(2 * CREDITS_PER_USD);
    expect(await alertOf(id)).toBeNull();
    await gateway.sql`
      select append_ledger_entry(${accountId}, 'revocation', -1500000000, 'spent', null)`;
    await hear(await told("charge.refunded", stripe.chargeOf(id, 500)));
    expect(await balanceOf(accountId)).toBe(0);
    expect(await alertOf(id)).toContain("1500000000 nano-dollars of the amount returned");
    const failed = { id: "re_1", status: "failed", cents: 100 };
    await hear(await told("refund.failed", stripe.refundOf(id, failed)));
    // What was missing before stays beside it.
    expect(await alertOf(id)).toContain("500000000 nano-dollars of the amount returned");
    expect(await alertOf(id)).toContain("re_1");
  });

  test("a refund that fails is given back, and another one takes the credits again", async () => {
    for (const hasRefunds of [true, false]) {
      const { accountId, id } = await paid();
      await hear(await completed(id));
      let created = 1_795_000_000;
      // An endpoint that was made before hears of no refund but those that fail.
      const refund = async (refundId: string) => {
        created += 60;
        const of = { id: refundId, status: "pending", cents: 500 };
        const refunded = signMessage("charge.refunded", stripe.chargeOf(id, 500), { created });
        const opened = signMessage("refund.created", stripe.refundOf(id, of), { created });
        const messages = await Promise.all(hasRefunds ? [opened, refunded] : [refunded]);
        for (const message of messages) await hear(message);
        return messages;
      };
      const first = await refund("re_first");
      expect(await balanceOf(accountId)).toBe(0);
      created += 60;
      const failed = stripe.refundOf(id, { id: "re_first", status: "failed", cents: 500 });
      await hear(await signMessage("refund.failed", failed, { created }));
      expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
      for (const message of first) await hear(message);
      expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
      await refund("re_second");
      expect(await balanceOf(accountId)).toBe(0);
      await gateway.sql`update topups set alert = null where topup_id = ${id}`;
      await hear(await signMessage("refund.failed", failed, { created: created - 60 }));
      expect([await balanceOf(accountId), await alertOf(id)]).toEqual([0, null]);
    }
  });

  test("refunds in any order, told in any order, take back those that have not failed or were canceled", async () => {
    const cents = { re_1: 100, re_2: 150, re_3: 250 } as const;
    const ids = ["re_1", "re_2", "re_3"] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        // Of each refund: when it was made, and how it ended, if it has.
        fc.tuple(
          ...ids.map(() =>
            fc.record({
              madeAt: fc.integer({ min: 1, max: 10 }),
              end: fc.option(
                fc.record({
                  after: fc.integer({ min: 1, max: 10 }),
                  status: fc.constantFrom("failed", "canceled"),
                }),
              ),
            }),
          ),
        ),
        fc.infiniteStream(fc.nat()),
        async (hasRefunds, plans, random) => {
          const { accountId, id } = await paid();
          const at = (time: number) => ({ created: 1_795_000_000 + time });
          const endOf = ({ madeAt, end }: (typeof plans)[number]) =>
            end === null ? Number.POSITIVE_INFINITY : madeAt + end.after + 0.5;
          const refundedAt = (time: number) =>
            plans.reduce((sum, plan, place) => {
              const isThere = plan.madeAt <= time && endOf(plan) > time;
              return isThere ? sum + cents[ids[place] ?? "re_1"] : sum;
            }, 0);
          const messages = [completed(id)];
          for (const [place, plan] of plans.entries()) {
            const of = ids[place] ?? "re_1";
            const refund = (status: string) =>
              stripe.refundOf(id, { id: of, status, cents: cents[of] });
            const { madeAt, end } = plan;
            const charge = stripe.chargeOf(id, refundedAt(madeAt));
            messages.push(signMessage("charge.refunded", charge, at(2 * madeAt)));
            if (hasRefunds) {
              messages.push(signMessage("refund.created", refund("pending"), at(2 * madeAt)));
              messages.push(signMessage("refund.updated", refund("succeeded"), at(2 * madeAt)));
            }
            if (end === null) continue;
            const type = hasRefunds ? "refund.updated" : "refund.failed";
            messages.push(signMessage(type, refund(end.status), at(2 * endOf(plan))));
          }
          const drawn = (await Promise.all(messages)).map((message) => ({
            message,
            place: random.next().value as number,
          }));
          drawn.sort((a, b) => a.place - b.place);
          for (const { message } of drawn) await hear(message);
          const left = 500 - refundedAt(Number.MAX_SAFE_INTEGER);
          expect(await balanceOf(accountId)).toBe((left / 100) * CREDITS_PER_USD);
        },
      ),
      { numRuns: histories(8) },
    );
  });

  test("a dispute takes back while it is open or lost, and gives back when it is won, in any order", async () => {
    const dispute = (id: string, status: string) =>
      stripe.disputeOf(id, { id: `dp_${id}`, status, cents: 500 });
    const { accountId, id } = await paid();
    await hear(await completed(id));
    await hear(await told("charge.dispute.created", dispute(id, "warning_needs_response")));
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
    await hear(await told("charge.dispute.created", dispute(id, "needs_response")));
    await hear(await told("charge.dispute.funds_withdrawn", dispute(id, "needs_response")));
    expect(await balanceOf(accountId)).toBe(0);
    await hear(await told("charge.dispute.closed", dispute(id, "won")));
    await hear(await told("charge.dispute.updated", dispute(id, "under_review")));
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
    const lost = await paid();
    await hear(await completed(lost.id));
    await hear(await told("charge.dispute.closed", dispute(lost.id, "lost")));
    await hear(await told("charge.dispute.created", dispute(lost.id, "needs_response")));
    expect(await balanceOf(lost.accountId)).toBe(0);
    await hear(await told("charge.dispute.updated", dispute(lost.id, "appeal_under_review")));
    await hear(await told("charge.dispute.closed", dispute(lost.id, "won")));
    expect(await balanceOf(lost.accountId)).toBe(0);
    expect(await alertOf(lost.id)).toContain("grant them again if the appeal succeeds");
  });

  test("a bank's inquiry takes nothing, also when it closes, and what comes of it as a dispute does", async () => {
    const { accountId, id } = await paid();
    await hear(await completed(id));
    const inquiry = (status: string) =>
      stripe.disputeOf(id, { id: "dp_inquiry", status, cents: 500 });
    for (const [type, status] of [
      ["created", "warning_needs_response"],
      ["updated", "warning_under_review"],
      ["closed", "warning_closed"],
    ] as const) {
      await hear(await told(`charge.dispute.${type}`, inquiry(status)));
      expect([status, await balanceOf(accountId)]).toEqual([status, 5 * CREDITS_PER_USD]);
    }
    expect(await alertOf(id)).toBeNull();
    await hear(await told("charge.dispute.updated", inquiry("needs_response")));
    await hear(await told("charge.dispute.created", inquiry("warning_needs_response")));
    expect(await balanceOf(accountId)).toBe(0);
  });

  test("if Stripe can't be asked whose a dispute is, the message is refused, so that it comes again", async () => {
    const { accountId, id } = await paid();
    await hear(await completed(id));
    const message = await told(
      "charge.dispute.created",
      stripe.disputeOf(id, { id: "dp_later", status: "needs_response", cents: 500 }),
    );
    stripe.answerWith(() => new Response("", { status: 503 }));
    expect((await deliver(gateway.baseUrl, message)).status).toBe(503);
    stripe.answerWith(undefined);
    await hear(message);
    expect(await balanceOf(accountId)).toBe(0);
  });

  test("in whatever order messages come, and however often, the balance is what was paid less what was given back", async () => {
    const types = [
      "completed",
      "refunded 200",
      "refunded 500",
      "open",
      "won",
      "expired",
      "asked",
    ] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...types, ...types], { minLength: 1 }),
        fc.boolean(),
        async (order, isAtOnce) => {
          const { accountId, id } = await paid();
          const dispute = (status: string) =>
            stripe.disputeOf(id, { id: "dp_1", status, cents: 500 });
          const say = async (type: (typeof types)[number], at: string) => {
            switch (type) {
              case "completed":
                return hear(await completed(id), at);
              case "open":
                return hear(await told("charge.dispute.created", dispute("needs_response")), at);
              case "won":
                return hear(await told("charge.dispute.closed", dispute("won")), at);
              case "expired":
                return hear(
                  await told("checkout.session.expired", { ...stripe.sessionsOf(id)[0] }),
                  at,
                );
              case "asked":
                return finish(id);
              default: {
                const cents = Number(type.split(" ")[1]);
                return hear(await told("charge.refunded", stripe.chargeOf(id, cents)), at);
              }
            }
          };
          const bases = [gateway.baseUrl, peer.baseUrl];
          const acts = order.map(
            (type, place) => () => say(type, bases[place % 2] ?? gateway.baseUrl),
          );
          if (isAtOnce) await Promise.all(acts.map((act) => act()));
          else for (const act of acts) await act();
          // What the messages left is asked for.
          await finish(id);
          const isOpen = order.includes("open") && !order.includes("won");
          const given = order.includes("refunded 500") ? 5 : order.includes("refunded 200") ? 2 : 0;
          const isPaid = await isGranted(id);
          // A page that was paid does not expire at Stripe.
          if (order.includes("completed") || !order.includes("expired")) expect(isPaid).toBe(true);
          const left = isPaid ? 5 - Math.min(5, given + (isOpen ? 5 : 0)) : 0;
          expect(await balanceOf(accountId)).toBe(left * CREDITS_PER_USD);
        },
      ),
      { numRuns: histories(8) },
    );
  });
});

const FOREIGN = "00000000-0000-4000-8000-000000000000";

/** Asks Stripe what became of a top-up, as the job does. */
async function finish(topupId: string): Promise<void> {
  const { services } = gateway.gateway;
  const database = createDatabase(gateway.sql);
  const topup = await database.row("find_topup", { topup_id: topupId });
  if (topup?.status !== "waiting") return;
  await finishTopup({ database, log: services.log }, openWays(services), topup);
}

async function isGranted(topupId: string): Promise<boolean> {
  const [row] = await gateway.sql`select status from topups where topup_id = ${topupId}`;
  return row?.status === "granted";
}

describe("the job asks Stripe", () => {
  test("what was paid without a message is granted, what has expired or failed expires, the rest waits", async () => {
    const { accountId, key } = await agent();
    const [paid, late, failed, slow, open] = await Promise.all(
      Array.from({ length: 5 }, async () => (await begun(key)).topup_id),
    );
    stripe.pay(paid as string);
    stripe.expire(late as string);
    stripe.pay(failed as string, "unpaid");
    stripe.settle(failed as string, false);
    stripe.pay(slow as string, "unpaid");
    for (const id of [paid, late, failed, slow, open]) await finish(id as string);
    const states = await Promise.all(
      [paid, late, failed, slow, open].map(async (id) => (await show(key, id as string)).status),
    );
    expect(states).toEqual(["granted", "expired", "expired", "waiting", "waiting"]);
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
    // The message that comes at last changes nothing.
    await hear(await completed(paid as string));
    expect(await balanceOf(accountId)).toBe(5 * CREDITS_PER_USD);
  });
});
