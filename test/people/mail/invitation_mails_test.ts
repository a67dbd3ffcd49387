/**
 * How often an address is mailed that it is invited, to an account or to read a feed.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { inviteReader, withdrawReaderInvitation } from "../../../src/access/reader_invitations.ts";
import { shellActor } from "../../../src/accounts/actor.ts";
import { present } from "../../../src/lib/assert.ts";
import { INVITATION_MAILS_LIMIT, INVITATIONS_OF_ADDRESS_LIMIT } from "../../../src/limits.ts";
import { acceptInvitation, changeMember, inviteMember } from "../../../src/people/members.ts";
import type { Services } from "../../../src/services.ts";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { runJob } from "../../support/run_job.ts";
import { seedFeed } from "../../support/seed.ts";
import { tablesWith } from "../support.ts";

const ACTOR = shellActor("test");

let gateway: TestGateway;
let services: Services;

beforeAll(async () => {
  gateway = await shareTestGateway({
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "Gate <gate@example.com>",
  });
  ({ services } = gateway.gateway);
});
afterAll(() => gateway.stop());

const newAddress = () => `p${crypto.randomUUID().slice(0, 8)}@example.com`;

/** A feed of an account; of a new one if none is given. */
async function makeFeed(accountId?: string) {
  const owner = accountId ?? (await gateway.createAccount());
  const { feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
  return { accountId: owner, reference: feedId };
}

const toFeed = (feed: Awaited<ReturnType<typeof makeFeed>>, address: string) =>
  inviteReader(services, feed, { input: { address }, actor: ACTOR });

const toAccount = (accountId: string, address: string, hasMail = true) =>
  inviteMember(
    {
      database: services.database,
      limits: services.config.limits,
      baseUrl: gateway.baseUrl,
      hasMail,
    },
    { account_id: accountId, address },
    { actor: ACTOR },
  );

/** A person with this address; its id. */
async function makePerson(address: string): Promise<string> {
  const [row] = await gateway.sql`
    insert into persons (address, address_key, name, mail_proven_at)
    values (${address}, ${address}, 'Ada', now())
    returning person_id`;
  return present(row).person_id;
}

async function mailsTo(address: string): Promise<number> {
  return (await gateway.sql`select from mails where address = ${address}`).length;
}

/** Time passes for the mails to an address. */
async function pass(minutes: number, address: string): Promise<void> {
  await gateway.sql`
    update invitation_mails
    set happened_at = happened_at - ${`${minutes} minutes`}::interval
    where address_hash = sha256(convert_to(${address}, 'UTF8'))`;
}

describe("an account mails an address once an hour", () => {
  test("if an invitation to read a feed is withdrawn", async () => {
    const [feed, address] = [await makeFeed(), newAddress()];
    for (let round = 0; round < 3; round += 1) {
      const { id } = await toFeed(feed, address.toUpperCase().replace("@EXAMPLE", "@example"));
      await withdrawReaderInvitation(services, feed, id);
    }
    await toFeed(feed, address);
    const mails = await gateway.sql`select from mails where lower(address) = ${address}`;
    expect(mails).toHaveLength(1);
  });

  test("if an invitation to read a feed is accepted", async () => {
    const [feed, address] = [await makeFeed(), newAddress()];
    const person = await makePerson(address);
    const reader = await gateway.createAccount();
    await gateway.sql`
      insert into members (account_id, person_id, role) values (${reader}, ${person}, 'owner')`;
    for (let round = 0; round < 2; round += 1) {
      const { id } = await toFeed(feed, address);
      const [taken] = await gateway.sql`
        select take_access_invitation(${person}, ${reader}, ${id}) as outcome`;
      expect(taken?.outcome).toBe("granted");
    }
    expect(await mailsTo(address)).toBe(1);
  });

  test("an invitation that is accepted leaves a grant as it is", async () => {
    const [feed, address] = [await makeFeed(), newAddress()];
    const person = await makePerson(address);
    const reader = await gateway.createAccount();
    await gateway.sql`
      insert into members (account_id, person_id, role) values (${reader}, ${person}, 'owner')`;
    await gateway.sql`
      insert into access_grants (account_id, feed_id, is_free, note)
      select ${reader}, feed_id, true, 'contract 5' from feeds where feed_id = ${feed.reference}`;
    for (const take of ["one", "all"]) {
      const { id } = await toFeed(feed, address);
      await (take === "one"
        ? gateway.sql`select take_access_invitation(${person}, ${reader}, ${id})`
        : gateway.sql`select take_access_invitations(${person}, ${reader})`);
      const [grant] = await gateway.sql`
        select is_free, note, (select count(*)::int from access_invitations where invitation_id = ${id}) as open
        from access_grants where account_id = ${reader}`;
      expect(grant).toEqual({ is_free: true, note: "contract 5", open: 0 });
    }
  });

  test("if a member accepts and is removed", async () => {
    const [accountId, address] = [await gateway.createAccount(), newAddress()];
    const personId = await makePerson(address);
    for (let round = 0; round < 2; round += 1) {
      const { id } = await toAccount(accountId, address);
      await acceptInvitation(services.database, { invitationId: id, personId });
      await changeMember(services.database, { accountId, personId, role: null }, { actor: ACTOR });
    }
    expect(await mailsTo(address)).toBe(1);
  });

  test("if it invites to itself and to several feeds, also at the same time", async () => {
    const [accountId, address] = [await gateway.createAccount(), newAddress()];
    const feeds = [await makeFeed(accountId), await makeFeed(accountId), await makeFeed(accountId)];
    await Promise.all([
      toAccount(accountId, address),
      ...feeds.map((feed) => toFeed(feed, address)),
    ]);
    expect(await mailsTo(address)).toBe(1);
  });

  test("counted from the mail, not from invitations that were not mailed", async () => {
    const [feed, address] = [await makeFeed(), newAddress()];
    await toFeed(feed, address);
    await pass(59, address);
    await toFeed(feed, address);
    expect(await mailsTo(address)).toBe(1);
    await pass(2, address);
    await toFeed(feed, address);
    await toFeed(feed, address);
    expect(await mailsTo(address)).toBe(2);
  });

  test("unless the gateway had no mail", async () => {
    const [accountId, address] = [await gateway.createAccount(), newAddress()];
    await toAccount(accountId, address, false);
    await toAccount(accountId, address);
    expect(await mailsTo(address)).toBe(1);
  });
});

test("an address is mailed by each account that invites it, five times an hour from all", async () => {
  const address = newAddress();
  const accounts = await Promise.all(Array.from({ length: 8 }, () => gateway.createAccount()));
  const feeds = await Promise.all(accounts.slice(0, 6).map(makeFeed));
  await toFeed(present(feeds[0]), address);
  await toFeed(present(feeds[1]), address);
  expect(await mailsTo(address)).toBe(2);
  await Promise.all([
    ...feeds.slice(2).map((feed) => toFeed(feed, address)),
    ...accounts.slice(6).map((account) => toAccount(account, address)),
  ]);
  expect(await mailsTo(address)).toBe(INVITATIONS_OF_ADDRESS_LIMIT);
});

test("an account has 200 mails an hour for all that it invites", async () => {
  const accountId = await gateway.createAccount();
  await gateway.sql`
    insert into invitation_mails (address_hash, account_id, happened_at)
    select sha256(place::text::bytea), ${accountId}, now()
    from generate_series(1, ${INVITATION_MAILS_LIMIT - 1}) as place`;
  const feed = await makeFeed(accountId);
  const addresses = [newAddress(), newAddress(), newAddress()];
  for (const address of addresses) await toFeed(feed, address);
  const mailed = await Promise.all(addresses.map(mailsTo));
  expect(mailed).toEqual([1, 0, 0]);
});

test("the limits outlive the account and the person, without the address, for two hours at most", async () => {
  const [accountId, address] = [await gateway.createAccount(), newAddress()];
  await toAccount(accountId, address);
  const personId = await makePerson(address);
  await gateway.sql`select close_account(${accountId}, null, 'test')`;
  await gateway.sql`select remove_person(${personId}, 'test')`;
  expect(await tablesWith(gateway.sql, address)).toEqual([]);
  const counted = async () =>
    (await gateway.sql`select from invitation_mails where account_id = ${accountId}`).length;
  expect(await counted()).toBe(1);
  await runJob(gateway.sql, "proofs");
  expect(await counted()).toBe(1);
  await pass(60, address);
  await runJob(gateway.sql, "proofs");
  expect(await counted()).toBe(0);
});
