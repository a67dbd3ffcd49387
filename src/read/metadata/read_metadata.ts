/**
 * A feed's metadata as a resource: everything except its rows.
 *
 * Metadata is cached with the version of the feed's row. It is served again only if the statement that logs the read
 * finds the same version.
 *
 * @module
 */

import type { Claim } from "../../admission/claims.ts";
import { feedNotFound } from "../../api/problems/call_refusals.ts";
import { expiryOf } from "../../feeds/event_expiry.ts";
import { metadataMembers } from "../../feeds/feed_text.ts";
import { FEED_ACCESS, isFoundBy, referenceParameters } from "../../feeds/find.ts";
import { readsOfAll } from "../../feeds/read_costs.ts";
import type { Answer } from "../../http/answer.ts";
import { weakTag } from "../../http/etag.ts";
import type { Problem } from "../../http/problem_details.ts";
import { nameIn } from "../../lib/assert.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { KNOWN_METADATA_LENGTH_MAX, KNOWN_METADATA_MAX } from "../../limits.ts";
import { creditsText } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import type { ReadCall } from "../pipeline/attempts.ts";
import { problemOfNoFeed } from "../pipeline/find_feed.ts";
import { type Listing, listingResource } from "../pipeline/listing.ts";
import type { ReadPipeline } from "../pipeline/pipeline.ts";
import type { Resource } from "../pipeline/resource.ts";

/** The last of the body's own members. */
const CREDITS_MEMBER = '"credits_to_read_all":';

/** Metadata as read from the database. */
interface Metadata extends Listing {
  readonly version: bigint;
  /** Until when its times of events are right. */
  readonly expiresMs: number;
  readonly feed: NonNullable<Claim["feed"]>;
  /** What those see whose reads are free, once one of them has asked. */
  free?: Listing;
}

/** Creates reads of metadata, by a feed's id or `endpoint_path`. */
export function createMetadataReads(services: Services, reads: ReadPipeline) {
  const { config, database, feeds } = services;
  const known = new BoundedMap<string, Metadata>(KNOWN_METADATA_MAX);
  const limits = { free: config.limits.discovery, paid: config.limits.discovery };

  async function find(
    { call, principal }: ReadCall,
    reference: string,
    isFresh: boolean,
  ): Promise<Resource> {
    const { accountId } = principal;
    const seeker = principal.caller.account;
    const kept = isFresh ? undefined : known.get(reference);
    const isGood =
      kept !== undefined && isFoundBy(kept.feed, seeker) && kept.expiresMs > Date.now();
    const metadata = isGood ? kept : await read(accountId, reference);
    if (metadata === undefined) {
      throw await problemOfNoFeed(feeds, { seeker, reference, isFresh });
    }
    const { feed } = metadata;
    call.subject.feedId = feed.feedId;
    let newest: Metadata = metadata;
    return listingResource<Metadata>(
      { operation: "metadata", feed, limits },
      {
        async read(version) {
          // By id, because the slug may belong to another feed by now.
          if (version === null) return newest;
          const found = await read(accountId, reference, feed.feedId);
          if (found === undefined) throw feedNotFound();
          newest = found;
          return newest;
        },
        // Admission has proven the grant by now, or that there is none.
        shownOf: (shown) =>
          seeker.grants.get(feed.feedId)?.isFree === true ? freeOf(shown) : shown,
      },
    );
  }

  async function read(
    accountId: string,
    reference: string,
    feedId = reference,
  ): Promise<Metadata | undefined> {
    const row = await database.onBehalfOf(accountId).row("find_feed_row", {
      ...referenceParameters(feedId),
      active_only: true,
      reader_id: accountId,
    });
    if (row === undefined) {
      // Those who find an invited feed go on to do so.
      if (known.get(reference)?.feed.access !== "invited") known.delete(reference);
      return undefined;
    }
    // Looked up after the row. If a push comes in between, the row's version changes, and the read is built again.
    const span =
      row.feed_type === "stream"
        ? await database.onBehalfOf(accountId).row("find_event_span", { feed_id: row.feed_id })
        : undefined;
    const members = [
      metadataMembers(row, config.limits),
      `"oldest_event":${JSON.stringify(span?.oldest_event ?? null)}`,
      `"newest_event":${JSON.stringify(span?.newest_event ?? null)}`,
      `"row_count":${row.row_count}`,
      `"bytes":${row.payload_bytes}`,
      `${CREDITS_MEMBER}${creditsText(costOfAll(row))}`,
    ].join(",");
    const metadata: Metadata = {
      feed: termsOf(row),
      version: row.row_version,
      expiresMs: expiryOf(row.retention_days, span?.oldest_event ?? null),
      members,
      tag: weakTag(members),
    };
    if (members.length <= KNOWN_METADATA_LENGTH_MAX) known.set(reference, metadata);
    else known.delete(reference);
    return metadata;
  }

  return (readCall: ReadCall, reference: string): Promise<Answer | Problem> =>
    reads.answer(readCall, (isFresh, principal) =>
      find({ ...readCall, principal }, reference, isFresh),
    );
}

/** What those see whom the provider lets read the feed for nothing. */
function freeOf(metadata: Metadata): Listing {
  if (metadata.free === undefined) {
    const { members: paid, version } = metadata;
    const members = `${paid.slice(0, paid.lastIndexOf(CREDITS_MEMBER))}${CREDITS_MEMBER}0`;
    metadata.free = { members, tag: weakTag(members), version };
  }
  return metadata.free;
}

/** Nano-dollars for reading every row once, in pages of the maximum size. An empty page is also a read. */
function costOfAll(row: Row<"find_feed_row">): bigint {
  const { row_count, call_price_nanos, one_time_price_cents: cents } = row;
  if (cents !== null) return cents * NANOS_PER_CENT;
  return readsOfAll(row_count) * (call_price_nanos ?? 0n);
}

/** Metadata is free, so the price is omitted. */
function termsOf(row: Row<"find_feed_row">): NonNullable<Claim["feed"]> {
  return {
    feedId: row.feed_id,
    accountId: row.account_id,
    access: nameIn(FEED_ACCESS, row.access),
    definitionVersion: row.definition_version,
    priceType: "free",
    callPriceNanos: 0n,
    oneTimePriceCents: null,
  };
}
