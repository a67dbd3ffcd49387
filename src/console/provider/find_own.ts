/**
 * One of a provider's own feeds, as its list shows it.
 *
 * @module
 */
import type { Figure } from "../../ui/parts.tsx";
import type { ShownFeed } from "../feed_as_seen.tsx";
import type { OpenBatch } from "../open_batches.tsx";
import { bodyOf } from "../own_api.ts";
import { idOf, type Visit } from "../visit.ts";

export interface OwnFeed extends ShownFeed {
  readonly id: string;
  readonly status: string;
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
}

export interface OwnFeeds {
  readonly feeds: readonly OwnFeed[];
  readonly total: number;
}

export async function findOwn(visit: Visit): Promise<OwnFeed> {
  const { feeds } = bodyOf(await visit.ask<OwnFeeds>("/v1/provider/feeds?limit=100&full=true"));
  const id = idOf(visit);
  const feed = feeds.find((each) => each.id === id);
  if (feed !== undefined) return feed;
  const one = await visit.ask<never>(`/v1/provider/feed/${id}/pushes?limit=1`);
  return bodyOf(one);
}
