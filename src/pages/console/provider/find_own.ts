/**
 * One of a provider's own feeds, as its list shows it.
 *
 * @module
 */
import type { OpenBatch } from "../../../feeds/feed_contents.ts";
import { present } from "../../../lib/assert.ts";
import { findMember, scanJson, textOf } from "../../../lib/json_text.ts";
import { JSON_DEPTH_MAX } from "../../../limits.ts";
import type { Figure } from "../../layout/parts.tsx";
import type { ShownFeed } from "../feed_as_seen.tsx";
import { type Answered, bodyOf } from "../own_api.ts";
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
  readonly last_refusal: { readonly code: string; readonly pushed_at: string } | null;
  readonly open_batches: readonly OpenBatch[];
  readonly is_public: boolean;
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
  return feedOf(await askOwn(visit));
}

export async function findListing(visit: Visit): Promise<OwnListing> {
  const answer = await askOwn(visit);
  const feed = feedOf(answer);
  // The row is an object in a list in an object.
  const json = scanJson(answer.text, { spanDepth: 3, heightMax: JSON_DEPTH_MAX + 3 });
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

function askOwn(visit: Visit): Promise<Answered<OwnFeeds>> {
  return visit.ask<OwnFeeds>(`/v1/provider/feeds?full=true&feed_id=${idOf(visit)}`);
}

/** @throws {Problem} as bodyOf does */
function feedOf(answer: Answered<OwnFeeds>): OwnFeed {
  const [feed] = bodyOf(answer).feeds;
  return present(feed);
}
