import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  admitParameters,
  type Claim,
  type Grant,
  newBatchToken,
} from "../../src/admission/admission.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Gateway } from "../../src/server.ts";
import { type FaultyLink, startFaultyLink } from "../support/faulty_link.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const PRICE_NANOS = 1_500;
/** How often the fault has to happen under load, and for how long it is waited for. */
const FAULTS = 20;
const LOAD_MS_MAX = 20_000;
const KILLED_EVERY_MS = 20;

let gateway: TestGateway;
let peer: Gateway;
let link: FaultyLink;
let linked: Gateway;
let owner: string;
let feed: SeededFeed;

beforeAll(async () => {
  // Limits that the load never meets: a lost read counts for nothing either way.
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_PAID: "100000" });
  peer = await gateway.startPeer();
  link = startFaultyLink(gateway.databaseUrl);
  linked = await gateway.startPeer({ DATABASE_URL: link.url });
  owner = await gateway.createAccount();
  feed = await seedFeed(gateway, owner, {
    type: "collection",
    rows: [{ id: 1 }],
    callPriceNanos: PRICE_NANOS,
  });
});
afterAll(async () => {
  await gateway.stop();
  link.stop();
});

function sentNow(): string {
  return new Date().toISOString();
}

async function agent(credits: number) {
  const accountId = await gateway.createAccount({ credits });
  return { accountId, key: await gateway.createKey(accountId, "read") };
}

/** What the account's log says: events not refunded; and whether the identity holds. */
async function bookOf(accountId: string) {
  const events = await gateway.sql`
    select usage_id from usage_events where account_id = ${accountId} and not refunded`;
  const rows = await gateway.sql`
    select
      balance_nanos
        - (select coalesce(sum(amount_nanos), 0) from credit_ledger where account_id = ${accountId})
        + (select coalesce(sum(charge_nanos), 0) from usage_events where account_id = ${accountId})
      as difference,
      (select count(*) from usage_events where account_id = ${accountId} and refunded)::int as refunded
    from accounts where account_id = ${accountId}`;
  return {
    usageIds: new Set(events.map((row) => row.usage_id as string)),
    difference: Number(rows[0]?.difference),
    refunded: rows[0]?.refunded as number,
  };
}

async function read(base: string, key: string, headers = {}) {
  const response = await fetch(`${base}/v1/feed/${feed.slug}`, {
    headers: { "x-api-key": key, ...headers },
  });
  const body = (await response.json()) as { _origin?: { usage_id: string } };
  return { status: response.status, usageId: body._origin?.usage_id };
}

/** Reads over the gateways until `disturb` has made its faults; then compares answers and books. */
async function loadWhile(gateways: readonly Gateway[], disturb: () => Promise<void>) {
  const agents = await Promise.all(Array.from({ length: 8 }, () => agent(1_000_000)));
  const answered = new Map(agents.map(({ accountId }) => [accountId, new Set<string>()]));
  const statuses = new Set<number>();
  let isOver = false;
  let turn = 0;
  const load = Array.from({ length: 64 }, async () => {
    while (!isOver) {
      turn += 1;
      const { accountId, key } = agents[turn % agents.length] as (typeof agents)[number];
      // Every second read shares its key with others, as those of a client that tries again.
      const headers =
        turn % 2 === 0 ? { "Idempotency-Key": `${accountId}-${turn >> 6}` } : undefined;
      const { baseUrl } = gateways[turn % gateways.length] as Gateway;
      const { status, usageId } = await read(baseUrl, key, headers);
      statuses.add(status);
      if (usageId !== undefined) answered.get(accountId)?.add(usageId);
      if (status === 503) await Bun.sleep(5);
    }
  });
  await disturb();
  isOver = true;
  await Promise.all(load);
  await Promise.all(gateways.map(({ services }) => services.admission.idle()));
  expect([...statuses].sort()).toEqual([200, 503]);
  let refunded = 0;
  for (const { accountId } of agents) {
    const book = await bookOf(accountId);
    expect(book.usageIds).toEqual(answered.get(accountId) as Set<string>);
    expect(book.difference).toBe(0);
    refunded += book.refunded;
  }
  return { refunded };
}

/** Makes faults, at random moments, until there were enough. */
async function untilFaults(make: () => Promise<number>): Promise<void> {
  const endMs = performance.now() + LOAD_MS_MAX;
  for (let faults = 0; faults < FAULTS; faults += await make()) {
    expect(performance.now()).toBeLessThan(endMs);
    await Bun.sleep(2 * KILLED_EVERY_MS * Math.random());
  }
}

/** A read of the feed by the account's first key. */
async function claimOf(accountId: string): Promise<Claim> {
  const keys = await gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
  return { keyId: keys[0]?.key_id, accountId, operation: "data", feedId: feed.feedId, limit: 10 };
}

describe("lost answers", () => {
  test("with backends killed under load, the log holds the reads answered with 200 and no other", async () => {
    const bases = [gateway.gateway, gateway.gateway, peer];
    await loadWhile(bases, () =>
      untilFaults(async () => {
        const killed = await gateway.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and query ~ '(admit|grant_read)\\(' and state = 'active'`;
        return killed.length;
      }),
    );
  });

  test("with connections cut after the commit, the log holds the reads answered with 200 and no other", async () => {
    const { refunded } = await loadWhile([linked, linked, peer], () =>
      untilFaults(async () => {
        const { cuts } = link;
        link.cutNextAnswer();
        await Bun.sleep(KILLED_EVERY_MS);
        return link.cuts - cuts;
      }),
    );
    link.heal();
    // The fault that the test is about did happen.
    expect(refunded).toBeGreaterThan(0);
  });

  test("a batch that was committed before the database's clock leapt is refunded by the gateway's", async () => {
    const { database } = gateway.gateway.services;
    const { accountId } = await agent(10);
    const batchToken = newBatchToken();
    await database.row("admit", admitParameters([await claimOf(accountId)], batchToken));
    // As if it had been decided ten minutes ago: the first 48 bits are milliseconds.
    const sentAtMs = Date.now() - 600_000;
    await gateway.sql`
      update usage_events
      set usage_id = (lpad(to_hex(${String(sentAtMs)}::bigint), 12, '0') || right(replace(usage_id::text, '-', ''), 20))::uuid
      where account_id = ${accountId}`;
    const lose = async (sentAt: string) =>
      (await database.row("refund_reads", [batchToken, [accountId], [], [], 0n, sentAt, null]))
        ?.refunded;
    expect(await lose(sentNow())).toBe(0);
    expect(await lose(new Date(sentAtMs).toISOString())).toBe(1);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("a lost batch that has not begun yet is refused", async () => {
    const { database } = gateway.gateway.services;
    const { accountId, key } = await agent(10);
    const claim = { ...(await claimOf(accountId)), idempotency: { key: "k", queryHash: "h" } };
    const [early, late] = [newBatchToken(), newBatchToken()];
    const admit = (batchToken: string) =>
      database.row("admit", admitParameters([claim], batchToken));
    const lose = async (batchToken: string) =>
      (
        await database.row("refund_reads", [
          batchToken,
          [accountId],
          [accountId],
          ["k"],
          0n,
          sentNow(),
          null,
        ])
      )?.refunded;

    expect(await lose(early)).toBe(0);
    expect(await admit(early)).toBeUndefined();
    expect((await admit(late))?.outcomes).toBe("granted");
    expect(await lose(late)).toBe(1);
    expect(await lose(late)).toBe(0);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
    expect((await read(gateway.baseUrl, key)).status).toBe(200);
  });

  test("a refund that can't be made now is made later", async () => {
    const { admission } = gateway.gateway.services;
    const { accountId } = await agent(10);
    const claim = await claimOf(accountId);
    const grant = await admission.admit(claim);
    expect(grant.kind).toBe("granted");
    await gateway.sql`alter table usage_events rename to away`;
    await admission.refund(claim, grant as Grant);
    await gateway.sql`alter table away rename to usage_events`;
    await admission.idle();
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("a lost batch that is still being committed is waited for, and refunded", async () => {
    const { database } = gateway.gateway.services;
    const { accountId } = await agent(10);
    const claim = await claimOf(accountId);
    const token = newBatchToken();
    const flying = await gateway.sql.reserve();
    await flying`begin`;
    await flying`
      select from admit(
        ${arrayLiteral([accountId])}::uuid[], '{1}', '{1}', ${arrayLiteral([claim.keyId])}::uuid[], '{data}',
        ${arrayLiteral([feed.feedId])}::uuid[], '{null}', '{10}', '{10}', '{null}', '{null}', 60000000, 1000000, ${token}
      )`;
    const losing = database.row("refund_reads", [token, [accountId], [], [], 0n, sentNow(), null]);
    await Bun.sleep(100);
    await flying`commit`;
    flying.release();
    expect((await losing)?.refunded).toBe(1);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("a usage event under an idempotency key is refunded once every batch that carries it is lost", async () => {
    const { database } = gateway.gateway.services;
    const { accountId } = await agent(10);
    await gateway.createKey(accountId, "read");
    const keys = await gateway.sql`select key_id from api_keys where account_id = ${accountId}`;
    const batch = async (key: string) => {
      const batchToken = newBatchToken();
      const claim: Claim = {
        keyId: keys[0]?.key_id,
        accountId,
        operation: "data",
        feedId: feed.feedId,
        limit: 100,
        idempotency: { key, queryHash: "h" },
      };
      const row = await database.row("admit", admitParameters([claim], batchToken));
      return { batchToken, outcome: row?.outcomes };
    };
    const lose = async (batchToken: string, key: string) =>
      (
        await database.row("refund_reads", [
          batchToken,
          [accountId],
          [accountId],
          [key],
          0n,
          sentNow(),
          null,
        ])
      )?.refunded;

    const [first, again] = [await batch("answered"), await batch("answered")];
    expect([first.outcome, again.outcome]).toEqual(["granted", "replayed"]);
    expect(await lose(first.batchToken, "answered")).toBe(0);

    const [lost, lostAgain] = [await batch("lost"), await batch("lost")];
    expect(await lose(lost.batchToken, "lost")).toBe(0);
    expect(await lose(lostAgain.batchToken, "lost")).toBe(1);
    expect((await batch("lost")).outcome).toBe("granted");
    const book = await bookOf(accountId);
    expect(book.usageIds.size).toBe(2);
    expect(book).toMatchObject({ difference: 0, refunded: 1 });
  });
});
