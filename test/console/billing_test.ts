import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { signIn } from "./support.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("/billing shows a signed-in consumer the balance, and nobody else", async () => {
  const account = await gateway.createAccount({ credits: 1_234_567, name: "Acme" });
  const { cookie } = await signIn(gateway.baseUrl, await gateway.createKey(account, "read"));
  const pageOf = async (headers: Record<string, string>) =>
    (await fetch(`${gateway.baseUrl}/billing`, { headers })).text();
  expect(await pageOf({ cookie })).toContain("1,234,567");
  expect(await pageOf({ cookie })).toContain("Acme");
  expect(await pageOf({})).not.toContain("Your balance");
  // Who publishes has no balance to pay from.
  const provider = await signIn(gateway.baseUrl, await gateway.createKey(account, "write"));
  expect(await pageOf({ cookie: provider.cookie })).not.toContain("Your balance");
});
