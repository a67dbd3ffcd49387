import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newBatchToken, versionOf } from "../../src/admission/log_batch.ts";
import { IDLE_SECONDS_MAX, WINDOW_US } from "../../src/limits.ts";
import type { Parameters } from "../../src/postgres/client/database.ts";
import type { Gateway } from "../../src/server.ts";
import { type FaultyLink, startFaultyLink } from "../support/faulty_link.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const PRICE_NANOS = 1_500;
/** How often the fault has to happen under load, and for how long it is waited for. */
const FAULTS = 20;
const LOAD_MS_MAX = 200_000;
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

/** Bun closes a silent connection after IDLE_SECONDS_MAX, which it counts in steps of four seconds. */
const SILENCE_MS_MIN = (IDLE_SECONDS_MAX - 4) * 1_000;

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
      const sentMs = performance.now();
      const { status, usageId } = await read(baseUrl, key, headers).catch((error) => {
        // On a busy machine, an answer may take so long that its connection is closed for its silence: a lost answer.
        if (performance.now() - sentMs < SILENCE_MS_MIN) throw error;
        return { status: 503, usageId: undefined };
      });
      statuses.add(status);
      if (usageId !== undefined) answered.get(accountId)?.add(usageId);
      if (status === 503) await Bun.sleep(5);
    }
  });
  try {
    await disturb();
  } finally {
    isOver = true;
    await Promise.all(load);
  }
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

/** A batch of one read of the feed, by the account as it is now. */
async function batchOf(
  accountId: string,
  batchToken: string,
  { key }: { readonly key?: string } = {},
): Promise<Parameters<"log_reads">> {
  const [account] = await gateway.sql`
    select version, generation, logged_us from accounts where account_id = ${accountId}`;
  return {
    batch_token: batchToken,
    new_version: BigInt(versionOf(batchToken)),
    clock_us: 0n,
    window_us: WINDOW_US,
    account_ids: [accountId],
    known_versions: [account?.version],
    known_generations: [account?.generation],
    known_us: [account?.logged_us],
    amounts: [BigInt(PRICE_NANOS)],
    account_numbers: [1],
    operations: ["data"],
    feed_ids: [feed.feedId],
    definition_versions: [1n],
    data_versions: [null],
    charges: [BigInt(PRICE_NANOS)],
    key_ids: [null],
    key_ends: [null],
    remembered_reads: key === undefined ? [] : [1],
    idempotency_keys: key === undefined ? [] : [key],
    query_hashes: key === undefined ? [] : ["hash"],
    answered_versions: key === undefined ? [] : [0n],
    beginnings: key === undefined ? [] : [null],
    budget_accounts: [],
    budget_keys: [],
    budget_amounts: [],
  };
}

function send(batch: Parameters<"log_reads">) {
  return gateway.gateway.services.database.row("log_reads", batch);
}

/** How many reads of a batch that is given up as lost were refunded. */
async function lose(
  accountId: string,
  batchToken: string,
  sentAt = sentNow(),
  onlyUsage: string | null = null,
) {
  const { database } = gateway.gateway.services;
  const row = await database.row("refund_reads", {
    batch_token: batchToken,
    account_ids: [accountId],
    elapsed_ms: 0n,
    sent_at: sentAt,
    only_usage: onlyUsage,
  });
  return row?.refunded;
}

describe("lost answers", () => {
  test("with backends killed under load, the log holds the reads answered with 200 and no other", async () => {
    const bases = [gateway.gateway, gateway.gateway, peer];
    await loadWhile(bases, () =>
      untilFaults(async () => {
        const killed = await gateway.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()
            and query ~ 'log_reads\\(' and state = 'active'`;
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
    const { accountId } = await agent(10);
    const batchToken = newBatchToken();
    await send(await batchOf(accountId, batchToken));
    // As if it had been decided ten minutes ago: the first 48 bits are milliseconds.
    const sentAtMs = Date.now() - 600_000;
    await gateway.sql`
      update usage_events
      set usage_id = (lpad(to_hex(${String(sentAtMs)}::bigint), 12, '0') || right(replace(usage_id::text, '-', ''), 20))::uuid
      where account_id = ${accountId}`;
    expect(await lose(accountId, batchToken)).toBe(0);
    expect(await lose(accountId, batchToken, new Date(sentAtMs).toISOString())).toBe(1);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("a lost batch that has not begun yet writes nothing when it begins", async () => {
    const { accountId, key } = await agent(10);
    const [early, late] = [newBatchToken(), newBatchToken()];
    const batch = await batchOf(accountId, early, { key: "k" });
    expect(await lose(accountId, early)).toBe(0);
    expect(await send(batch)).toMatchObject({ verdicts: "c", balances: "" });
    expect((await send(await batchOf(accountId, late, { key: "k" })))?.balances).toBe("8500");
    expect(await lose(accountId, late)).toBe(1);
    expect(await lose(accountId, late)).toBe(0);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
    expect((await read(gateway.baseUrl, key)).status).toBe(200);
  });

  test("of a batch, one read is refunded alone", async () => {
    const { accountId, key } = await agent(10);
    const [first, second] = [await read(gateway.baseUrl, key), await read(gateway.baseUrl, key)];
    const [failed, good] = [first.usageId ?? "", second.usageId ?? ""];
    const token = failed.slice(-12);
    // As if both had been logged at once: a batch's events differ by their beginning.
    const [moved] = await gateway.sql<[{ usage_id: string }]>`
      update usage_events set usage_id = (left(usage_id::text, 24) || ${token})::uuid
      where usage_id = ${good} returning usage_id`;
    expect(await lose(accountId, token, sentNow(), failed)).toBe(1);
    const kept = new Set([moved.usage_id]);
    expect(await bookOf(accountId)).toEqual({ usageIds: kept, difference: 0, refunded: 1 });
  });

  test("a refund that can't be made now is made later", async () => {
    const { admission, keys } = gateway.gateway.services;
    const { accountId, key } = await agent(10);
    const { usageId = "" } = await read(gateway.baseUrl, key);
    const call = callWith(key);
    const { caller } = await keys.authenticate(call, "read");
    await gateway.sql`alter table usage_events rename to away`;
    await admission.refund(caller, {
      kind: "granted",
      receipt: { usageId, timestamp: sentNow(), chargeNanos: BigInt(PRICE_NANOS) },
      window: { limit: 1, remaining: 0, resetSeconds: 0 },
      isReplay: false,
    });
    await gateway.sql`alter table away rename to usage_events`;
    await admission.idle();
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("a lost batch that is still being committed is waited for, and refunded", async () => {
    const { accountId } = await agent(10);
    const batchToken = newBatchToken();
    const holder = await gateway.sql.reserve();
    await holder`begin`;
    await holder`select from accounts where account_id = ${accountId} for no key update`;
    const sending = send(await batchOf(accountId, batchToken));
    while ((await countWaiting()) < 1) await Bun.sleep(5);
    const losing = lose(accountId, batchToken);
    while ((await countWaiting()) < 2) await Bun.sleep(5);
    await holder`commit`;
    holder.release();
    expect((await sending)?.balances).toBe("8500");
    expect(await losing).toBe(1);
    expect(await bookOf(accountId)).toEqual({ usageIds: new Set(), difference: 0, refunded: 1 });
  });

  test("an event under an Idempotency-Key is not refunded once a replay was answered with it", async () => {
    const { accountId, key } = await agent(10);
    const [lost, answered] = [newBatchToken(), newBatchToken()];
    const first = await read(gateway.baseUrl, key, { "Idempotency-Key": "answered" });
    const again = await read(gateway.baseUrl, key, { "Idempotency-Key": "answered" });
    expect(again.usageId).toBe(first.usageId as string);
    expect(await lose(accountId, (first.usageId as string).slice(-12))).toBe(0);
    await send(await batchOf(accountId, lost, { key: "lost" }));
    expect(await lose(accountId, lost)).toBe(1);
    expect((await send(await batchOf(accountId, answered, { key: "lost" })))?.balances).toBe(
      "7000",
    );
    expect(await bookOf(accountId)).toMatchObject({ difference: 0, refunded: 1 });
  });
});

async function countWaiting(): Promise<number> {
  const waiting = await gateway.sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
      and query ~ '(log_reads|refund_reads)\\('`;
  return waiting.length;
}

function callWith(key: string) {
  return {
    request: new Request(`${gateway.baseUrl}/v1/account`, { headers: { "x-api-key": key } }),
    requestId: "test",
    search: "",
    isHead: false,
    subject: {},
  };
}
