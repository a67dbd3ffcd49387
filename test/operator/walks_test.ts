/**
 * Lists by cursor, walked while their rows change: what was there all the time comes once, whatever else happens.
 *
 * @module
 */
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyActor, shellActor } from "../../src/accounts/actor.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import {
  createAccount,
  editAccount,
  listAccounts,
  suspendAccount,
} from "../../src/operator/accounts.ts";
import { listAuditEvents } from "../../src/operator/audit.ts";
import { listGrants, listRequestsForAccess } from "../../src/operator/feed_access.ts";
import { deleteFeed, listFeeds, publishFeeds } from "../../src/operator/feeds.ts";
import { createKey, listKeys, revokeKey } from "../../src/operator/keys.ts";
import type { Page } from "../../src/operator/keyset_page.ts";
import { listPayouts, recordPayout, undoPayout } from "../../src/operator/payouts.ts";
import { createPromotion, listPromotions, redeemPromotion } from "../../src/operator/promotions.ts";
import { listPurchases, recordPurchase, undoPurchase } from "../../src/operator/purchases.ts";
import { reportErrors, reportRevenue, reportStale } from "../../src/operator/reports.ts";
import { listUsage, refundUsage } from "../../src/operator/usage.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { createProvider, createReader } from "../support/earning_scene.ts";
import { startTestGateway } from "../support/gateway.ts";
import { histories } from "../support/histories.ts";
import { countSales } from "../support/run_job.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const RUNS = histories(4);
const FEEDS = 6;
/** More than all runs spend: a one-time feed costs up to 6 million. */
const CREDITS = 10_000_000_000;
const CHANGES_MAX = 4;
const PAGES_MAX = 5_000;
const ACTOR = shellActor("test");

const gateway = await startTestGateway({
  FEEDGATE_READ_LIMIT_FREE: "100000",
  FEEDGATE_READ_LIMIT_PAID: "100000",
});
afterAll(() => gateway.stop());
const { sql } = gateway;
const operator = { database: createDatabase(sql), limits: LIMITS_DEFAULT };
const provider = await createProvider(gateway);
const readers = [await createReader(gateway, CREDITS), await createReader(gateway, CREDITS)];
const metered: SeededFeed[] = [];
const sold: SeededFeed[] = [];
for (let count = 0; count < FEEDS; count++) {
  metered.push(await provider.feed({ callPriceNanos: 1_000 * (count + 1) }));
  sold.push(await provider.feed({ oneTimePriceCents: 100 * (count + 1) }));
}
const accountOf = (place: number) => readers[place % readers.length]?.accountId ?? "";
let made = 0;
const fresh = () => `made-${++made}`;
const codes: string[] = [];
const keyIds: string[] = [];

/** A change of rows; `place` chooses which. What is refused, since it was done before, changes nothing. */
type Change = (place: number) => Promise<unknown>;
const pick = <Item>(items: readonly Item[], place: number) => items[place % items.length] as Item;

const CHANGES = {
  account: () => createAccount(operator, { name: fresh() }, ACTOR),
  rename: (place) => editAccount(operator, { account_id: accountOf(place), name: fresh() }, ACTOR),
  suspend: async () => {
    const { id } = await createAccount(operator, { name: fresh() }, ACTOR);
    await suspendAccount(operator, { account_id: id, reason: "r" }, ACTOR);
  },
  key: async (place) => {
    const key = { account_id: accountOf(place), permission: "read" } as const;
    keyIds.push((await createKey(operator, key, ACTOR)).id);
  },
  revoke: (place) => revokeKey(operator, { key_id: pick(keyIds, place) }, ACTOR),
  promotion: async (place) => {
    // Before and behind the others.
    const code = `${place % 2 === 0 ? "A" : "Z"}-${fresh()}`;
    await createPromotion(operator, { code, credits: 1_000n }, ACTOR);
    codes.push(code);
  },
  redeem: (place) =>
    redeemPromotion(operator, { code: pick(codes, place), account_id: accountOf(place) }, ACTOR),
  purchase: (place) =>
    recordPurchase(
      operator,
      { account_id: accountOf(place), feed_id: pick(sold, place >> 1).feedId },
      ACTOR,
    ),
  undo: (place) =>
    undoPurchase(
      operator,
      { account_id: accountOf(place), feed_id: pick(sold, place >> 1).feedId, reason: "r" },
      ACTOR,
    ),
  buy: async (place) => {
    const { slug } = pick(sold, place >> 1);
    const body = { max_credits: 1_000_000_000 };
    await gateway.send("POST", `/v1/feed/${slug}/purchase`, pick(readers, place).key, body);
  },
  read: (place) => pick(readers, place).read(pick(metered, place >> 1)),
  refund: async (place) => {
    const [event] = await sql`
      select usage_id from usage_events
      where charge_nanos > 0 and not refunded and operation = 'data'
      order by usage_id desc offset ${place % 5} limit 1`;
    await refundUsage(operator, { usage_id: String(event?.usage_id), reason: "r" }, ACTOR);
  },
  count: () => countSales(sql),
  payout: (place) =>
    recordPayout(
      operator,
      { account_id: accountOf(place), usd: 1_000n, reference: fresh(), allow_above: true },
      ACTOR,
    ),
  "undo payout": async (place) => {
    const { entries } = await listPayouts(operator, {});
    const wrong = entries.find(({ undone_by_payout_id: by }) => by === null);
    const asked = { payout_id: String(wrong?.payout_id ?? place), reason: "r" };
    await undoPayout(operator, asked, ACTOR);
  },
  grant: (place) =>
    operator.database.row("grant_access", {
      feed_id: pick(metered, place >> 1).feedId,
      account_id: accountOf(place),
      is_free: place % 3 === 0,
      expires_at: null,
      note: null,
      actor: ACTOR,
    }),
  "end grant": (place) =>
    operator.database.row("end_access", {
      feed_id: pick(metered, place >> 1).feedId,
      account_id: accountOf(place),
      actor: ACTOR,
    }),
  ask: (place) => sql`
    insert into access_requests (account_id, feed_id, status, answered_at)
    values (${accountOf(place)}, ${pick(metered, place >> 1).feedId}, 'declined', now())`,
  feed: () => seedFeed(gateway, provider.accountId, { type: "stream", rows: [] }),
  publish: (place) =>
    publishFeeds(operator, { feed_ids: [pick(metered, place).feedId] }, keyActor("x", "api")),
  delete: async () => {
    const { feedId } = await seedFeed(gateway, provider.accountId, { type: "stream", rows: [] });
    await deleteFeed(operator, { feed_id: feedId }, ACTOR);
  },
  refusal: (place) =>
    operator.database.row("record_push", {
      feed_id: pick(metered, place).feedId,
      code: pick(["VALIDATION_FAILED", "PAYLOAD_TOO_LARGE"], place >> 3),
      detail: "test",
      rows_received: 1,
      body_bytes: 1n,
      duration_ms: 1,
      batch_id: null,
      times: 1,
    }),
  push: (place) => sql`
    update feeds set last_sync_at = now() where feed_id = ${pick(metered, place).feedId}`,
  interval: (place) => sql`
    update feeds set sync_interval_mins = ${1 + place * 5}
    where feed_id = ${pick(metered, place).feedId}`,
} satisfies Record<string, Change>;
type ChangeName = keyof typeof CHANGES;

// Half of them are late.
await sql`
  update feeds set last_sync_at = now() - length(feed_id::text) * interval '1 minute' * one_time_price_cents
  where one_time_price_cents is not null`;
await CHANGES.key(0);
await CHANGES.promotion(0);

interface List<Entry> {
  read(place: { limit?: number; cursor?: string }): Promise<Page<Entry>>;
  /** By which an entry is known. */
  identityOf(entry: Entry): string;
  /** What may not change during a walk. */
  steadyOf?(entry: Entry): unknown;
  readonly changes: readonly ChangeName[];
}

/** Each as its entries' type has it, which nobody else needs. */
function list<Entry>(of: List<Entry>): List<unknown> {
  return of as List<unknown>;
}

const LISTS: Readonly<Record<string, List<unknown>>> = {
  accounts: list({
    read: (place) => listAccounts(operator, place),
    identityOf: ({ id }) => id,
    changes: ["account", "rename", "suspend"],
  }),
  keys: list({
    read: (place) => listKeys(operator, { account_id: accountOf(0), ...place }),
    identityOf: ({ id }) => id,
    changes: ["key", "revoke"],
  }),
  promotions: list({
    read: (place) => listPromotions(operator, place),
    identityOf: ({ code }) => code,
    changes: ["promotion", "redeem"],
  }),
  purchases: list({
    read: (place) => listPurchases(operator, place),
    identityOf: ({ purchase_id: id }) => id,
    changes: ["purchase", "undo", "buy"],
  }),
  usage: list({
    read: (place) => listUsage(operator, { account_id: accountOf(0), ...place }),
    identityOf: ({ usage_id: id }) => id,
    changes: ["read", "refund"],
  }),
  payouts: list({
    read: (place) => listPayouts(operator, place),
    identityOf: ({ payout_id: id }) => String(id),
    changes: ["payout", "undo payout"],
  }),
  grants: list({
    read: (place) => listGrants(operator, place),
    identityOf: ({ account_id, feed_id, granted_at }) => `${account_id} ${feed_id} ${granted_at}`,
    changes: ["grant", "end grant"],
  }),
  "requests for access": list({
    read: (place) => listRequestsForAccess(operator, place),
    identityOf: ({ request_id: id }) => id,
    changes: ["ask", "grant"],
  }),
  feeds: list({
    read: (place) => listFeeds(operator, place),
    identityOf: ({ feed_id: id }) => id,
    changes: ["feed", "publish", "delete", "push"],
  }),
  "waiting or unlisted feeds": list({
    read: (place) => listFeeds(operator, { is_unlisted: true, ...place }),
    identityOf: ({ feed_id: id }) => id,
    changes: ["feed", "publish", "delete"],
  }),
  audit: list({
    read: (place) => listAuditEvents(operator, { account_id: accountOf(0), ...place }),
    identityOf: ({ event_id: id }) => String(id),
    changes: ["account", "rename", "key", "payout"],
  }),
  "late feeds": list({
    read: (place) => reportStale(operator, place),
    identityOf: ({ feed_id: id }) => id,
    changes: ["push", "interval", "feed"],
  }),
  errors: list({
    read: (place) => reportErrors(operator, place),
    identityOf: ({ feed_id: id, code }) => `${id} ${code}`,
    steadyOf: ({ pushes, last_push_id: id }) => [pushes, id],
    changes: ["refusal"],
  }),
  revenue: list({
    read: (place) => reportRevenue(operator, place),
    identityOf: ({ feed_id: id }) => id,
    steadyOf: ({ reads, purchases, gross_usd }) => [reads, purchases, gross_usd],
    changes: ["read", "refund", "purchase", "undo", "buy", "count"],
  }),
};

type Planned = readonly (readonly [change: number, place: number])[];

async function change(names: readonly ChangeName[], planned: Planned): Promise<void> {
  for (const [which, place] of planned) {
    await CHANGES[pick(names, which)](place).catch((error: Error) => {
      if (error.name !== "Refused") throw error;
    });
  }
}

async function all({ read, identityOf, steadyOf = () => null }: List<unknown>) {
  const found = new Map<string, unknown>();
  let cursor: string | null = null;
  do {
    const page: Page<unknown> = await read({ limit: 1_000, ...(cursor !== null && { cursor }) });
    for (const entry of page.entries) found.set(identityOf(entry), steadyOf(entry));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

const planned = fc.array(fc.tuple(fc.nat({ max: 100 }), fc.nat({ max: 100 })), {
  maxLength: CHANGES_MAX,
});

describe("a list that is walked while its rows change", () => {
  for (const [name, list] of Object.entries(LISTS)) {
    const { read, identityOf, steadyOf = () => null, changes } = list;
    test(`loses and repeats none of its ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 3 }),
          fc.array(planned, { minLength: 1, maxLength: 8 }),
          async (limit, plans) => {
            await change(changes, plans[0] ?? []);
            const before = await all(list);
            const walked = new Map<string, unknown>();
            let cursor: string | undefined;
            for (let pages = 0; ; pages++) {
              expect(pages).toBeLessThan(PAGES_MAX);
              const page = await read({ limit, ...(cursor !== undefined && { cursor }) });
              for (const entry of page.entries) {
                const identity = identityOf(entry);
                expect([identity, walked.has(identity)]).toEqual([identity, false]);
                walked.set(identity, steadyOf(entry));
              }
              if (page.nextCursor === null) break;
              cursor = page.nextCursor;
              await change(changes, plans[pages] ?? []);
            }
            const after = await all(list);
            const stayed = [...before.keys()].filter((identity) => after.has(identity));
            expect(stayed.filter((identity) => !walked.has(identity))).toEqual([]);
            for (const [identity, value] of before) {
              if (walked.has(identity)) expect(walked.get(identity)).toEqual(value);
            }
          },
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
    });
  }
});
