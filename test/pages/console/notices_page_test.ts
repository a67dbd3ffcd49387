import { afterAll, beforeAll, expect, test } from "bun:test";
import { invite, join } from "../../people/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { createAdmin, signIn } from "./support.ts";

let gateway: TestGateway;
let account: string;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "gate@example.com",
  });
  account = await gateway.createAccount();
});
afterAll(() => gateway.stop());

test("a consumer and a provider name, test, pause and delete webhooks, and see their deliveries", async () => {
  for (const [permission, path, types] of [
    ["read", "/notices", "feed.updated, balance.low"],
    ["write", "/feed-notices", "feed.late"],
  ] as const) {
    const visitor = await signIn(gateway.baseUrl, await gateway.createKey(account, permission));
    const url = `https://93.184.215.14/${permission}`;
    const { answer } = await visitor.act(path, { act: "name", url, types });
    expect(await answer.text()).toContain("whsec_");
    const [{ webhook_id: id } = {}] = await gateway.sql`
      select webhook_id from webhooks where url = ${url}`;
    const refused = await visitor.act(path, { act: "name", url: "https://10.0.0.1/", types });
    expect(await refused.answer.text()).toContain("not public");
    for (const act of ["test", "pause", "resume"]) {
      expect((await visitor.act(path, { act, webhook_id: id })).answer.status).toBe(303);
    }
    const page = await (await visitor.get(`${path}?webhook=${id}`)).text();
    expect(page).toContain("webhook.test");
    expect(page).toContain(url);
    const rotated = await visitor.act(path, { act: "rotate", webhook_id: id });
    expect(await rotated.answer.text()).toContain("whsec_");
    await visitor.act(path, { act: "remove", webhook_id: id });
    expect(await (await visitor.get(path)).text()).not.toContain(url);
  }
});

test("a member chooses which notices are mailed, and the threshold of the account", async () => {
  const admin = await createAdmin(gateway);
  const address = "ada@example.com";
  await invite(gateway, { admin, account, address, role: "member" });
  const visitor = (await join(gateway, address, { accepts: true })).visitor();
  const page = await (await visitor.get("/notices")).text();
  expect(page).toContain("Mails to you");
  const choice = { act: "mail", type: "credits.granted", choice: "daily" };
  expect((await visitor.act("/notices", choice)).answer.status).toBe(303);
  const chosen = await gateway.sql`select type, choice from mail_choices`;
  expect([...chosen]).toEqual([{ type: "credits.granted", choice: "daily" }]);
  await visitor.act("/notices", { act: "threshold", credits: "5" });
  const [low] = await gateway.sql`select threshold_nanos from low_balances`;
  expect(Number(low?.threshold_nanos)).toBe(5_000);
  const wrong = await visitor.act("/notices", { act: "threshold", credits: "none" });
  expect(await wrong.answer.text()).toContain("Type an amount");
});
