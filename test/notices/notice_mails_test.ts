import { afterAll, beforeAll, expect, test } from "bun:test";
import type { MailFrom } from "../../src/config.ts";
import { setMailChoices } from "../../src/notices/mail_choices.ts";
import { mimeMessage } from "../../src/people/mail/mime_message.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";
import { runNoticeJob } from "./support.ts";

let gateway: TestGateway;
let account: string;
let person: string;
const FROM: MailFrom = { name: "Feeds", address: "feeds@example.com" };

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "feeds@example.com",
  });
  account = await gateway.createAccount({ name: "Acme" });
  const [row] = await gateway.sql`
    insert into persons (address, address_key, name)
    values ('ada@example.com', 'ada@example.com', 'Ada') returning person_id`;
  person = row?.person_id;
  await gateway.sql`
    insert into members (account_id, person_id, role) values (${account}, ${person}, 'owner')`;
});
afterAll(() => gateway.stop());

const note = (type: string, data: object) => gateway.sql`
  insert into notices (type, permission, account_id, data)
  values (${type}, 'read', ${account}, ${JSON.stringify(data)})`;

/** The mails that were queued since. */
async function mailed(now?: string) {
  await runNoticeJob(gateway.sql, "notices", { hasMail: true, ...(now !== undefined && { now }) });
  await runNoticeJob(gateway.sql, "notice mails", {
    hasMail: true,
    ...(now !== undefined && { now }),
  });
  await gateway.gateway.services.noticeMails?.queueDue(now);
  const mails = await gateway.sql<{ subject: string; body_text: string; url: string }[]>`
    select subject, body_text, url from mails join mail_unsubscribes using (mail_id) order by created_at`;
  await gateway.sql`delete from mails`;
  return [...mails];
}

const low = { balance_credits: 5, threshold_credits: 1_000_000 };

test("a member is mailed what needs an act, once, and nothing else", async () => {
  await note("balance.low", low);
  await note("credits.granted", { credits: 5 });
  const [mail, ...others] = await mailed();
  expect(others).toEqual([]);
  expect(mail?.subject).toBe("The balance is low: 5 credits left");
  expect(mail?.body_text).toContain("Acme");
  expect(await mailed()).toEqual([]);
});

test("a member who chooses mails about feeds is told of those that the account has bought, from then on", async () => {
  const provider = await gateway.createAccount();
  const { feedId } = await seedFeed(gateway, provider, { type: "singleton", rows: [{ a: 1 }] });
  await gateway.sql`
    insert into access_grants (account_id, feed_id, is_free) values (${account}, ${feedId}, true)`;
  const whose = { accountId: account, personId: person };
  const { database } = gateway.gateway.services;
  await setMailChoices(database, whose, { types: ["feed.changed"], choice: "at_once" });
  await gateway.sql`
    insert into notices (type, permission, feed_id, data)
    values ('feed.changed', 'read', ${feedId}, '{"changes":{}}')`;
  expect(await mailed()).toHaveLength(1);
});

test("a digest has a day's notices in one mail", async () => {
  await gateway.sql`
    insert into mail_choices (account_id, person_id, type, choice)
    values (${account}, ${person}, 'credits.granted', 'daily')`;
  for (let count = 0; count < 500; count += 1) await note("credits.granted", { credits: count });
  expect(await mailed()).toEqual([]);
  const [mail, ...others] = await mailed(new Date(Date.now() + 25 * 3_600_000).toISOString());
  expect(others).toEqual([]);
  expect(mail?.subject).toBe("500 notices for Acme");
  expect(mail?.body_text).toContain("There are 400 more.");
});

test("one click unsubscribes, and opening the link does not", async () => {
  await note("balance.low", low);
  const [mail] = await mailed();
  const url = mail?.url ?? "";
  const { headers } = mimeMessage(FROM, {
    ...{ mailId: "id", address: "ada@example.com", subject: "", text: "", html: "" },
    unsubscribeUrl: url,
  });
  expect(headers).toMatchObject({
    "List-Unsubscribe": `<${url}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  });
  expect((await fetch(url)).status).toBe(200);
  await note("balance.low", low);
  expect((await mailed()).length).toBe(1);
  const clicked = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: "List-Unsubscribe=One-Click",
  });
  expect(clicked.status).toBe(200);
  await note("balance.low", low);
  expect(await mailed()).toEqual([]);
  const unknown = await fetch(`${gateway.baseUrl}/unsubscribe/none`, { method: "POST" });
  expect(await unknown.text()).toContain("no longer works");
});

test("who has unsubscribed gets no digest of what happened before", async () => {
  const choose = (choice: string) => gateway.sql`
    update mail_choices set choice = ${choice} where account_id = ${account} and type = 'credits.granted'`;
  await choose("daily");
  await note("credits.granted", { credits: 5 });
  await note("credits.granted", { credits: 6 });
  expect(await mailed()).toEqual([]);
  await choose("never");
  expect(await mailed(new Date(Date.now() + 25 * 3_600_000).toISOString())).toEqual([]);
});

test("nobody is mailed about an account that is suspended", async () => {
  await gateway.sql`delete from mail_choices`;
  await note("balance.low", low);
  await runNoticeJob(gateway.sql, "notices", { hasMail: true });
  await gateway.sql`update accounts set suspension_reason = 'x' where account_id = ${account}`;
  expect(await mailed()).toEqual([]);
});
