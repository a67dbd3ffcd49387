import { afterAll, beforeAll, expect, test } from "bun:test";
import { startReceiver } from "../../notices/support.ts";
import { invite, join } from "../../people/support.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";
import { createAdmin, signIn } from "./support.ts";

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let account: string;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway(
    {
      FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
      FEEDGATE_MAIL_FROM: "gate@example.com",
    },
    { webhookTrial: receiver.trial },
  );
  account = await gateway.createAccount();
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

const yes = (...types: readonly string[]) =>
  Object.fromEntries(types.map((type) => [`type.${type}`, "yes"]));

test("a consumer and a provider add, change, test, pause and delete webhooks, and see their deliveries", async () => {
  const feed = await seedFeed(gateway, account, { type: "singleton", rows: [{ a: 1 }] });
  for (const [permission, path, types] of [
    ["read", "/notices", ["feed.updated", "balance.low"]],
    ["write", "/feed-notices", ["feed.late", "feed.sold"]],
  ] as const) {
    const visitor = await signIn(gateway.baseUrl, await gateway.createKey(account, permission));
    const url = `${receiver.origin}/${permission}`;
    const { answer } = await visitor.act(path, { act: "add", url, ...yes(...types) });
    expect(await answer.text()).toContain("whsec_");
    const find = async () =>
      (
        await gateway.sql`select webhook_id, to_json(types) as types, to_json(feed_ids) as feed_ids from webhooks where url = ${url}`
      )[0];
    const { webhook_id: id, types: named } = (await find()) ?? {};
    expect(JSON.parse(named)).toEqual([...types]);
    const wrong = { act: "add", url: "https://10.0.0.1/", ...yes(...types) };
    const refused = await visitor.act(path, wrong);
    expect(await refused.answer.text()).toContain("not public");
    // Nothing to confirm.
    expect((await visitor.post(path, { act: "add", url })).status).toBe(422);

    const edit = { act: "edit", webhook_id: id, url, feeds: feed.slug, ...yes(types[0]) };
    expect((await visitor.act(path, edit)).answer.status).toBe(303);
    const changed = await find();
    expect(JSON.parse(changed?.types)).toEqual([types[0]]);
    expect(JSON.parse(changed?.feed_ids)).toEqual([feed.feedId]);

    for (const act of ["test", "pause", "resume"]) {
      expect((await visitor.act(path, { act, webhook_id: id })).answer.status).toBe(303);
      await gateway.gateway.services.notices.idle();
    }
    const page = await (await visitor.get(`${path}?webhook=${id}`)).text();
    expect(page).toContain("webhook.test");
    expect(page).toContain("delivered");
    expect(page).toContain(url);
    const [delivery] = await gateway.sql`
      select delivery_id from webhook_deliveries where webhook_id = ${id}`;
    await visitor.act(path, { act: "resend", delivery_id: delivery?.delivery_id });
    await gateway.gateway.services.notices.idle();
    expect(receiver.received.splice(0).map((call) => call.path)).toEqual(
      Array(2).fill(`/${permission}`),
    );
    const rotated = await visitor.act(path, { act: "rotate", webhook_id: id });
    expect(await rotated.answer.text()).toContain("whsec_");
    await visitor.act(path, { act: "remove", webhook_id: id });
    expect(await (await visitor.get(path)).text()).not.toContain(url);
  }
});

test("operators manage their webhooks, see what waits and what failed of all accounts, and send it again", async () => {
  const visitor = await signIn(gateway.baseUrl, await createAdmin(gateway, "notices"));
  const url = `${receiver.origin}/operators`;
  const fields = { act: "add", url, once: crypto.randomUUID(), ...yes("job.failed") };
  for (let sent = 0; sent < 2; sent += 1) {
    // A form that is sent twice names one address.
    const { answer } = await visitor.act("/webhooks", fields);
    expect(await answer.text()).toContain("whsec_");
  }
  const found = await gateway.sql`select webhook_id from webhooks where url = ${url}`;
  expect(found.length).toBe(1);
  const id = found[0]?.webhook_id;
  for (const act of ["test", "pause", "resume"]) {
    expect((await visitor.act("/webhooks", { act, webhook_id: id })).answer.status).toBe(303);
    await gateway.gateway.services.notices.idle();
  }
  const shown = await (await visitor.get(`/webhooks?webhook=${id}&status=delivered`)).text();
  expect(shown).toContain("webhook.test");
  const edit = { act: "edit", webhook_id: id, url, ...yes("review.waiting") };
  await visitor.act("/webhooks", edit);
  const [{ types } = {}] =
    await gateway.sql`select to_json(types) as types from webhooks where webhook_id = ${id}`;
  expect(JSON.parse(types)).toEqual(["review.waiting"]);

  // Of an account.
  const reader = await gateway.createAccount({ name: "A reader" });
  const key = await gateway.createKey(reader, "read");
  const body = { url: `${receiver.origin}/down`, types: ["credits.granted"] };
  const made = await gateway.send("POST", "/v1/webhooks", key, body);
  const { id: theirs } = (await made.json()) as { id: string };
  receiver.answer("/down", () => new Response("the reader's body", { status: 410 }));
  await gateway.send("POST", `/v1/webhooks/${theirs}/test`, key, {});
  await gateway.gateway.services.notices.idle();
  const failed = await (await visitor.get("/webhooks")).text();
  for (const text of ["A reader", "/down", "It returned 410", "the reader&#39;s body"]) {
    expect(failed.replaceAll("'", "&#39;")).toContain(text);
  }
  const other = await (await visitor.get(`/webhooks?account_id=${account}`)).text();
  expect(other).not.toContain("/down");
  receiver.answer("/down", () => new Response(null, { status: 204 }));
  await gateway.send("PATCH", `/v1/webhooks/${theirs}`, key, { is_active: true });
  const [delivery] = await gateway.sql`
    select delivery_id from webhook_deliveries where webhook_id = ${theirs}`;
  await visitor.act("/webhooks", { act: "resend", delivery_id: delivery?.delivery_id });
  await gateway.gateway.services.notices.idle();
  expect(await (await visitor.get("/webhooks")).text()).not.toContain("A reader");

  const rotated = await visitor.act("/webhooks", { act: "rotate", webhook_id: id });
  expect(await rotated.answer.text()).toContain("whsec_");
  await visitor.act("/webhooks", { act: "remove", webhook_id: id });
  expect(await (await visitor.get("/webhooks")).text()).not.toContain("/operators");
});

test("a member chooses which notices are mailed, and the threshold of the account", async () => {
  const admin = await createAdmin(gateway);
  const address = "ada@example.com";
  await invite(gateway, { admin, account, address, role: "member" });
  const visitor = (await join(gateway, address, { accepts: true })).visitor();
  const page = await (await visitor.get("/notices")).text();
  expect(page).toContain("Emails to you");
  // The page sends all choices. What is as by default stays so.
  const choices = {
    "mail.credits.granted": "daily",
    "mail.balance.low": "at_once",
    "mail.feed.late": "never",
    "mail.none": "never",
  };
  expect((await visitor.act("/notices", { act: "mail", ...choices })).answer.status).toBe(303);
  const chosen = await gateway.sql`select type, choice from mail_choices order by type`;
  expect([...chosen]).toEqual([
    { type: "credits.granted", choice: "daily" },
    { type: "feed.late", choice: "never" },
  ]);
  expect(await (await visitor.get("/you?download=json")).json()).toMatchObject({
    mail_choices: [
      { account_id: account, type: "credits.granted", choice: "daily" },
      { account_id: account, type: "feed.late", choice: "never" },
    ],
  });
  await visitor.act("/notices", { act: "threshold", credits: "5" });
  const [low] = await gateway.sql`select threshold_nanos from low_balances`;
  expect(Number(low?.threshold_nanos)).toBe(5_000);
  for (const credits of ["none", "-1", "1000000000000000.001", "9223372036854776"]) {
    const wrong = await visitor.act("/notices", { act: "threshold", credits });
    expect(await wrong.answer.text()).toContain("up to 1,000,000,000,000,000, or 0");
  }
});
