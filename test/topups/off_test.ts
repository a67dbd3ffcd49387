import { afterAll, beforeAll, expect, test } from "bun:test";
import { openWays } from "../../src/topups/open_ways.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { deliver, signMessage } from "../support/stripe_host.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("a gateway without a way to pay says so, has no webhook, and asks nobody", async () => {
  const key = await gateway.createKey(await gateway.createAccount(), "read");
  for (const response of [
    await gateway.send("POST", "/v1/topups", key, { usd: 5 }),
    await gateway.get(`/v1/topups/${crypto.randomUUID()}`, key),
  ]) {
    const { status, code, body } = await problemOf(response);
    expect([status, code]).toEqual([404, "TOPUPS_OFF"]);
    expect(body.detail).toContain(body.billing_url);
  }
  const message = await signMessage("checkout.session.completed", {});
  const { code } = await problemOf(await deliver(gateway.baseUrl, message));
  expect(code).toBe("ROUTE_NOT_FOUND");
  expect(openWays(gateway.gateway.services)).toEqual({
    stripe: undefined,
    card: undefined,
    x402: undefined,
  });
});

test("a gateway without a way to pay loads nothing of one, and neither does one that takes cards, before it is asked", async () => {
  const program = `
    const { startGateway } = await import("${import.meta.dir}/../../src/server.ts");
    const { readConfig } = await import("${import.meta.dir}/../../src/config.ts");
    const { createLog } = await import("${import.meta.dir}/../../src/lib/log.ts");
    const config = readConfig({ ...process.env, PORT: "0" });
    const gateway = await startGateway(config, createLog({ level: "silent" }), { closingNoticeMs: 0 });
    await fetch(gateway.baseUrl + "/readyz");
    if (process.env.SENDS_MESSAGE) {
      const headers = { "Stripe-Signature": "t=1,v1=x" };
      await fetch(gateway.baseUrl + "/webhooks/stripe", { method: "POST", headers, body: "{}" });
    }
    const loaded = Object.keys(require.cache).filter((path) => /node_modules\\/(?:stripe|@x402|viem)\\//.test(path));
    console.log(loaded.length > 0);
    await gateway.stop();
    process.exit(0);`;
  const cards = {
    FEEDGATE_STRIPE_SECRET_KEY: "sk_test_0123456789",
    FEEDGATE_STRIPE_WEBHOOK_SECRET: "whsec_0123456789",
  };
  for (const [environment, isLoaded] of [
    [{}, false],
    [cards, false],
    // Or this would show nothing.
    [{ ...cards, SENDS_MESSAGE: "1" }, true],
  ] as const) {
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { ...process.env, DATABASE_URL: gateway.databaseUrl, ...environment },
      stdout: "pipe",
      stderr: "inherit",
    });
    expect((await child.stdout.text()).trim()).toBe(String(isLoaded));
    await child.exited;
  }
});
