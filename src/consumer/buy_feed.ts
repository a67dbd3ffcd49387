/**
 * Buys a one-time feed from the balance. Beyond 13.
 *
 * A purchase is admitted as a read is: `find → prove → reserve → log`. The statement that charges it opens the feed in
 * the same commit. Whether the feed is bought already is proven first. Every purchase renews the account's version, so
 * the statement writes nothing if another gateway was faster, and the proof begins anew.
 *
 * A purchase that was logged stands, even if its answer is lost. A client that asks again gets the same one.
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

/** What is to be bought. */
export interface Order {
  /** The feed's id or slug. */
  readonly reference: string;
  /** The most that it may cost. */
  readonly priceNanosMax: bigint;
}

/** A feed that was found, and the claim to it. */
interface Offer {
  readonly claim: Claim;
  readonly feed: Feed;
}

type Buying = Attempt<Offer>;

/** A purchase as its buyer sees it, now or later. */
interface Bought {
  readonly purchaseId: string;
  readonly feedId: string;
  readonly accountId: string;
  readonly priceNanos: bigint;
  readonly balanceNanos: bigint;
  readonly receipt: Omit<Receipt, "usageId"> & { readonly usageId: string | null };
}

/** Calls of buyers are counted before, with those that buy nothing. */
const LIMITS = { free: HOUSEKEEPING_LIMIT, paid: HOUSEKEEPING_LIMIT };

/** Charges the purchase and logs it, or answers with the one that was made before. */
export type BuyFeed = ReturnType<typeof createBuying>;

export function createBuying(services: Services, { attempts }: ReadPipeline) {
  const { admission, database, feeds } = services;
  /** Each purchase renews the account's version, so those of one account that run at once would outrun each other. */
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
    // The purchase under this key was undone. A late repeat must not buy the feed again.
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

  /** What the account has bought before; undefined: it was undone since. */
  async function findBought({ principal, resource }: Buying): Promise<Answer | undefined> {
    const { accountId } = principal;
    const { feedId } = resource.feed;
    const row = await database
      .onBehalfOf(accountId)
      .row("find_purchase", { account_id: accountId, feed_id: feedId });
    return row && answerOf(200, boughtOf(row, { accountId, feedId }));
  }

  return (readCall: ReadCall, order: Order): Promise<Answer | Problem> =>
    // The turn begins before key and account are looked up, or they would be out of date when it is there.
    turns.run(readCall.principal.accountId, () =>
      attempts.run(
        readCall,
        (isFresh) => find(readCall, order, isFresh),
        (buying) => attempts.inTurn(buying, () => buy(buying)),
      ),
    );
}

/** An Idempotency-Key is bound to the feed that it buys, and to nothing that reads it. */
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
