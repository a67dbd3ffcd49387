import { afterAll, beforeAll, expect, test } from "bun:test";
import { finishTopups } from "../../src/topups/finish.ts";
import { openWays } from "../../src/topups/open_ways.ts";
import { problemOf, shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { deliver, signMessage } from "../support/stripe_host.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await shareTestGateway();
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

test("what was under way when a way was switched off becomes an alert, once it is over", async () => {
  const accountId = await gateway.createAccount();
  const begun = async (way: string, endedAgo: string) => {
    const [row] = await gateway.sql`
      insert into topups (account_id, way, amount_nanos, payment_id, created_at, expires_at, due_at)
      values (
        ${accountId}, ${way}, 5000000000, ${crypto.randomUUID()}, now() - interval '2 days',
        now() - ${endedAgo}::interval, now()
      )
      returning topup_id`;
    return String(row?.topup_id);
  };
  const stateOf = async (id: string) => {
    const [row] = await gateway.sql`
      select status, alert, last_error from topups where topup_id = ${id}`;
    return row;
  };
  const over = [await begun("card", "61 minutes"), await begun("x402", "61 minutes")];
  const left = await begun("card", "59 minutes");
  const { services } = gateway.gateway;
  const job = finishTopups(openWays(services), services.log);
  while (await job.step(services.database));
  for (const id of over) {
    expect(await stateOf(id)).toMatchObject({
      status: "expired",
      alert: expect.stringContaining("was turned off"),
    });
  }
  expect(await stateOf(left)).toMatchObject({ status: "waiting", alert: null });
});
