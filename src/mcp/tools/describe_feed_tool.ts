/**
 * The tool `describe_feed`: everything that a model needs before its first read, in a few thousand characters.
 *
 * @module
 */
import type { Static } from "@sinclair/typebox";
import { dataLimitOf } from "../../admission/terms.ts";
import { isFilterable, parseFeedFields } from "../../feeds/feed_fields.ts";
import type { FeedMetadataShape } from "../../feeds/feed_shapes.ts";
import { assert } from "../../lib/assert.ts";
import { isObject } from "../../lib/records.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { WINDOW_MS } from "../../limits.ts";
import { creditsText, parseExact, pricingText } from "../../money/money.ts";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import { project } from "../../read/projection/projection.ts";
import { type Projection, parseProjection } from "../../read/projection/projection_parse.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, FEED, problemResult, structured } from "../tool.ts";
import type { AskRoute } from "../tool_routes.ts";

const DESCRIPTION_LENGTH_MAX = 400;
const SAMPLE_LENGTH_MAX = 700;
const FIELDS_MAX = 20;
const EXACT_PARTS = projectionOf("{sample: sample_response, credits: credits_to_read_all}");

type Metadata = Static<typeof FeedMetadataShape>;

export const describeFeed = defineTool({
  name: "describe_feed",
  title: "Describe a feed",
  description: `Shows a feed's fields with their types, one sample row, its price, size and access, and how to read it. Free. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: { feed: FEED },
  async run({ ask, readLimits }, { feed }) {
    const answer = await ask({ path: `/v1/feed/${feed}/metadata` });
    if (answer.status !== 200) return problemResult(answer);
    const metadata: Metadata = JSON.parse(answer.text);
    const type = metadata.feed_type ?? "singleton";
    const schema = textOrNull(metadata.schema_definition);
    const { fields } = parseFeedFields(schema, textOrNull(metadata.sample_response));
    const named = fields.slice(0, FIELDS_MAX);
    const filterable = named.filter(isFilterable).map(({ name }) => name);
    const { sample, credits } = exactParts(answer.text);
    const isClosed = await isClosedToAccount(ask, metadata);
    return structured({
      id: metadata.id,
      slug: metadata.endpoint_path,
      name: metadata.name,
      description: (metadata.description ?? "").slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed(),
      category: metadata.category,
      provider: metadata.provider.name,
      type,
      price: priceOf(metadata),
      price_per_1k: metadata.price_per_1k,
      access: metadata.access,
      rows: metadata.row_count,
      credits_to_read_all: credits,
      last_sync_at: metadata.last_sync_at,
      oldest_event: metadata.oldest_event,
      newest_event: metadata.newest_event,
      fields: named.map((field) => `${field.name}: ${field.type}`),
      sample: sampleOf(sample),
      filters: type === "singleton" ? [] : filterable,
      ways_to_read: waysToRead(type),
      limits: {
        limit: dataLimitOf(metadata.price_type, readLimits),
        window_seconds: WINDOW_MS / MS_PER_SECOND,
      },
      next: isClosed ? askFirst(metadata) : nextOf(metadata),
    });
  },
});

/** Whether the account may not read the feed's rows. HEAD is judged like the read, costs nothing and has no rows. */
async function isClosedToAccount(ask: AskRoute, { id, access }: Metadata): Promise<boolean> {
  if (access === "open") return false;
  const { status } = await ask({ path: `/v1/feed/${id}`, method: "HEAD" });
  // A key that may not read this feed at all gets no metadata.
  return status === 403;
}

function askFirst({ endpoint_path: slug, one_time_price_cents: cents }: Metadata): string {
  const later = cents === null ? "" : " Buy the feed only once access is granted.";
  return `The provider decides who can read this feed, and the account has no access. Ask the user whether to request it, and what to say. Only if they agree, call request_access with feed "${slug}" and a message. get_account shows pending requests.${later}`;
}

function nextOf({ endpoint_path: slug, one_time_price_cents: cents }: Metadata): string {
  const read = `read_feed with feed "${slug}"`;
  if (cents === null) return `Call ${read}.`;
  const credits = creditsText(BigInt(cents) * NANOS_PER_CENT);
  return `If the account has bought it, call ${read}. If not, ask the user whether to buy it for ${credits} credits. Only if they agree, call buy_feed with feed "${slug}" and max_credits ${credits}.`;
}

function priceOf({ price_type, price_per_1k: per1k, one_time_price_cents: cents }: Metadata) {
  return pricingText({
    price_type,
    // USD per 1,000 calls has 6 places, and a nano-dollar a call is a millionth of it.
    call_price_nanos: per1k === null ? null : BigInt(Math.round(per1k * 1_000_000)),
    one_time_price_cents: cents === null ? null : BigInt(cents),
  });
}

function waysToRead(type: string): readonly string[] {
  if (type === "singleton")
    return ["read_feed returns the document; jsonpath selects parts of it."];
  const ways = [
    "read_feed with filters returns rows whose fields equal given values; fields limits each row to some members.",
    "get_records returns complete rows by id.",
    "To get all rows as a file over HTTP: GET /v1/feed/{slug}/export?format=ndjson|csv, charged as one read per 100 rows.",
  ];
  return type === "stream"
    ? [
        ...ways,
        "Events are returned newest first; start_time and end_time limit the range.",
        "follow_stream returns them in order of arrival, and waits for new ones.",
      ]
    : ways;
}

/** What loses digits in a JavaScript number. */
function exactParts(metadata: string): Record<string, unknown> {
  const outcome = project(EXACT_PARTS, metadata);
  assert(outcome.kind === "projected", "two members are picked");
  const parts = parseExact(outcome.text);
  assert(isObject(parts), "a construction makes an object");
  return parts;
}

/** One row, if it is short enough. */
function sampleOf(sample: unknown): unknown {
  const row: unknown = Array.isArray(sample) ? sample[0] : sample;
  const text = JSON.stringify(row);
  return text === undefined || text.length > SAMPLE_LENGTH_MAX ? undefined : row;
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function projectionOf(jsonpath: string): Projection {
  const parsed = parseProjection(jsonpath);
  assert(parsed.kind === "parsed", "it is written here");
  return parsed.projection;
}
