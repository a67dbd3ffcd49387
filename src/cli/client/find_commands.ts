/**
 * `search`, `describe` and `buy`: what an agent calls before it reads a feed.
 *
 * @module
 */
import type { FeedMetadata, SearchResults } from "../../client/mod.ts";
import { isObject } from "../../lib/records.ts";
import { PAGE_LIMIT_MAX } from "../../limits.ts";
import { type Option, UsageError } from "../command.ts";
import { typed } from "../hints.ts";
import { integer, required, text } from "../options.ts";
import { type Columns, fields, table } from "../output.ts";
import { clientCommand, offsetPageAnswer } from "./client_command.ts";
import { grouped } from "./status.ts";

const WORDS_LENGTH_MAX = 1_000;
/** Characters of a sample row to print. */
const SAMPLE_CHARS = 600;

/** An amount of credits, at least 0. */
export function maxCredits(about: string): Option<number> {
  return {
    placeholder: "N",
    about,
    isRequired: false,
    read(given, name) {
      if (/^\d{1,12}(\.\d{1,3})?$/.test(given)) return Number(given);
      throw new UsageError(
        `${name} must be a number of 0 or more, with up to 3 decimals, got "${given}"`,
      );
    },
  };
}

const search = clientCommand({
  words: "search",
  argument: "WORDS",
  isRepeated: true,
  about: "search public feeds, best match first",
  options: {
    category: text("only feeds in this category"),
    limit: integer("maximum number of feeds; default 20", { least: 1, most: PAGE_LIMIT_MAX }),
    offset: integer("number of feeds to skip", { least: 0, most: Number.MAX_SAFE_INTEGER }),
  },
  async run({ feedgate, values, arguments: words, signal, again }) {
    const query = words.join(" ").slice(0, WORDS_LENGTH_MAX);
    const found = await feedgate.search(query, { ...values, signal });
    const empty = `no public feed matches "${query}"`;
    const { results: entries } = found;
    return offsetPageAnswer({ page: found, entries, columns: HIT_COLUMNS, empty }, again);
  },
});

const describe = clientCommand({
  words: "describe",
  argument: "FEED",
  about: "show the schema, price and size of a feed",
  options: {},
  async run({ feedgate, argument: feed, signal }) {
    const metadata = await feedgate.describe(feed, { signal });
    return { json: JSON.stringify(metadata), text: (columns) => metadataText(metadata, columns) };
  },
});

const buy = clientCommand({
  words: "buy",
  argument: "FEED",
  about: "buy a one-time feed from the balance; buying it again costs nothing",
  options: {
    "max-credits": required(maxCredits("maximum price to pay; 10,000 credits are one cent")),
  },
  ifLost: () => "the feed is charged only once",
  async run({ feedgate, argument: feed, values, signal }) {
    const bought = await feedgate.buy(feed, { maxCredits: values["max-credits"], signal });
    const { price, balance, purchased_at, purchase_id, _origin: origin } = bought;
    return {
      json: JSON.stringify(bought),
      text: fields({
        bought: feed,
        purchase: purchase_id,
        purchased: purchased_at,
        price: creditsText(price),
        charged: `${grouped(origin.credits_charged)} credits`,
        balance: creditsText(balance),
        "to read it": typed(`read ${feed}`),
      }),
    };
  },
});

/** Commands for finding and buying feeds. */
export const FIND_COMMANDS = [search, describe, buy];

const HIT_COLUMNS: Columns<SearchResults["results"][number]> = {
  // The id if the feed has no slug: commands accept either.
  FEED: { whole: ({ endpoint_path: slug, id }) => slug ?? id },
  NAME: ({ name }) => name,
  PRICE: ({ pricing }) => pricing,
  TYPE: ({ consumer_type: type }) => type,
  "LAST SYNC": ({ last_sync_at: at }) => at,
  DESCRIPTION: ({ description }) => description,
};

interface Property {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

const PROPERTY_COLUMNS: Columns<Property> = {
  FIELD: { whole: ({ name }) => name },
  TYPE: ({ type }) => type,
  DESCRIPTION: ({ description }) => description,
};

function metadataText(metadata: FeedMetadata, columns: number | undefined): string {
  const { schema_definition: schema, sample_response: sample } = metadata;
  const properties = propertiesOf(schema);
  const feed = metadata.endpoint_path ?? metadata.id;
  return [
    fields({
      feed,
      id: metadata.id,
      name: metadata.name,
      description: metadata.description ?? undefined,
      category: metadata.category ?? undefined,
      provider: metadata.provider.name,
      type: metadata.consumer_type,
      price: priceText(metadata),
      access: metadata.access,
      rows: `${grouped(metadata.row_count)}, ${grouped(metadata.bytes)} bytes`,
      "to read all": `${grouped(metadata.credits_to_read_all)} credits`,
      "newest event": metadata.newest_event ?? undefined,
      "last sync": metadata.last_sync_at,
    }),
    ...(properties.length > 0 ? ["", table(properties, PROPERTY_COLUMNS)(columns)] : []),
    ...(sample === null || sample === undefined
      ? []
      : ["", `sample: ${JSON.stringify(sample).slice(0, SAMPLE_CHARS).toWellFormed()}`]),
    "",
    `to read it: ${typed(`read ${feed}`)}`,
  ].join("\n");
}

/** The top-level properties of a schema. */
export function propertiesOf(schema: unknown): readonly Property[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  return Object.entries(schema.properties).map(([name, property]) => {
    const { type, description } = isObject(property) ? property : {};
    return {
      name,
      type: [type ?? "any"].flat().join(" or "),
      description: typeof description === "string" ? description : "",
    };
  });
}

/** A price as readable text. */
export function priceText({
  price_type: type,
  price_per_1k: per1k,
  one_time_price_cents: cents,
}: Partial<Pick<FeedMetadata, "price_type" | "price_per_1k" | "one_time_price_cents">>): string {
  if (type === "metered") return `$${per1k} per 1,000 calls`;
  return type === "one_time" ? `$${((cents ?? 0) / 100).toFixed(2)} one-time` : "free";
}

function creditsText({ credits, usd }: { readonly credits: number; readonly usd: number }): string {
  return `${grouped(credits)} credits ($${usd})`;
}
