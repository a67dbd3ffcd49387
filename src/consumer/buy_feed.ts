/**
 * Buys a one-time feed from an account's balance.
 *
 * A purchase is admitted like a read: `find → prove → reserve → log`. The statement that charges for it also grants
 * access, in the same transaction. The proof first establishes whether the feed has already been bought. Every purchase
 * renews the account's version, so if another gateway was faster, the statement writes nothing and the proof is
 * repeated.
 *
 * A purchase that was logged is final even if its response is lost. A client that repeats the call gets the same
 * purchase. See `src/spec/beyond.md`, section 13.
 *
 * @module
 */

import type { Claim, Receipt } from "../admission/claims.ts";
import { feedNotSynced } from "../api/problems/call_refusals.ts";
import type { Feed } from "../feeds/find.ts";
import { type Answer, privateJson } from "../http/answer.ts";
import { weakTag } from "../http/etag.ts";
import { Problem } from "../http/problem_details.ts";
import { KeyedMutex } from "../lib/mutex.ts";
import { HOUSEKEEPING_LIMIT } from "../limits.ts";
import { amountOf, creditsNumber } from "../money/money.ts";
import { NANOS_PER_CENT } from "../money/money_units.ts";
import type { Row } from "../postgres/client/database.ts";
import {
  type Attempt,
  isNewest,
  type ReadCall,
  STALE,
  type Stale,
} from "../read/pipeline/attempts.ts";
import { findFeed, problemOfNoFeed } from "../read/pipeline/find_feed.ts";
import type { ReadPipeline } from "../read/pipeline/pipeline.ts";
import type { Services } from "../services.ts";

/** A request to buy a feed. */
export interface Order {
  /** The feed's id or slug. */
  readonly reference: string;
  /** Maximum price, in nano-dollars. */
  readonly priceNanosMax: bigint;
}

/** The feed, and the claim to admit. */
interface Offer {
  readonly claim: Claim;
  readonly feed: Feed;
}

type Buying = Attempt<Offer>;

/** A purchase as its buyer sees it, both when it is made and when it is repeated. */
interface Bought {
  readonly purchaseId: string;
  readonly feedId: string;
  readonly accountId: string;
  readonly priceNanos: bigint;
  readonly balanceNanos: bigint;
  readonly receipt: Omit<Receipt, "usageId"> & { readonly usageId: string | null };
}

/** Purchase calls are already counted with other housekeeping calls, including those that buy nothing. */
const LIMITS = { free: HOUSEKEEPING_LIMIT, paid: HOUSEKEEPING_LIMIT };

/** Charges and logs the purchase, or returns the earlier one. */
export type BuyFeed = ReturnType<typeof createBuying>;

export function createBuying(services: Services, { attempts }: ReadPipeline) {
  const { admission, database, feeds } = services;
  /** One purchase at a time per account. Concurrent ones would invalidate each other's version of the account. */
  const turns = new KeyedMutex();

  async function find(
    { call, principal }: ReadCall,
    { reference, priceNanosMax }: Order,
    isFresh: boolean,
  ): Promise<Offer> {
    const wanted = { seeker: principal.caller.account, reference, isFresh };
    const feed = await findFeed(feeds, wanted);
    if (feed === undefined) throw await problemOfNoFeed(feeds, wanted);
    call.subject.feedId = feed.feedId;
    if (!feed.hasData) throw feedNotSynced();
    const key = call.request.headers.get("idempotency-key");
    const idempotency = key === null ? {} : { idempotency: { key, queryHash: hashOf(feed) } };
    return {
      feed,
      claim: { operation: "purchase", feed, limits: LIMITS, priceNanosMax, ...idempotency },
    };
  }

  async function buy(buying: Buying): Promise<Answer | Problem | Stale> {
    const { call, principal, resource } = buying;
    const { claim, feed } = resource;
    const { caller } = principal;
    const { newsCount } = caller.account;
    const proof = await attempts.prove(buying);
    if (proof.kind !== "proof") return attempts.refuse(buying, proof);
    const forbidden = admission.judge(caller, claim, { isWindowed: false, isPriced: false });
    if (forbidden !== undefined) return attempts.refuse(buying, forbidden);
    const { remembered } = proof;
    if (remembered !== undefined && remembered.queryHash !== claim.idempotency?.queryHash) {
      return attempts.refuse(buying, { kind: "key_reused" });
    }
    if (proof.isPurchased) return (await findBought(buying)) ?? STALE;
    // The purchase under this key was undone. A late retry must not buy the feed again.
    if (remembered !== undefined) {
      return attempts.refuse(buying, { kind: "key_stale", usageId: remembered.receipt.usageId });
    }
    if (feed.priceType !== "one_time" || feed.accountId === principal.accountId) {
      return notForSale(feed, principal.accountId);
    }
    const { account } = caller;
    if (claim.idempotency !== undefined && !isNewest(caller, newsCount, proof)) return STALE;
    const reserved = admission.reserve(caller, claim);
    if (reserved.kind !== "reserved") return attempts.refuse(buying, reserved);
    try {
      const logged = await admission.log(reserved, { isGone: () => call.request.signal.aborted });
      if (logged.kind === "data_moved") return STALE;
      if (logged.kind !== "granted") return attempts.refuse(buying, logged);
      const { receipt } = logged;
      call.subject.chargedNanos = receipt.chargeNanos;
      return answerOf(201, {
        purchaseId: receipt.usageId,
        feedId: feed.feedId,
        accountId: account.id,
        priceNanos: receipt.chargeNanos,
        balanceNanos: account.balanceNanos,
        receipt,
      });
    } finally {
      admission.release(reserved);
    }
  }

  /** The earlier purchase of this feed. Undefined if it has been undone since. */
  async function findBought({ principal, resource }: Buying): Promise<Answer | undefined> {
    const { accountId } = principal;
    const { feedId } = resource.feed;
    const row = await database
      .onBehalfOf(accountId)
      .row("find_purchase", { account_id: accountId, feed_id: feedId });
    return row && answerOf(200, boughtOf(row, { accountId, feedId }));
  }

  return (readCall: ReadCall, order: Order): Promise<Answer | Problem> =>
    // Wait for the turn before looking up key and account. Otherwise both could be stale by then.
    turns.run(readCall.principal.accountId, () =>
      attempts.run(
        readCall,
        (isFresh) => find(readCall, order, isFresh),
        (buying) => attempts.inTurn(buying, () => buy(buying)),
      ),
    );
}

/** Binds an Idempotency-Key to the purchase of this feed. It matches no read. */
function hashOf({ feedId }: Feed): string {
  return weakTag(`purchase ${feedId}`);
}

function boughtOf(
  row: Row<"find_purchase">,
  of: { readonly accountId: string; readonly feedId: string },
): Bought {
  const { purchase_id: purchaseId, entry_id: entryId, purchased_at: timestamp } = row;
  return {
    ...of,
    purchaseId,
    priceNanos: row.price_cents * NANOS_PER_CENT,
    balanceNanos: row.balance_nanos,
    receipt: { usageId: entryId === null ? purchaseId : null, timestamp, chargeNanos: 0n },
  };
}

function answerOf(status: 200 | 201, bought: Bought): Answer {
  const { feedId, receipt } = bought;
  return {
    status,
    headers: privateJson(),
    body: JSON.stringify({
      purchase_id: bought.purchaseId,
      feed_id: feedId,
      account_id: bought.accountId,
      purchased_at: receipt.timestamp,
      price: amountOf(bought.priceNanos),
      balance: amountOf(bought.balanceNanos),
      _origin: {
        usage_id: receipt.usageId,
        timestamp: receipt.timestamp,
        feed_id: feedId,
        credits_charged: creditsNumber(receipt.chargeNanos),
      },
    }),
  };
}

/** 409 */
function notForSale({ accountId: ownerId, priceType }: Feed, accountId: string): Problem {
  return new Problem("FEED_NOT_FOR_SALE", {
    detail: (words) =>
      ownerId === accountId
        ? "This feed is the account's own. Read it: it costs you nothing."
        : `This feed is ${priceType === "free" ? "free" : "metered, so each read is charged"}. Read it with ${words.readFeed}.`,
  });
}
