/**
 * Feeds as they appear in catalog and search.
 *
 * @module
 */

import { consumerType } from "../../feeds/feed_text.ts";
import { schemaHint } from "../../feeds/schema_properties.ts";
import { intervalText } from "../../lib/interval_text.ts";
import { pricePer1kText, pricingText, toExactNumber } from "../../money/money.ts";
import type { Row } from "../../postgres/client/database.ts";

/** A listed feed as both statements return it. On the row of an empty page, every column is null. */
type ListedFeed = Row<"search_feeds">;

const CATEGORY_NONE = "uncategorized";

/** An item of `feeds`. */
export function catalogEntry(feed: Row<"list_catalog">) {
  const minutes = feed.sync_interval_mins;
  return {
    ...sharedMembers(feed),
    update_frequency:
      feed.update_frequency_text || (minutes === null ? null : intervalText(minutes)),
    reliability: feed.reliability_score === null ? "unrated" : `${feed.reliability_score}%`,
    last_sync_at: feed.last_sync_at,
    schema_hint: schemaHint(feed.schema_definition),
  };
}

/** An item of `results`. */
export function searchHit(feed: ListedFeed) {
  return {
    ...sharedMembers(feed),
    price_type: feed.price_type,
    price_per_1k: toExactNumber(pricePer1kText(feed.call_price_nanos ?? 0n)),
    one_time_price_cents: toExactNumber(String(feed.one_time_price_cents)),
    reliability_score: toExactNumber(String(feed.reliability_score)),
    last_sync_at: feed.last_sync_at,
    update_frequency_text: feed.update_frequency_text,
  };
}

function sharedMembers(feed: ListedFeed) {
  return {
    id: feed.feed_id,
    name: feed.name,
    description: feed.description ?? "",
    category: feed.category ?? CATEGORY_NONE,
    feed_type: consumerType(feed.feed_type),
    consumer_type: consumerType(feed.feed_type),
    endpoint_path: feed.endpoint_path,
    pricing: pricingText(feed),
  };
}
