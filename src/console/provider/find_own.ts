/**
 * One of a provider's own feeds, as its list shows it.
 *
 * @module
 */
import type { OpenBatch } from "../../feeds/feed_contents.ts";
import { present } from "../../lib/assert.ts";
import type { Figure } from "../../ui/parts.tsx";
import type { ShownFeed } from "../feed_as_seen.tsx";
import { bodyOf } from "../own_api.ts";
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

export async function findOwn(visit: Visit): Promise<OwnFeed> {
  const path = `/v1/provider/feeds?full=true&feed_id=${idOf(visit)}`;
  const [feed] = bodyOf(await visit.ask<OwnFeeds>(path)).feeds;
  return present(feed);
}
