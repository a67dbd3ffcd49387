import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { signIn } from "../pages/console/support.ts";
import {
  problemOf,
  shareTestGateway,
  startTestGateway,
  type TestGateway,
} from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { STRIPE_ENVIRONMENT, type StripeHost, startStripeHost } from "../support/stripe_host.ts";
import { callTool, postTool } from "../support/tools.ts";

let stripe: StripeHost;
let gateway: TestGateway;
let plain: TestGateway;

beforeAll(async () => {
  stripe = startStripeHost();
  gateway = await startTestGateway(STRIPE_ENVIRONMENT, { stripePort: stripe.port });
  plain = await shareTestGateway();
});
afterAll(async () => {
  await gateway.stop();
  await plain.stop();
  await stripe.stop();
});

const newKey = async (at = gateway) => at.createKey(await at.createAccount(), "read");

describe("the tool top_up", () => {
  async function toolsOf(at: TestGateway) {
    const response = await postTool(
      at.baseUrl,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      {},
    );
    const text = (await response.text()).replace(/^event: message\ndata: (.*)\n\n$/s, "$1");
    const { tools } = JSON.parse(text).result as { tools: { name: string; annotations: object }[] };
    return new Map(tools.map((tool) => [tool.name, tool]));
  }

  test("is listed where accounts can pay, not marked as one that only reads, and hidden elsewhere", async () => {
    expect((await toolsOf(gateway)).get("top_up")?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    expect([...(await toolsOf(plain)).keys()]).not.toContain("top_up");
    const card = await (await gateway.get("/.well-known/mcp/server-card.json")).json();
    expect(JSON.stringify(card)).toContain("top_up");
    const absent = await postTool(
      plain.baseUrl,
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "top_up", arguments: { usd: 5 } },
      }),
      { "x-api-key": await newKey(plain) },
    );
    expect(await absent.text()).toContain("-32602");
  });

  test("returns a link, the same under one idempotency_key, and tells what became of it", async () => {
    const key = await newKey();
    const given = { usd: 2.5, idempotency_key: "once" };
    const first = await callTool(gateway, key, "top_up", given);
    expect(first.structuredContent).toMatchObject({ usd: 2.5, credits: 2_500_000, way: "card" });
    const { topup_id: id, pay_url: payUrl } = first.structuredContent;
    expect(payUrl).toBe(stripe.sessionsOf(String(id))[0]?.url ?? "");
    expect((await callTool(gateway, key, "top_up", given)).structuredContent).toMatchObject({
      topup_id: id,
    });
    const asked = await callTool(gateway, key, "top_up", { topup_id: id });
    expect(asked.structuredContent).toMatchObject({ topup_id: id, status: "waiting" });
  });

  test("wrong arguments are told as problems", async () => {
    const key = await newKey();
    for (const given of [{}, { usd: 0.4 }, { usd: "5" }, { topup_id: "../account" }, { eur: 5 }]) {
      const { isError, content } = await callTool(gateway, key, "top_up", given);
      expect({ given, isError }).toEqual({ given, isError: true });
      expect(content[0].text).toMatch(/^(?:INVALID_PARAMETER|VALIDATION_FAILED): /);
    }
    const strange = await callTool(gateway, key, "top_up", { topup_id: crypto.randomUUID() });
    expect(strange.structuredContent).toMatchObject({ code: "TOPUP_NOT_FOUND" });
  });
});

test("a 402 names the way to pay where there is one, over MCP by its tool", async () => {
  for (const [at, can] of [
    [gateway, true],
    [plain, false],
  ] as const) {
    const owner = await at.createAccount();
    const feeds = [
      await seedFeed(at, owner, { type: "singleton", rows: [{}], callPriceNanos: 1_000 }),
      await seedFeed(at, owner, { type: "singleton", rows: [{}], oneTimePriceCents: 100 }),
    ];
    const key = await newKey(at);
    for (const { slug } of feeds) {
      const { status, body } = await problemOf(await at.get(`/v1/feed/${slug}`, key));
      expect(status).toBe(402);
      expect(String(body.detail).includes("with POST /v1/topups, or at")).toBe(can);
      const { content } = await callTool(at, key, "read_feed", { feed: slug });
      expect(content[0].text.includes("with top_up, or at")).toBe(can);
    }
  }
});

test("texts for agents name it where accounts can pay, and nowhere else", async () => {
  for (const path of ["/llms.txt", "/.well-known/agent-skills/feedgate/SKILL.md"]) {
    expect(await (await gateway.get(path)).text()).toContain("/v1/topups");
    expect(await (await plain.get(path)).text()).not.toContain("/v1/topups");
  }
});

describe("pages for people", () => {
  async function show(at: TestGateway, path: string, cookie?: string) {
    const response = await fetch(at.baseUrl + path, {
      headers: cookie === undefined ? {} : { Cookie: cookie },
    });
    return { status: response.status, text: await response.text() };
  }

  test("a consumer's home has a form that leads to Stripe's page, and says what is wrong with an amount", async () => {
    const visitor = await signIn(gateway.baseUrl, await newKey());
    expect(await (await visitor.get("")).text()).toContain('id="top-up"');
    const send = async (usd: string) => {
      const { answer: response } = await visitor.act("", { act: "top_up", usd });
      return { status: response.status, text: await response.text() };
    };
    const paid = await send("7.5");
    expect(paid.status).toBe(200);
    const [, href = ""] = /class="button" href="([^"]+)"/.exec(paid.text) ?? [];
    expect(href).toStartWith("https://checkout.stripe.com/");
    expect(paid.text).toContain("7,500,000 credits");
    for (const usd of ["0.4", "five", "1.001"]) {
      const refused = await send(usd);
      expect([usd, refused.status]).toEqual([usd, 422]);
      expect(refused.text).toContain("usd must be a number from 0.50 to 1000");
    }
    expect((await send("")).text).toContain("usd is required");
    const elsewhere = await signIn(plain.baseUrl, await newKey(plain));
    expect(await (await elsewhere.get("")).text()).not.toContain('id="top-up"');
  });

  test("the page to pay on leads there, and a person who has paid gets thanks", async () => {
    const { cookie } = await signIn(gateway.baseUrl, await newKey());
    expect((await show(gateway, "/billing", cookie)).text).toContain("./console#top-up");
    const { text } = await show(gateway, "/billing");
    expect(text).toContain("POST /v1/topups");
    expect(text).not.toContain("does not process payments itself");
    expect((await show(plain, "/billing")).text).toContain("does not process payments itself");
    expect(await show(gateway, "/billing/paid")).toMatchObject({
      status: 200,
      text: expect.stringContaining("Thank you"),
    });
    expect((await show(plain, "/billing/paid")).status).toBe(404);
  });
});
