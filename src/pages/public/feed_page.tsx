/** @jsxImportSource preact */
/**
 * `/feeds/{slug}`: everything that a person needs to decide whether to read a feed, and how.
 *
 * @module
 */

import { consumerType, DATA_LICENSE } from "../../feeds/feed_text.ts";
import type { FeedType } from "../../feeds/find.ts";
import { withoutInvisible } from "../../lib/invisible_text.ts";
import { SITE_ROWS_BYTES_MAX } from "../../limits.ts";
import type { Row } from "../../postgres/client/database.ts";
import { liveAddress } from "../layout/live_events.ts";
import { Markdown } from "../layout/markdown.tsx";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { digits, Facts, Text, Time } from "../layout/parts.tsx";
import { priceText } from "../layout/price_text.ts";
import { AccessPart } from "./access_part.tsx";
import { DataPart } from "./data_part.tsx";
import { shortened } from "./feed_list.tsx";
import { describeFields } from "./field_details.ts";
import { FieldsPart } from "./fields_part.tsx";
import { AgeNote, FreshnessPart, Pace } from "./freshness_part.tsx";
import type { McpAddressesProps } from "./mcp_addresses.tsx";
import { PricePart } from "./price_part.tsx";
import { ReadingPart } from "./reading_part.tsx";

type Feed = Row<"find_feed_row">;

export interface FeedPage extends McpAddressesProps {
  readonly frame: PageFrame;
  readonly feed: Feed;
  /** The version of the data shown, or an earlier one if it moved meanwhile. */
  readonly dataVersion: bigint;
  readonly days: readonly Row<"list_push_days">[];
  /** JSON texts of the first rows of a free feed, separated by commas. */
  readonly rowTexts: string | null;
  /** The time of a stream's newest event. */
  readonly newestEvent: string | null;
  /** Reads of the feed in any 60 seconds, of an account. */
  readonly readsMax: number;
  readonly nowMs: number;
}

const DESCRIPTION_SHOWN = 160;
const KINDS: Readonly<Record<FeedType, string>> = {
  singleton: "one JSON document, replaced at every update",
  collection: "a list of rows, replaced as a whole batch",
  stream: "a timeline of events, newest first",
};

export function renderFeedPage(page: FeedPage): string {
  const { feed, baseUrl } = page;
  const name = withoutInvisible(feed.name);
  const description = shortened(feed.description ?? "", DESCRIPTION_SHOWN);
  return renderPage({
    ...page.frame,
    title: name,
    description: description || `The JSON feed ${name}: ${priceText(feed)}.`,
    canonical: `${baseUrl}/feeds/${feed.endpoint_path}`,
    root: "..",
    menu: PUBLIC_MENU,
    current: "",
    hasCharts: true,
    live: liveAddress(`./${feed.endpoint_path}/live`, page.dataVersion),
    children: (
      <>
        <p class="crumbs">
          <a href="../">Feeds</a> /{" "}
          <a href={`../?category=${encodeURIComponent(feed.category ?? "uncategorized")}`}>
            <Text of={feed.category ?? "uncategorized"} />
          </a>
        </p>
        <h1>{name}</h1>
        {feed.description && (
          <p class="lead words">
            <Text of={feed.description} />
          </p>
        )}
        <div class="with-aside">
          <aside aria-label="Price and facts">
            <AccessPart {...page} />
            <PricePart {...page} />
            <FeedFacts {...page} />
          </aside>
          <Parts {...page} />
        </div>
      </>
    ),
  });
}

function Parts(page: FeedPage) {
  const { feed } = page;
  return (
    <div>
      <AgeNote {...page} />
      <DataPart {...page} />
      <FieldsPart
        {...describeFields({
          schema: feed.schema_definition,
          sample: sampleOf(page),
        })}
      />
      <ReadingPart {...page} />
      <FreshnessPart {...page} />
      {withoutInvisible(feed.readme_md ?? "").trim() !== "" && (
        <section>
          <h2>From the provider</h2>
          <Markdown of={feed.readme_md ?? ""} />
        </section>
      )}
    </div>
  );
}

/** What fields are taken from if there is no schema: the sample, unless it is large, or else the rows. */
function sampleOf({ feed, rowTexts }: FeedPage): string | null {
  const sample = feed.sample_response;
  if (sample !== null && sample.length <= SITE_ROWS_BYTES_MAX) return sample;
  if (rowTexts === null) return null;
  const isCut =
    consumerType(feed.feed_type) === "singleton" && rowTexts.length >= SITE_ROWS_BYTES_MAX;
  return isCut ? null : `[${rowTexts}]`;
}

function FeedFacts({ feed, newestEvent }: FeedPage) {
  const type = consumerType(feed.feed_type);
  return (
    <section class="card">
      <h2>At a glance</h2>
      <Facts
        of={{
          Provider: <Text of={feed.account_name} />,
          Kind: `${type}: ${KINDS[type]}`,
          Rows: type === "singleton" ? undefined : digits(feed.row_count),
          Size: bytesText(Number(feed.payload_bytes)),
          Updates: <Pace feed={feed} />,
          "Last push": <Time of={feed.last_sync_at} />,
          "Newest event": newestEvent !== null && <Time of={newestEvent} />,
          "On time":
            feed.reliability_score === null ? "not rated yet" : `${feed.reliability_score}%`,
          Schema: feed.schema_definition
            ? `version ${feed.schema_version}${feed.schema_locked ? ", every row is validated" : ""}`
            : undefined,
          License: DATA_LICENSE,
          Slug: <code>{feed.endpoint_path}</code>,
        }}
      />
    </section>
  );
}

/** A size with its unit, to three digits. */
function bytesText(bytes: number): string {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  const power = bytes < 1_024 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const size = bytes / 1_024 ** power;
  return `${power === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[power]}`;
}
