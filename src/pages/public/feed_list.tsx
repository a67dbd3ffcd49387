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
import { excerptOf, Marked, type Match, MatchReasons } from "./matched_text.tsx";

/** Of a description in a list. */
const WORDS_SHOWN = 220;

/** What catalog and search both return of a feed. */
export type ListedFeed = Row<"search_feeds">;

interface FeedListProps {
  readonly feeds: readonly ListedFeed[];
  /** What a search has found in each, by the feed's id. @default no search */
  readonly matches?: ReadonlyMap<string, Match>;
}

export function FeedList({ feeds, matches }: FeedListProps) {
  return (
    <ul class="feeds">
      {feeds.map((feed) => (
        <FeedCard feed={feed} match={matches?.get(feed.feed_id ?? "")} />
      ))}
    </ul>
  );
}

interface FeedCardProps {
  readonly feed: ListedFeed;
  readonly match: Match | undefined;
}

function FeedCard({ feed, match }: FeedCardProps) {
  const name = match?.name ?? feed.name ?? "";
  const found = match?.description;
  return (
    <li class="card">
      <div class="feed-head">
        <h3>
          <a href={`./feeds/${feed.endpoint_path}`}>
            <Marked of={name} />
          </a>
        </h3>
        <span class="price">{priceText(feed)}</span>
      </div>
      {found ? (
        <p>
          <Marked of={excerptOf(found, WORDS_SHOWN)} />
        </p>
      ) : (
        feed.description && <p>{shortened(feed.description)}</p>
      )}
      {match !== undefined && <MatchReasons of={match} />}
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
