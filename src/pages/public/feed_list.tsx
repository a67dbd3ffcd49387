/** @jsxImportSource preact */
/**
 * Feeds as the front page lists them.
 *
 * @module
 */

import { consumerType } from "../../feeds/feed_text.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import type { Row } from "../../postgres/client/database.ts";
import { ACCESS_NAMES } from "../layout/access_text.tsx";
import { Badge, Text, Time } from "../layout/parts.tsx";
import { priceText } from "../layout/price_text.ts";

/** Of a description in a list. */
const WORDS_SHOWN = 220;

/** What catalog and search both return of a feed. */
export type ListedFeed = Row<"search_feeds">;

export function FeedList({ feeds }: { readonly feeds: readonly ListedFeed[] }) {
  return (
    <ul class="feeds">
      {feeds.map((feed) => (
        <li class="card">
          <div class="feed-head">
            <h3>
              <a href={`./feeds/${feed.endpoint_path}`}>
                <Text of={feed.name} />
              </a>
            </h3>
            <span class="price">{priceText(feed)}</span>
          </div>
          {feed.description && <p>{shortened(feed.description)}</p>}
          <p class="soft small tags">
            <span>{consumerType(feed.feed_type)}</span>
            <span>
              <Text of={feed.category ?? "uncategorized"} />
            </span>
            <span>
              last push <Time of={feed.last_sync_at} />
            </span>
            {feed.reliability_score !== null && <span>{feed.reliability_score}% on time</span>}
            {feed.access === "by_request" && <Badge>{ACCESS_NAMES.by_request}</Badge>}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** The beginning of a text in one line, for lists and search engines. */
export function shortened(text: string, length = WORDS_SHOWN): string {
  const line = withoutInvisible(text).replace(/\s+/g, " ").trim();
  if (line.length <= length) return line;
  return `${line
    .slice(0, length)
    .toWellFormed()
    .replace(/\s+\S*$/, "")} …`;
}
