/**
 * Random histories of grants, their ends, purchases, prices and access of one feed, with reads of two accounts over two
 * gateways, against a plain model: whoever may not read is refused from the next request on, whoever may is not, and
 * the ledger adds up.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { present } from "../../src/lib/assert.ts";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { histories } from "../support/histories.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const UNLIMITED = "1000000";
const CALL_NANOS = 1_500n;
const SALE_NANOS = 1_000_000_000n;
const CREDITS = 100_000_000;
const NANOS_PER_CREDIT = 1_000n;
const READERS = 2;

const ACCESS = ["open", "by_request", "invited"] as const;
const PRICES = ["free", "metered", "one_time"] as const;

type Step =
  | { readonly kind: "grant"; readonly reader: number; readonly isFree: boolean }
  | { readonly kind: "end" | "buy" | "undo"; readonly reader: number }
  | { readonly kind: "access"; readonly access: (typeof ACCESS)[number] }
  | { readonly kind: "price"; readonly price: (typeof PRICES)[number] }
  | { readonly kind: "read"; readonly reader: number; readonly base: number };

const reader = fc.nat(READERS - 1);
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("grant" as const), reader, isFree: fc.boolean() }),
    fc.record({ kind: fc.constantFrom("end" as const, "buy" as const, "undo" as const), reader }),
    fc.record({ kind: fc.constant("access" as const), access: fc.constantFrom(...ACCESS) }),
    fc.record({ kind: fc.constant("price" as const), price: fc.constantFrom(...PRICES) }),
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("read" as const), reader, base: fc.nat(1) }),
    },
  ),
  { minLength: 5, maxLength: 30 },
);

let gateway: TestGateway;
let bases: string[];
let owner: string;
let writeKey: string;

beforeAll(async () => {
  const environment = {
    FEEDGATE_READ_LIMIT_FREE: UNLIMITED,
    FEEDGATE_READ_LIMIT_PAID: UNLIMITED,
  };
  gateway = await shareTestGateway(environment);
  bases = [gateway.baseUrl, (await gateway.startPeer()).baseUrl];
  owner = await gateway.createAccount();
  writeKey = await gateway.createKey(owner, "write");
});
afterAll(() => gateway.stop());

interface ReaderModel {
  readonly id: string;
  readonly key: string;
  grant: { readonly isFree: boolean } | undefined;
  isPurchased: boolean;
  spentNanos: bigint;
}

interface Model {
  readonly feed: SeededFeed;
  access: (typeof ACCESS)[number];
  price: (typeof PRICES)[number];
  readonly readers: readonly ReaderModel[];
}

/** What a read by the model is answered with, and what it costs. */
function expectedOf({ access, price }: Model, { grant, isPurchased }: ReaderModel) {
  const isOpen = access === "open" || grant !== undefined || isPurchased;
  if (!isOpen) return { status: access === "invited" ? 404 : 403, nanos: 0n };
  if (price === "one_time") {
    const isPaid = isPurchased || grant?.isFree === true;
    return { status: isPaid ? 200 : 402, nanos: 0n };
  }
  const isCharged = price === "metered" && grant?.isFree !== true;
  return { status: 200, nanos: isCharged ? CALL_NANOS : 0n };
}

async function call(method: string, url: string, key: string, body?: unknown): Promise<Response> {
  return fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** By SQL: saves are limited to 120 a minute of an account, which the histories are not about. */
async function edit({ feed }: Model, fields: Record<string, unknown>): Promise<void> {
  await gateway.sql`
    update feeds set ${gateway.sql(fields)}, definition_version = definition_version + 1
    where feed_id = ${feed.feedId}`;
}

const PRICED: Readonly<Record<(typeof PRICES)[number], Record<string, unknown>>> = {
  free: { price_type: "free", call_price_nanos: 0, one_time_price_cents: null },
  metered: {
    price_type: "metered",
    call_price_nanos: Number(CALL_NANOS),
    one_time_price_cents: null,
  },
  one_time: { price_type: "one_time", call_price_nanos: null, one_time_price_cents: 100 },
};

async function take(model: Model, step: Step): Promise<void> {
  const { feed } = model;
  if (step.kind === "access") {
    await edit(model, { access: step.access });
    model.access = step.access;
    return;
  }
  if (step.kind === "price") {
    await edit(model, PRICED[step.price]);
    model.price = step.price;
    return;
  }
  const who = present(model.readers[step.reader]);
  switch (step.kind) {
    case "grant":
      await gateway.sql`
        select grant_access(${feed.feedId}, ${who.id}, ${step.isFree}, null, null, 'test')`;
      who.grant = { isFree: step.isFree };
      return;
    case "end":
      await gateway.sql`
        delete from access_grants where feed_id = ${feed.feedId} and account_id = ${who.id}`;
      who.grant = undefined;
      return;
    case "undo": {
      const [undone] = await gateway.sql`
        select outcome from undo_purchase(${who.id}, ${feed.feedId}, 'test', 'test')`;
      expect(undone?.outcome === "undone").toBe(who.isPurchased);
      if (who.isPurchased) who.spentNanos -= SALE_NANOS;
      who.isPurchased = false;
      return;
    }
    case "buy": {
      const url = `${bases[1]}/v1/feed/${feed.feedId}/purchase`;
      const { status } = await call("POST", url, who.key, { max_credits: 1_000_000 });
      expect([step, status]).toEqual([step, saleOf(model, who)]);
      if (status === 201) {
        who.isPurchased = true;
        who.spentNanos += SALE_NANOS;
      }
      return;
    }
    case "read": {
      const { status, nanos } = expectedOf(model, who);
      const answer = await call("GET", `${bases[step.base]}/v1/feed/${feed.feedId}`, who.key);
      const body = (await answer.json()) as { _origin?: { credits_charged: number } };
      expect([step, model.access, model.price, who.grant, answer.status]).toEqual([
        step,
        model.access,
        model.price,
        who.grant,
        status,
      ]);
      if (status === 200) {
        expect(BigInt(Math.round((body._origin?.credits_charged ?? 0) * 1_000))).toBe(nanos);
        who.spentNanos += nanos;
      }
    }
  }
}

function saleOf({ access, price }: Model, { grant, isPurchased }: ReaderModel): number {
  const isFound = access !== "invited" || grant !== undefined || isPurchased;
  if (!isFound) return 404;
  if (access === "by_request" && grant === undefined && !isPurchased) return 403;
  if (isPurchased) return 200;
  return price === "one_time" ? 201 : 409;
}

test("nobody reads what is closed to it, nobody who may is refused, and the ledger adds up", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
      const feed = await seedFeed(gateway, owner, { type: "stream", rows, isPublic: true });
      const readers = await Promise.all(
        Array.from({ length: READERS }, async (): Promise<ReaderModel> => {
          const id = await gateway.createAccount({ credits: CREDITS });
          const key = await gateway.createKey(id, "read");
          return { id, key, grant: undefined, isPurchased: false, spentNanos: 0n };
        }),
      );
      const model: Model = { feed, access: "open", price: "free", readers };
      for (const step of history) await take(model, step);
      for (const { id, spentNanos } of readers) {
        const [row] = await gateway.sql`
          select
            balance_nanos::text as balance,
            (
              select coalesce(sum(amount_nanos), 0) from credit_ledger where account_id = ${id}
            )::text as entered,
            (
              select coalesce(sum(charge_nanos) filter (where not refunded), 0)
              from usage_events where account_id = ${id}
            )::text as charged
          from accounts where account_id = ${id}`;
        const balance = BigInt(row?.balance);
        expect(balance).toBe(BigInt(CREDITS) * NANOS_PER_CREDIT - spentNanos);
        expect(row?.charged).toBe(String(spentNanos));
      }
    }),
    { numRuns: histories(12) },
  );
});

test("a read that begins after a grant has ended is refused, however many are under way", async () => {
  const rows = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
  const feed = await seedFeed(gateway, owner, { type: "stream", rows });
  const id = await gateway.createAccount();
  const key = await gateway.createKey(id, "read");
  await gateway.sql`update feeds set access = 'invited' where feed_id = ${feed.feedId}`;
  for (let round = 0; round < 5; round++) {
    await gateway.sql`select grant_access(${feed.feedId}, ${id}, false, null, null, 'test')`;
    let isEnded = false;
    let isOver = false;
    const late: number[] = [];
    const early: number[] = [];
    const reading = bases.flatMap((base) =>
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const statuses = isEnded ? late : early;
          statuses.push((await call("GET", `${base}/v1/feed/${feed.feedId}`, key)).status);
        }
      }),
    );
    while (early.length < 16) await Bun.sleep(1);
    await call("DELETE", `${bases[0]}/v1/provider/feed/${feed.feedId}/readers/${id}`, writeKey);
    isEnded = true;
    while (late.length < 16) await Bun.sleep(1);
    isOver = true;
    await Promise.all(reading);
    expect(new Set(early.slice(0, 8))).toEqual(new Set([200]));
    expect(new Set(late)).toEqual(new Set([404]));
  }
});
