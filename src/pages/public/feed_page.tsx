/** @jsxImportSource preact */
/**
 * `/feeds/{slug}`: all that a person needs to decide whether to read a feed, and how. Everything on it is in the feed's
 * metadata, too.
 *
 * @module
 */

import { type FeedFields, parseFeedFields } from "../../feeds/feed_fields.ts";
import { consumerType, DATA_LICENSE } from "../../feeds/feed_text.ts";
import type { FeedType } from "../../feeds/find.ts";
import { indentJson } from "../../lib/indent_json.ts";
import { intervalText } from "../../lib/interval_text.ts";
import { escapeInvisible, withoutInvisible } from "../../lib/invisible_text.ts";
import { SITE_DAYS_SHOWN, SITE_PUSHES_A_DAY_MAX } from "../../limits.ts";
import { creditsText, creditsWords, pricingText, usdOfCents } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import type { Row } from "../../postgres/client/database.ts";
import { Markdown } from "../layout/markdown.tsx";
import { type PageFrame, PUBLIC_MENU, renderPage } from "../layout/page.tsx";
import { Chart, digits, Facts, Text, Time } from "../layout/parts.tsx";
import { shortened } from "./feed_list.tsx";
import { McpAddresses, type McpAddressesProps } from "./mcp_addresses.tsx";

type Feed = Row<"find_feed_row">;

export interface FeedPage extends McpAddressesProps {
  readonly frame: PageFrame;
  readonly feed: Feed;
  readonly days: readonly Row<"list_push_days">[];
  /** Reads of the feed in any 60 seconds, of an account. */
  readonly readsMax: number;
}

/** Of a sample in characters. */
const SAMPLE_SHOWN = 4_000;
const DESCRIPTION_SHOWN = 160;
const KINDS: Readonly<Record<FeedType, string>> = {
  singleton: "one JSON document, replaced at every update",
  collection: "a list of rows, replaced as a whole batch",
  stream: "a timeline of events, newest first",
};

export function renderFeedPage(page: FeedPage): string {
  const { feed, baseUrl, days } = page;
  const name = withoutInvisible(feed.name);
  const description = shortened(feed.description ?? "", DESCRIPTION_SHOWN);
  const fields = parseFeedFields(feed.schema_definition, feed.sample_response);
  return renderPage({
    ...page.frame,
    title: name,
    description: description || `The JSON feed ${name}: ${pricingText(feed)}.`,
    canonical: `${baseUrl}/feeds/${feed.endpoint_path}`,
    root: "..",
    menu: PUBLIC_MENU,
    current: "",
    hasCharts: true,
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
            <Price {...page} />
            <FeedFacts {...feed} />
          </aside>
          <div>
            <Fields {...fields} />
            <Sample sample={feed.sample_response} />
            <Freshness days={days} />
            <Reading {...page} />
            {feed.readme_md?.trim() && (
              <section>
                <h2>From the provider</h2>
                <Markdown of={feed.readme_md} />
              </section>
            )}
          </div>
        </div>
      </>
    ),
  });
}

function Price({ feed, readsMax }: FeedPage) {
  const billing = `../billing?feed_id=${feed.feed_id}`;
  return (
    <section class="card">
      <h2 class="price-head">{feed.price_type === "free" ? "Free" : pricingText(feed)}</h2>
      <p>{priceWords(feed)}</p>
      {feed.price_type !== "free" && (
        <p>
          <a class="button" href={billing}>
            {feed.price_type === "one_time" ? "How to buy" : "How to pay"}
          </a>
        </p>
      )}
      <p class="soft small">
        Up to {digits(readsMax)} reads a minute for each account. A call with the ETag of your last
        answer is free while nothing has changed.
      </p>
    </section>
  );
}

function priceWords(feed: Feed): string {
  switch (feed.price_type) {
    case "metered":
      return `A read costs ${creditsWords(feed.call_price_nanos ?? 0n)}${consumerType(feed.feed_type) === "singleton" ? "" : " and gives up to 100 rows"}. Errors are never charged.`;
    case "one_time": {
      const cents = feed.one_time_price_cents ?? 0n;
      return `Bought once for $${usdOfCents(cents)}, which is ${digits(creditsText(cents * NANOS_PER_CENT))} credits. All reads are free then.`;
    }
    default:
      return "Reading costs nothing. A read key is needed all the same.";
  }
}

function FeedFacts(feed: Feed) {
  const type = consumerType(feed.feed_type);
  const pace = feed.update_frequency_text?.trim();
  return (
    <section class="card">
      <h2>At a glance</h2>
      <Facts
        of={{
          Provider: <Text of={feed.account_name} />,
          Kind: `${type}: ${KINDS[type]}`,
          Rows: type === "singleton" ? undefined : digits(feed.row_count),
          Size: bytesText(Number(feed.payload_bytes)),
          "New data": <Text of={pace || intervalText(feed.sync_interval_mins)} />,
          Updated: <Time of={feed.last_sync_at} />,
          "On time":
            feed.reliability_score === null ? "not rated yet" : `${feed.reliability_score}%`,
          Schema: feed.schema_definition
            ? `version ${feed.schema_version}${feed.schema_locked ? ", every row is checked" : ""}`
            : undefined,
          License: DATA_LICENSE,
          Address: <code>{feed.endpoint_path}</code>,
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

function Freshness({ days }: Pick<FeedPage, "days">) {
  const isCapped = days.some(({ pushes }) => Number(pushes) >= SITE_PUSHES_A_DAY_MAX);
  return (
    <section>
      <h2>Freshness</h2>
      <Chart
        title={`Updates a day, last ${SITE_DAYS_SHOWN} days`}
        series={["updates"]}
        points={days.map(({ day, pushes }) => ({ at: day, values: [pushes] }))}
      />
      {isCapped && (
        <p class="soft small">
          A day with more than {digits(SITE_PUSHES_A_DAY_MAX)} shows so many.
        </p>
      )}
    </section>
  );
}

function Fields({ fields, unnamedCount }: FeedFields) {
  return (
    <section>
      <h2>Fields</h2>
      {fields.length === 0 ? (
        <div class="empty">The provider gives neither a schema nor a sample.</div>
      ) : (
        <section class="scroll" aria-label="Fields" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Type</th>
              </tr>
            </thead>
            <tbody>
              {fields.map(({ name, type }) => (
                <tr>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>{type}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {unnamedCount > 0 && (
        <p class="soft small">
          {digits(unnamedCount)} more {unnamedCount === 1 ? "is" : "are"} in the schema.
        </p>
      )}
    </section>
  );
}

function Sample({ sample }: { readonly sample: string | null }) {
  if (sample === null) return null;
  const text = escapeInvisible(indentJson(sample));
  return (
    <section>
      <h2>Sample</h2>
      <pre tabIndex={0} class="tall">
        <code>{text.length > SAMPLE_SHOWN ? `${text.slice(0, SAMPLE_SHOWN)}\n…` : text}</code>
      </pre>
    </section>
  );
}

function Reading({ feed, baseUrl, canConnect }: FeedPage) {
  const slug = feed.endpoint_path ?? "";
  const address = `${baseUrl}/v1/feed/${slug}`;
  return (
    <section>
      <h2>Read it</h2>
      <p>
        All methods need a read key, which the gateway's operator gives. Put it in{" "}
        <code>FEEDGATE_READ_KEY</code>.
      </p>
      <h3>curl</h3>
      <pre tabIndex={0}>
        <code>{`curl -H "x-api-key: $FEEDGATE_READ_KEY" "${address}"`}</code>
      </pre>
      {feed.price_type === "one_time" && (
        <>
          <p>Buy it from the account's balance, once:</p>
          <pre tabIndex={0}>
            <code>{`curl -X POST -H "x-api-key: $FEEDGATE_READ_KEY" -H "Content-Type: application/json" \\\n  -d '{"max_credits": ${creditsText((feed.one_time_price_cents ?? 0n) * NANOS_PER_CENT)}}' "${address}/purchase"`}</code>
          </pre>
        </>
      )}
      <h3>MCP</h3>
      <p>
        <a href="../docs/guides/connect">Connect your agent</a>, and ask it to read the feed{" "}
        <code>{slug}</code>.
      </p>
      <McpAddresses baseUrl={baseUrl} canConnect={canConnect} />
      <h3>Agent skill</h3>
      <p>
        <a href={`../public/feeds/${feed.feed_id}/agent-skill`}>Download SKILL.md</a>, which tells
        an agent how to read this feed. It uses the same variable.
      </p>
      <h3>TypeScript</h3>
      <p>
        The client is not on npm: <a href="../docs/guides/clients">how to install it</a>.
      </p>
      <pre tabIndex={0}>
        <code>{typescriptOf(feed, baseUrl)}</code>
      </pre>
    </section>
  );
}

function typescriptOf(feed: Feed, baseUrl: string): string {
  const slug = JSON.stringify(feed.endpoint_path);
  const read =
    consumerType(feed.feed_type) === "singleton"
      ? `const { rows: [document] } = await feedgate.read(${slug});`
      : `for await (const row of feedgate.rows(${slug})) console.log(row);`;
  return `import { Feedgate } from "feedgate/client";

const feedgate = new Feedgate({
  url: ${JSON.stringify(baseUrl)},
  key: process.env.FEEDGATE_READ_KEY,
});
${read}`;
}
