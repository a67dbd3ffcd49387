/**
 * Finds the feed that a caller names, by UUID or by `endpoint_path`.
 *
 * A feed that was found is cached with its `definition_version`. A read that is planned from the cache passes that
 * version to admission, which answers `changed` if the feed has changed since. So the cache saves a round trip and
 * never exposes an old state.
 *
 * @module
 */
import type { FeedAccess, PriceType } from "../admission/claims.ts";
import { nameIn } from "../lib/assert.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import { nearestWords } from "../lib/nearest_words.ts";
import { parseUuid } from "../lib/uuid.ts";
import { KNOWN_FEEDS_MAX, SLUG_LENGTH_MAX, SLUGS_NEAR_MAX } from "../limits.ts";
import { type Database, GATEWAY, type Row } from "../postgres/client/database.ts";

export const FEED_TYPES = ["singleton", "collection", "stream"] as const;
export type FeedType = (typeof FEED_TYPES)[number];
export const FEED_ACCESS: readonly FeedAccess[] = ["open", "by_request", "invited"];
export const FEED_STATUSES = ["draft", "inactive", "active"] as const;
export type FeedStatus = (typeof FEED_STATUSES)[number];
export const PRICE_TYPES: readonly PriceType[] = ["free", "metered", "one_time"];

/** The properties of a feed that a read is planned by. */
export interface Feed {
  readonly feedId: string;
  /** The owner. */
  readonly accountId: string;
  /** Null until the first push decides. */
  readonly feedType: FeedType | null;
  readonly status: FeedStatus;
  /** The schema that pushes must meet, as JSON text. Null if none is locked. */
  readonly lockedSchema: string | null;
  readonly definitionVersion: bigint;
  readonly priceType: PriceType;
  /** Nano-dollars per call. Null if the feed is sold once. */
  readonly callPriceNanos: bigint | null;
  /** USD cents. Null if the feed is not sold once. */
  readonly oneTimePriceCents: bigint | null;
  /** As of the look-up. Admission returns the current one. */
  readonly dataVersion: bigint;
  /** Whether any row was ever stored. */
  readonly hasData: boolean;
  /** Days after which a stream's events are no longer read. Null if they are kept. */
  readonly retentionDays: number | null;
  /** Who may read it. */
  readonly access: FeedAccess;
  /** Why the feed can be neither read nor pushed to. Null if it can. */
  readonly suspensionReason: string | null;
}

/** Who looks for a feed. */
export interface FeedSeeker {
  readonly id: string;
  /** Whether memory knows that it finds this invited feed. The database decides otherwise. */
  mayFind(feedId: string): boolean;
}

/** A caller whose key is not known yet. It can find only feeds that every account can find. */
const ANYBODY: FeedSeeker = { id: GATEWAY, mayFind: () => false };

/**
 * The feeds that a role can see. A feed that was not found is looked up each time, so its answer always takes as long.
 */
export class Feeds {
  readonly #database: Database;
  readonly #isActiveOnly: boolean;
  readonly #known = new BoundedMap<string, Feed>(KNOWN_FEEDS_MAX);
  /** Look-ups in progress that no caller has requested yet. */
  readonly #foreseen = new Map<string, Promise<Feed | undefined>>();

  /** `isActiveOnly` is for readers: a draft or an inactive feed is not found. */
  constructor(database: Database, { isActiveOnly }: { readonly isActiveOnly: boolean }) {
    this.#database = database;
    this.#isActiveOnly = isActiveOnly;
  }

  /** Returns the feed from memory if it is known. */
  find(seeker: FeedSeeker, reference: string): Feed | Promise<Feed | undefined> {
    const known = this.#known.get(reference);
    if (known !== undefined) {
      // For an account that may not find the feed, the answer must take as long as for an unknown feed.
      return isFoundBy(known, seeker) ? known : this.findFresh(seeker, reference);
    }
    return this.#foreseen.get(reference) ?? this.findFresh(seeker, reference);
  }

  /** Starts the look-up for a caller whose key is being looked up, so that both take one round trip. */
  foresee(reference: string): void {
    if (this.#known.get(reference) !== undefined || this.#foreseen.has(reference)) return;
    const forget = () => this.#foreseen.delete(reference);
    const found = this.findFresh(ANYBODY, reference);
    this.#foreseen.set(reference, found);
    // A failure reaches the callers that share the promise.
    found.then(forget, forget);
  }

  /** Looks up the feed in the database for the account, and replaces the cached one. */
  async findFresh(seeker: FeedSeeker, reference: string): Promise<Feed | undefined> {
    const row = await this.#database.onBehalfOf(seeker.id).row("find_feed", {
      ...referenceParameters(reference),
      active_only: this.#isActiveOnly,
      reader_id: seeker === ANYBODY ? null : seeker.id,
    });
    if (row === undefined) {
      const known = this.#known.get(reference);
      // If memory already knew that this account can't find it, it stays cached for the accounts that can.
      if (known !== undefined && isFoundBy(known, seeker)) this.forget(reference);
      return undefined;
    }
    const feed = feedOf(row);
    this.#known.set(reference, feed);
    return feed;
  }

  /** The listed slug that a mistyped one was probably meant to be. Undefined for an id. */
  async findNearestSlug(accountId: string, reference: string): Promise<string | undefined> {
    const { endpoint_path: slug } = referenceParameters(reference);
    if (slug === null || slug.length > SLUG_LENGTH_MAX) return undefined;
    const rows = await this.#database
      .onBehalfOf(accountId)
      .rows("list_slugs_near", { endpoint_path: slug.toLowerCase(), slugs_max: SLUGS_NEAR_MAX });
    const slugs = rows.map((row) => row.endpoint_path);
    return nearestWords(slug, slugs)[0];
  }

  /** Makes the next look-up by this reference ask the database. */
  forget(reference: string): void {
    this.#known.delete(reference);
  }
}

/**
 * The account's own feed. Undefined for every other reference, so that unknown feeds and those of other accounts look
 * alike.
 */
export async function findOwned(
  feeds: Feeds,
  accountId: string,
  reference: string,
): Promise<Feed | undefined> {
  const feedId = parseUuid(reference);
  const owner = seekerOf(accountId);
  // By id, because the slug may name another feed by now.
  const feed = await (feedId === undefined
    ? feeds.findFresh(owner, reference)
    : feeds.find(owner, feedId));
  return feed?.accountId === accountId ? feed : undefined;
}

/** An account of which memory knows nothing. */
export function seekerOf(accountId: string): FeedSeeker {
  return { id: accountId, mayFind: () => false };
}

/** Whether memory knows that somebody finds the feed. */
export function isFoundBy(
  { access, accountId, feedId }: Pick<Feed, "access" | "accountId" | "feedId">,
  seeker: FeedSeeker,
): boolean {
  return access !== "invited" || accountId === seeker.id || seeker.mayFind(feedId);
}

interface ReferenceParameters {
  readonly feed_id: string | null;
  readonly endpoint_path: string | null;
}

/** Parameters of the look-ups. One of them is null. */
export function referenceParameters(reference: string): ReferenceParameters {
  const feedId = parseUuid(reference);
  if (feedId !== undefined) return { feed_id: feedId, endpoint_path: null };
  // PostgreSQL refuses a NUL in any text. No slug contains one.
  return { feed_id: null, endpoint_path: reference.replaceAll("\0", "/") };
}

function feedOf(row: Row<"find_feed">): Feed {
  return {
    feedId: row.feed_id,
    accountId: row.account_id,
    feedType: row.feed_type === null ? null : nameIn(FEED_TYPES, row.feed_type),
    status: nameIn(FEED_STATUSES, row.status),
    lockedSchema: row.locked_schema,
    definitionVersion: row.definition_version,
    priceType: nameIn(PRICE_TYPES, row.price_type),
    callPriceNanos: row.call_price_nanos,
    oneTimePriceCents: row.one_time_price_cents,
    dataVersion: row.data_version,
    hasData: row.has_data,
    retentionDays: row.retention_days,
    suspensionReason: row.suspension_reason,
    access: nameIn(FEED_ACCESS, row.access),
  };
}
