/**
 * A simple model of the money that top-ups add and refunds remove, for histories of the ledger.
 *
 * @module
 */
import fc from "fast-check";
import type { Log } from "../../src/lib/log.ts";
import type { Database } from "../../src/postgres/client/database.ts";
import {
  type Book,
  beginTopup,
  expireTopup,
  grantTopup,
  takeBackTopup,
} from "../../src/topups/store_topup.ts";
import type { WayName } from "../../src/topups/way.ts";

/** A top-up as known to its payer and its payment method. */
export interface ModelTopup {
  readonly topupId: string;
  readonly amountNanos: bigint;
  /** The payment's own reference. */
  readonly reference: string;
  isPaid: boolean;
  /** By source: the part of its reports that counts. */
  readonly told: Map<string, { readonly rank: number; readonly totalNanos: bigint }>;
}

export type TopupStep =
  /**
   * With messages about its payment: one or several, each to another gateway. Without any, they are sent later, or
   * never.
   */
  | { does: "top up"; way: WayName; cents: number; messages: number; at: number }
  | { does: "receive"; topup: number; messages: number; at: number }
  | { does: "expire"; topup: number; at: number }
  /** A refund, or a message about a dispute. */
  | { does: "give back"; topup: number; source: string; rank: number; cents: number; at: number };

const NANOS_PER_CENT = 10_000_000n;
const DAY_MS = 24 * 60 * 60_000;
const place = fc.nat(5);
const at = fc.nat(2);

/** The possible steps of top-ups. `cents` is the maximum amount of one. */
export function topupSteps(cents: number): readonly fc.Arbitrary<TopupStep>[] {
  return [
    fc.record({
      does: fc.constant("top up" as const),
      way: fc.constantFrom("card" as const, "x402" as const),
      cents: fc.integer({ min: 50, max: cents }),
      messages: fc.constantFrom(0, 1, 1, 2),
      at,
    }),
    fc.record({
      does: fc.constant("receive" as const),
      topup: place,
      messages: fc.integer({ min: 1, max: 3 }),
      at,
    }),
    fc.record({
      does: fc.constant("give back" as const),
      topup: place,
      source: fc.constantFrom("refunds", "dp_1"),
      rank: fc.constantFrom(0, 1, 2),
      // May exceed the amount that was paid.
      cents: fc.constantFrom(...[0, 0.1, 0.3, 0.5, 1, 2].map((part) => Math.round(part * cents))),
      at,
    }),
    fc.record({ does: fc.constant("expire" as const), topup: place, at }),
  ];
}

interface Place {
  /** One client for each gateway. */
  readonly databases: readonly Database[];
  readonly log: Log;
  /** The account of the next top-up. */
  readonly accountId: string;
}

/** Performs a step and records its outcome. Steps may run concurrently. */
export async function takeTopupStep(
  topups: ModelTopup[],
  step: TopupStep,
  place: Place,
): Promise<void> {
  const book = bookAt(place, step.at);
  if (step.does === "top up") {
    const topup = await begin(book, step, place.accountId);
    if (topup === undefined) return;
    topups.push(topup);
    return await receive(topup, step, place);
  }
  const topup = topups[step.topup % topups.length];
  if (topup === undefined) return;
  switch (step.does) {
    case "receive":
      return await receive(topup, step, place);
    case "expire":
      return await expireTopup(book, topup.topupId);
    case "give back": {
      const { source, rank } = step;
      const totalNanos = BigInt(step.cents) * NANOS_PER_CENT;
      const known = topup.told.get(source);
      const isNews =
        known === undefined ||
        rank > known.rank ||
        (rank === known.rank && totalNanos > known.totalNanos);
      if (isNews) topup.told.set(source, { rank, totalNanos });
      await takeBackTopup(book, topup.topupId, { source, rank, totalNanos });
    }
  }
}

/** Undefined if the maximum number is pending. */
async function begin(
  { database }: Book,
  { way, cents }: TopupStep & { does: "top up" },
  accountId: string,
): Promise<ModelTopup | undefined> {
  const amountNanos = BigInt(cents) * NANOS_PER_CENT;
  const paymentId = crypto.randomUUID();
  const begun = await beginTopup(
    database,
    { accountId, keyId: null, way, amountNanos, lifetimeMs: DAY_MS, paymentId },
    { accountDayNanos: undefined, dayNanos: undefined },
  );
  if (begun.kind === "too_many_waiting") return undefined;
  if (begun.kind !== "begun") throw new Error(begun.kind);
  const { topup_id: topupId } = begun.topup;
  const reference = way === "card" ? `stripe:${paymentId}` : `x402:eip155:1:${paymentId}`;
  return { topupId, amountNanos, reference, isPaid: false, told: new Map() };
}

/** Records that its payment has arrived. */
async function receive(
  topup: ModelTopup,
  { messages, at: first }: { readonly messages: number; readonly at: number },
  place: Place,
): Promise<void> {
  const { topupId, amountNanos: paidNanos, reference } = topup;
  if (messages > 0) topup.isPaid = true;
  const heard = Array.from({ length: messages }, (_, index) =>
    grantTopup(bookAt(place, first + index), topupId, { reference, paidNanos }),
  );
  for (const outcome of await Promise.all(heard)) {
    if (outcome !== "granted" && outcome !== "repeated") throw new Error(outcome);
  }
}

function bookAt({ databases, log }: Place, index: number): Book {
  const database = databases[index % databases.length];
  if (database === undefined) throw new Error("there is no gateway");
  return { database, log };
}

/** The amount that the payer has got back, at most the amount paid. */
export function backOf({ isPaid, amountNanos, told }: ModelTopup): bigint {
  if (!isPaid) return 0n;
  const total = [...told.values()].reduce((sum, { totalNanos }) => sum + totalNanos, 0n);
  return total < amountNanos ? total : amountNanos;
}
