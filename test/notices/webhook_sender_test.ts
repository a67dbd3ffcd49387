import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { createLog } from "../../src/lib/log.ts";
import { makeWebhookSecret } from "../../src/notices/webhook_secret.ts";
import { RETRY_PAUSES_MS, WebhookSender } from "../../src/notices/webhook_sender.ts";
import type { Database } from "../../src/postgres/client/database.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { nameWebhook, type Receiver, runNoticeJob, sendNotices, startReceiver } from "./support.ts";

const DAY_MS = 86_400_000;
let receiver: Receiver;
let gateway: TestGateway;
let account: string;
let readKey: string;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway({}, { webhookTrial: receiver.trial });
});
afterEach(async () => {
  await gateway.sql`delete from webhooks`;
  await gateway.sql`delete from notices`;
  receiver.received.length = 0;
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

async function name(path: string, types = ["credits.granted", "webhook.disabled"]) {
  account = await gateway.createAccount();
  readKey = await gateway.createKey(account, "read");
  return nameWebhook(gateway, readKey, { url: receiver.origin + path, types });
}

const grant = (accountId = account) => gateway.sql`
  insert into credit_ledger (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
  values (${accountId}, 'grant', 5, 0, 5, 'test')`;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const webhookOf = async (id: string) =>
  (await (await gateway.get(`/v1/webhooks/${id}`, readKey)).json()) as Record<string, unknown>;
const deliveriesOf = async (id: string) =>
  (
    (await (await gateway.get(`/v1/webhooks/${id}/deliveries`, readKey)).json()) as {
      deliveries: Record<string, unknown>[];
    }
  ).deliveries;

function senderThrough(database: Database, answerMsMax?: number): WebhookSender {
  const { services } = gateway.gateway;
  return new WebhookSender({
    database,
    log: createLog({ level: "silent" }),
    secret: services.webhooks.secret,
    allowsPrivate: false,
    trial: receiver.trial,
    ...(answerMsMax !== undefined && { answerMsMax }),
  });
}

describe("the sender", () => {
  test("repeats a failed call by the schedule, with the same id, and then gives it up", async () => {
    const { id, secret } = await name("/fails");
    receiver.answer("/fails", () => new Response("broken", { status: 500 }));
    await grant();
    let atMs = 0;
    await sendNotices(gateway, later(atMs));
    for (const [place, pauseMs] of RETRY_PAUSES_MS.entries()) {
      await sendNotices(gateway, later(atMs + pauseMs - 1_000));
      expect(receiver.received.length).toBe(place + 1);
      atMs += pauseMs + 1_000;
      await sendNotices(gateway, later(atMs));
      expect(receiver.received.length).toBe(place + 2);
    }
    await sendNotices(gateway, later(atMs + DAY_MS));
    expect(receiver.received.length).toBe(RETRY_PAUSES_MS.length + 1);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const { text, headers } of receiver.received) new Webhook(secret).verify(text, headers);
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ status: "failed", code: 500, answer: "broken", attempts: 8 });
    const resent = await gateway.send(
      "POST",
      `/v1/webhooks/deliveries/${delivery?.id}/resend`,
      readKey,
      {},
    );
    expect(resent.status).toBe(200);
    receiver.answer("/fails", () => new Response("x".repeat(5_000)));
    await sendNotices(gateway, later(atMs + DAY_MS));
    const [sent] = await deliveriesOf(id);
    expect(sent).toMatchObject({ status: "delivered", code: 200, answer: "x".repeat(1_024) });
  });

  test("switches an address off after 410, and tells the account's other addresses", async () => {
    const { id } = await name("/gone");
    await nameWebhook(gateway, readKey, {
      url: `${receiver.origin}/other`,
      types: ["webhook.disabled"],
    });
    receiver.answer("/gone", () => new Response(null, { status: 410 }));
    await grant();
    await sendNotices(gateway);
    expect(await webhookOf(id)).toMatchObject({ is_active: false, switched_off: "gone" });
    await sendNotices(gateway);
    expect(receiver.received.map(({ path, notice }) => `${path} ${notice.type}`)).toEqual([
      "/gone credits.granted",
      "/other webhook.disabled",
    ]);
    await grant();
    await sendNotices(gateway);
    expect(receiver.received.length).toBe(2);
    const edited = await gateway.send("PATCH", `/v1/webhooks/${id}`, readKey, { is_active: true });
    expect(await edited.json()).toMatchObject({ is_active: true, switched_off: null });
  });

  test("switches an address off after three days of failure", async () => {
    const { id } = await name("/down");
    receiver.answer("/down", () => new Response(null, { status: 503 }));
    await grant();
    await sendNotices(gateway);
    await grant();
    await sendNotices(gateway, later(3 * DAY_MS - 60_000));
    expect(await webhookOf(id)).toMatchObject({ is_active: true });
    await grant();
    await sendNotices(gateway, later(3 * DAY_MS + 60_000));
    expect(await webhookOf(id)).toMatchObject({ is_active: false, switched_off: "failing" });
  });

  test("follows no redirect", async () => {
    const { id } = await name("/moved");
    receiver.answer("/moved", () => Response.redirect(`${receiver.origin}/elsewhere`, 307));
    await grant();
    await sendNotices(gateway);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/moved"]);
    expect(await deliveriesOf(id)).toMatchObject([{ status: "waiting", code: 307 }]);
  });

  test("waits for no answer that takes too long, and reads no more than 1 KB", async () => {
    const { id } = await name("/slow");
    receiver.answer("/slow", async () => {
      await Bun.sleep(3_000);
      return new Response(null, { status: 204 });
    });
    const endless = await nameWebhook(gateway, readKey, {
      url: `${receiver.origin}/endless`,
      types: ["credits.granted"],
    });
    receiver.answer("/endless", () => {
      const stream = new ReadableStream({
        async pull(controller) {
          await Bun.sleep(1);
          controller.enqueue(new Uint8Array(600).fill(97));
        },
      });
      return new Response(stream);
    });
    await grant();
    await runNoticeJob(gateway.sql, "notices");
    const sender = senderThrough(gateway.gateway.services.operatorDatabase, 1_000);
    sender.wake();
    await sender.idle();
    expect(await deliveriesOf(id)).toMatchObject([
      { status: "waiting", code: null, error: "There was no answer within 1 seconds." },
    ]);
    expect(await deliveriesOf(endless.id)).toMatchObject([
      { status: "delivered", answer: "a".repeat(1_024) },
    ]);
  });

  test("sends again, with the same id, what a process had sent but not marked when it died", async () => {
    const { id } = await name("/twice");
    await grant();
    await runNoticeJob(gateway.sql, "notices");
    const { operatorDatabase } = gateway.gateway.services;
    const dying = new Proxy(operatorDatabase, {
      get(target, property) {
        if (property !== "row") return Reflect.get(target, property);
        return (statement: string, parameters: never) => {
          if (statement === "finish_delivery") throw new Error("killed");
          return target.row(statement as "finish_delivery", parameters);
        };
      },
    });
    const sender = senderThrough(dying);
    sender.wake();
    await sender.idle();
    await sendNotices(gateway);
    expect(receiver.received.length).toBe(1);
    await sendNotices(gateway, later(31_000));
    expect(receiver.received.length).toBe(2);
    const [first, second] = receiver.received;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"] ?? "");
    expect(second?.text).toBe(first?.text ?? "");
    expect(await deliveriesOf(id)).toMatchObject([{ status: "delivered", attempts: 2 }]);
  });

  test("refuses private addresses when it calls, however they are named", async () => {
    const { id } = await name("/hook");
    await grant();
    await runNoticeJob(gateway.sql, "notices");
    const { services } = gateway.gateway;
    for (const addresses of [
      ["10.0.0.1"],
      ["93.184.215.14", "192.168.1.1"],
      ["::ffff:169.254.169.254"],
    ]) {
      const sender = new WebhookSender({
        database: services.operatorDatabase,
        log: createLog({ level: "silent" }),
        secret: services.webhooks.secret,
        allowsPrivate: false,
        trial: { ...receiver.trial, resolve: async () => addresses },
      });
      await gateway.sql`
        update webhook_deliveries set next_at = now() - interval '1 minute' where webhook_id = ${id}`;
      await gateway.sql`update webhooks set next_at = now() - interval '1 minute' where webhook_id = ${id}`;
      sender.wake();
      await sender.idle();
    }
    expect(receiver.received).toEqual([]);
    const [delivery] = await deliveriesOf(id);
    expect(delivery).toMatchObject({ attempts: 3, code: null });
    expect(delivery?.error).toContain("not public");
  });

  test("signs with both secrets for a day after a rotation", async () => {
    const { id, secret } = await name("/rotated");
    const answer = await gateway.send("POST", `/v1/webhooks/${id}/rotate`, readKey, {});
    const rotated = (await answer.json()) as { secret: string };
    expect(rotated.secret).not.toBe(secret);
    await grant();
    await sendNotices(gateway);
    const [call] = receiver.received;
    for (const each of [secret, rotated.secret]) {
      expect(new Webhook(each).verify(call?.text ?? "", call?.headers ?? {})).toBeDefined();
    }
    await grant();
    await sendNotices(gateway, later(DAY_MS + 60_000));
    const last = receiver.received.at(-1);
    expect(() => new Webhook(secret).verify(last?.text ?? "", last?.headers ?? {})).toThrow();
    new Webhook(rotated.secret).verify(last?.text ?? "", last?.headers ?? {});
  });

  test("sends what has piled up for a sound address at the same time", async () => {
    const { id } = await name("/piled");
    await grant();
    await sendNotices(gateway);
    let calling = 0;
    let callingMax = 0;
    receiver.answer("/piled", async () => {
      calling += 1;
      callingMax = Math.max(callingMax, calling);
      await Bun.sleep(200);
      calling -= 1;
      return new Response(null, { status: 204 });
    });
    for (let count = 0; count < 20; count += 1) await grant();
    await sendNotices(gateway);
    expect(callingMax).toBe(8);
    const { length } = (await deliveriesOf(id)).filter(({ status }) => status === "delivered");
    // A page of deliveries.
    expect(length).toBe(20);
    expect(receiver.received.length).toBe(21);
  });

  test("delays no address of an account by its other ones that hang", async () => {
    await name("/prompt");
    await grant();
    await sendNotices(gateway);
    receiver.received.length = 0;
    receiver.answer("/stuck", async () => {
      await Bun.sleep(4_000);
      return new Response(null, { status: 500 });
    });
    for (let count = 0; count < 19; count += 1) {
      const url = `${receiver.origin}/stuck`;
      await nameWebhook(gateway, readKey, { url, types: ["credits.granted"] });
    }
    await grant();
    await runNoticeJob(gateway.sql, "notices");
    const startedMs = performance.now();
    gateway.gateway.services.notices.wake();
    while (!receiver.received.some(({ path }) => path === "/prompt")) await Bun.sleep(10);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    await gateway.sql`update webhooks set is_active = false`;
    await gateway.gateway.services.notices.idle();
  }, 60_000);

  test("fails what waits for an address that its owner switches off, and then tells it of new notices only", async () => {
    const { id } = await name("/paused");
    receiver.answer("/paused", () => new Response(null, { status: 500 }));
    await grant();
    await sendNotices(gateway);
    const edit = (isActive: boolean) =>
      gateway.send("PATCH", `/v1/webhooks/${id}`, readKey, { is_active: isActive });
    await edit(false);
    expect(await deliveriesOf(id)).toMatchObject([{ status: "failed" }]);
    await grant();
    await sendNotices(gateway);
    // Neither a test nor a repeat waits for it.
    await gateway.send("POST", `/v1/webhooks/${id}/test`, readKey, {});
    const [first] = await deliveriesOf(id);
    expect(first).toMatchObject({ status: "failed", error: "The webhook is switched off." });
    await gateway.send("POST", `/v1/webhooks/deliveries/${first?.id}/resend`, readKey, {});
    expect((await deliveriesOf(id)).map(({ status }) => status)).toEqual(["failed", "failed"]);
    await edit(true);
    await sendNotices(gateway, later(DAY_MS));
    expect(receiver.received.length).toBe(1);
    await grant();
    await sendNotices(gateway);
    expect(receiver.received.length).toBe(2);
  });

  test("makes each call once, although several processes claim at the same time", async () => {
    const { services } = gateway.gateway;
    const { secret } = services.webhooks;
    for (let place = 0; place < 10; place += 1) {
      const other = await gateway.createAccount();
      const rows = Array.from({ length: 20 }, () => {
        const webhookId = crypto.randomUUID();
        return { webhookId, sealed: makeWebhookSecret({ secret, webhookId }).sealed };
      });
      await gateway.sql`
        insert into webhooks (webhook_id, account_id, permission, url, types, sealed_secret)
        select
          (each ->> 'webhookId')::uuid, ${other}, 'read', ${`${receiver.origin}/many`},
          '{credits.granted}', each ->> 'sealed'
        from json_array_elements(${JSON.stringify(rows)}::json) as each`;
      await grant(other);
    }
    await runNoticeJob(gateway.sql, "notices");
    const senders = [services.notices, senderThrough(services.operatorDatabase)];
    for (const sender of senders) sender.wake();
    for (const sender of senders) await sender.idle();
    expect(receiver.received.length).toBe(200);
  });

  test("calls an address whose lease a clock that was ahead has written", async () => {
    await name("/ahead");
    await grant();
    // Of a claim that another process has made a moment after this one began.
    await gateway.sql`update webhooks set leased_until = clock_timestamp() + interval '31 seconds'`;
    await sendNotices(gateway);
    expect(receiver.received.length).toBe(0);
    await gateway.sql`update webhooks set leased_until = now() + interval '1 hour'`;
    await sendNotices(gateway);
    expect(receiver.received.length).toBe(1);
  });

  test("signs with the last two secrets after two rotations", async () => {
    const { id, secret } = await name("/rotated-twice");
    const rotate = async () => {
      const answer = await gateway.send("POST", `/v1/webhooks/${id}/rotate`, readKey, {});
      return ((await answer.json()) as { secret: string }).secret;
    };
    const [second, third] = [await rotate(), await rotate()];
    await grant();
    await sendNotices(gateway);
    const [call] = receiver.received;
    const verify = (each: string) =>
      new Webhook(each).verify(call?.text ?? "", call?.headers ?? {});
    expect(verify(second)).toBeDefined();
    expect(verify(third)).toBeDefined();
    expect(() => verify(secret)).toThrow();
  });

  test("delays no account beside 1,000 addresses of others that hang", async () => {
    const { services } = gateway.gateway;
    const { secret } = services.webhooks;
    await name("/sound");
    await grant();
    await sendNotices(gateway);
    receiver.received.length = 0;
    receiver.answer("/hangs", async () => {
      await Bun.sleep(4_000);
      return new Response(null, { status: 500 });
    });
    for (let place = 0; place < 50; place += 1) {
      const other = await gateway.createAccount();
      const rows = Array.from({ length: 20 }, () => {
        const webhookId = crypto.randomUUID();
        return { webhookId, sealed: makeWebhookSecret({ secret, webhookId }).sealed };
      });
      await gateway.sql`
        insert into webhooks (webhook_id, account_id, permission, url, types, sealed_secret)
        select
          (each ->> 'webhookId')::uuid, ${other}, 'read', ${`${receiver.origin}/hangs`},
          '{credits.granted}', each ->> 'sealed'
        from json_array_elements(${JSON.stringify(rows)}::json) as each`;
      await grant(other);
    }
    await runNoticeJob(gateway.sql, "notices");
    services.notices.wake();
    await Bun.sleep(1_000);
    await grant();
    const grantedMs = performance.now();
    await runNoticeJob(gateway.sql, "notices");
    services.notices.wake();
    while (!receiver.received.some(({ path }) => path === "/sound")) await Bun.sleep(10);
    expect(performance.now() - grantedMs).toBeLessThan(5_000);
    await gateway.sql`update webhooks set is_active = false`;
    await services.notices.idle();
  }, 120_000);
});

describe("nothing is told that the account may not read when it is sent:", () => {
  async function changedFeed() {
    const provider = await gateway.createAccount();
    const feed = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }] });
    account = await gateway.createAccount();
    readKey = await gateway.createKey(account, "read");
    const { id } = await nameWebhook(gateway, readKey, {
      url: `${receiver.origin}/told`,
      types: ["feed.changed"],
      feed_ids: [feed.slug],
    });
    await gateway.sql`
      update feeds set price_type = 'metered', call_price_nanos = 1000, definition_version = 9
      where feed_id = ${feed.feedId}`;
    await runNoticeJob(gateway.sql, "notices");
    return { id, feedId: feed.feedId };
  }
  const send = async () => {
    gateway.gateway.services.notices.wake();
    await gateway.gateway.services.notices.idle();
    return receiver.received.length;
  };

  test("a feed that can't be read any more", async () => {
    const { id, feedId } = await changedFeed();
    await gateway.sql`update feeds set status = 'inactive' where feed_id = ${feedId}`;
    expect(await send()).toBe(0);
    expect(await deliveriesOf(id)).toMatchObject([{ status: "withheld" }]);
  });

  test("an account that is suspended, or closed", async () => {
    await changedFeed();
    await gateway.sql`update accounts set suspension_reason = 'x' where account_id = ${account}`;
    expect(await send()).toBe(0);
    await changedFeed();
    await gateway.sql`update accounts set closed_at = now() where account_id = ${account}`;
    expect(await send()).toBe(0);
  });

  test("a key that was revoked, or whose scope leaves the feed out", async () => {
    const { id } = await changedFeed();
    const [{ key_id: keyId } = {}] = await gateway.sql`
      select key_id from api_keys where account_id = ${account}`;
    await gateway.sql`update api_keys set revoked_at = now() where key_id = ${keyId}`;
    readKey = await gateway.createKey(account, "read");
    expect(await webhookOf(id)).toMatchObject({ is_active: false, switched_off: "key_ended" });
    expect(await send()).toBe(0);
    await changedFeed();
    await gateway.sql`
      update api_keys set feed_ids = array[gen_random_uuid()] where account_id = ${account}`;
    expect(await send()).toBe(0);
  });

  test("and otherwise it is", async () => {
    await changedFeed();
    expect(await send()).toBe(1);
  });
});
