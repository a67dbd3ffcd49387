/**
 * `feed edit`: changes the metadata and price of a provider's own feed.
 *
 * @module
 */

import type { FeedChanges, WrittenFeed } from "../../client/mod.ts";
import { intervalText } from "../../lib/interval_text.ts";
import {
  CATEGORY_LENGTH_MAX,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  RETENTION_DAYS_MAX,
} from "../../limits.ts";
import { parseExact } from "../../money/money.ts";
import { UsageError } from "../command.ts";
import { count, flag, integer, oneOf, orNull, text } from "../options.ts";
import { fields } from "../output.ts";
import { clientCommand } from "./client_command.ts";
import { INTERVAL_OPTION, PRICE_OPTION } from "./feed_options.ts";
import { priceText } from "./find_commands.ts";
import { readJson, readText, rowSource } from "./row_source.ts";

const FILE = { placeholder: "FILE", lengthMax: 4_096 };

/** The command `feed edit`. */
export const feedEdit = clientCommand({
  words: "feed edit",
  argument: "FEED",
  about:
    "change the name, texts, schema, price or state of your feed; omitted fields stay unchanged",
  options: {
    name: text("name of the feed", { lengthMax: NAME_LENGTH_MAX }),
    slug: text("slug of the feed, part of its address"),
    description: text("short description", { lengthMax: DESCRIPTION_LENGTH_MAX }),
    category: text("category, a few words at most", { lengthMax: CATEGORY_LENGTH_MAX }),
    readme: text("Markdown file", FILE),
    price: PRICE_OPTION,
    every: INTERVAL_OPTION,
    schema: text("file with the JSON Schema of a row", FILE),
    "schema-version": count(
      "version of the schema; raise it for a breaking change to a locked schema",
    ),
    sample: text("file with a sample row", FILE),
    lock: flag("refuse rows that don't match the schema"),
    unlock: flag("accept all rows again"),
    "retention-days": orNull(
      integer("days to keep the events of a stream", { least: 1, most: RETENTION_DAYS_MAX }),
      "none",
    ),
    status: oneOf(
      ["draft", "inactive", "active"],
      "status of the feed; only active feeds can be read",
    ),
    access: oneOf(
      ["open", "by_request", "invited"],
      "who can read the feed: all accounts, accounts you approve, or only accounts you invite",
    ),
    "request-review": flag("ask the operator to list the feed"),
  },
  async run({ argument: name, values, feedgate, signal }) {
    if (values.lock && values.unlock) throw new UsageError("--lock and --unlock can't be combined");
    const { price, readme, schema, sample } = values;
    const changes = given({
      name: values.name,
      endpoint_path: values.slug,
      description: values.description,
      category: values.category,
      readme_md: readme === undefined ? readme : await readText(rowSource(readme, "json")),
      sync_interval_mins: values.every,
      schema_definition: schema === undefined ? schema : await jsonOf(schema),
      schema_version: values["schema-version"],
      sample_response: sample === undefined ? sample : await jsonOf(sample),
      schema_locked: values.lock ?? (values.unlock ? false : undefined),
      retention_days: values["retention-days"],
      status: values.status,
      access: values.access,
      request_review: values["request-review"],
      ...price,
    });
    if (Object.keys(changes).length === 0) {
      throw new UsageError("nothing to change: give at least one option, such as --price 0.5/1k");
    }
    const feed = await feedgate.editFeed(name, changes, { signal });
    return { json: JSON.stringify(feed), text: [feedText(feed), ...notes(feed)].join("\n") };
  },
});

async function jsonOf(path: string): Promise<Record<string, unknown>> {
  return Object(parseExact(await readJson(rowSource(path, "json"))));
}

/** Omits undefined members. */
function given(changes: { readonly [Name in keyof FeedChanges]: FeedChanges[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as FeedChanges;
}

function feedText(feed: WrittenFeed): string {
  return fields({
    feed: feed.endpoint_path ?? feed.id,
    name: feed.name,
    description: feed.description ?? undefined,
    category: feed.category ?? undefined,
    price: priceText(feed),
    access: feed.access,
    updates: intervalText(feed.sync_interval_mins ?? 0),
    schema: `version ${feed.schema_version}, ${feed.schema_locked ? "locked" : "not locked"}`,
    status: feed.status,
    review: feed.review_reason === null ? feed.review : `${feed.review}: ${feed.review_reason}`,
  });
}

/** The gateway's warnings about a feed, one per line. */
export function notes({ warnings }: WrittenFeed): readonly string[] {
  return warnings.map((warning) => `note: ${warning}`);
}
