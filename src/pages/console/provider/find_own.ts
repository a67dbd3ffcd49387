/**
 * One of a provider's own feeds, as the list of feeds shows it.
 *
 * @module
 */

import type { FeedAccess } from "../../../admission/claims.ts";
import type { OpenBatch } from "../../../feeds/feed_contents.ts";
import { present } from "../../../lib/assert.ts";
import { findMember, scanJson, textOf } from "../../../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../../../limits.ts";
import { type FeedsQuery, listOwnFeeds } from "../../../provider/list_own_feeds.ts";
import type { Figure } from "../../layout/parts.tsx";
import { parseExact } from "../exact_values.ts";
import type { ShownFeed } from "../feed_as_seen.tsx";
import { idOf, type Visit } from "../visit.ts";

export interface OwnFeed extends ShownFeed {
  readonly id: string;
  readonly status: string;
  /** Absent if the feed is not suspended. */
  readonly suspension_reason?: string;
  readonly review: string;
  readonly review_reason: string | null;
  readonly last_sync_at: string | null;
  readonly row_count: number;
  readonly reads: number;
  readonly readers: number;
  readonly net_usd: Figure;
  readonly last_refusal: {
    readonly code: string;
    readonly detail: string;
    readonly pushed_at: string;
  } | null;
  readonly open_batches: readonly OpenBatch[];
  readonly is_public: boolean;
  readonly access: FeedAccess;
  readonly schema_locked: boolean;
  readonly schema_version: Figure;
  readonly sync_interval_mins: number | null;
  /** The guardrails of a push. */
  readonly storage_config: { readonly max_rows: number | null };
}

export interface OwnFeeds {
  readonly feeds: readonly OwnFeed[];
  readonly has_more: boolean;
}

/** With its JSON as it is stored: objects of JavaScript put keys that look like integers first. */
export interface OwnListing extends OwnFeed {
  /** Of `schema_definition`; null if there is none. */
  readonly schemaText: string | null;
  /** Of `sample_response`; null if there is none. */
  readonly sampleText: string | null;
}

export async function findOwn(visit: Visit): Promise<OwnFeed> {
  return feedIn(await readOwn(visit));
}

export async function findListing(visit: Visit): Promise<OwnListing> {
  const text = await readOwn(visit);
  const feed = feedIn(text);
  // The row is an object in a list in an object.
  const json = scanJson(text, { spanDepth: 3, heightMax: JSON_DEPTH_MAX + 3 });
  const row = findMember(json.root, "feeds")?.items?.[0];
  const textIn = (name: string) => {
    const span = findMember(present(row), name);
    return span === undefined || span.kind === "null" ? null : textOf(json, span);
  };
  return {
    ...feed,
    schemaText: textIn("schema_definition"),
    sampleText: textIn("sample_response"),
  };
}

/** The visitor's feeds as JSON text: a page of all, or the one of this page. @throws {Problem} 403, 429 */
export async function readOwn(
  visit: Visit,
  asked: FeedsQuery = { limit: 1, offset: 0, reference: idOf(visit), isFull: true },
): Promise<string> {
  const { database, config } = visit.services;
  const { accountId } = await visit.admit("feeds");
  return listOwnFeeds({ database, limits: config.limits }, accountId, asked);
}

function feedIn(text: string): OwnFeed {
  const [feed] = parseExact<OwnFeeds>(text).feeds;
  return present(feed);
}
