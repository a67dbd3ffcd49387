/**
 * The tool `search_feeds`: finds feeds by words or by category, or lists all of them.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { queryText } from "../../http/query_string.ts";
import { text } from "../../lib/typebox.ts";
import { SEARCH_LENGTH_MAX } from "../../limits.ts";
import type { CatalogShape, SearchResultsShape } from "../../read/catalog/catalog_shapes.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, problemResult, structured, whole } from "../tool.ts";

const LIMIT_MAX = 50;

type Page = Static<typeof CatalogShape> | Static<typeof SearchResultsShape>;

export const searchFeeds = defineTool({
  name: "search_feeds",
  title: "Search feeds",
  description: `Finds data feeds by topic. Without query and category it lists all, newest first. Free. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    query: Type.Optional(
      text({
        minLength: 1,
        maxLength: SEARCH_LENGTH_MAX,
        description: 'Plain words; "quoted words" match as a phrase, -word excludes.',
      }),
    ),
    category: Type.Optional(
      text({ minLength: 1, maxLength: 100, description: "Only feeds of this category." }),
    ),
    limit: whole(1, LIMIT_MAX, "Feeds to list. Default 20."),
    offset: whole(0, undefined, "Feeds to skip. Default 0."),
  },
  async run({ ask, fieldsOf }, { query, category, limit, offset }) {
    const page = queryText([
      ["limit", limit],
      ["offset", offset],
    ]);
    const answer = await ask(
      query === undefined
        ? { path: `/v1/catalog${page}`, wishes: { category } }
        : {
            path: `/v1/search${queryText([
              ["q", query],
              ["category", category],
              ["limit", limit],
              ["offset", offset],
            ])}`,
          },
    );
    if (answer.status !== 200) return problemResult(answer);
    const found: Page = JSON.parse(answer.text);
    const listed = "results" in found ? found.results : found.feeds;
    const fields = await fieldsOf(listed.map(({ id }) => id));
    const feeds = listed.map((feed) => ({
      id: feed.id,
      slug: feed.endpoint_path,
      name: feed.name,
      description: feed.description,
      category: feed.category,
      price: feed.pricing,
      type: feed.feed_type,
      fields: fields.get(feed.id) ?? [],
    }));
    return structured({
      feeds,
      total: found.total,
      has_more: found.has_more,
      categories: "categories" in found ? found.categories : undefined,
      next: nextStep(found, feeds.length),
    });
  },
});

function nextStep({ has_more: hasMore, offset }: Page, shown: number): string {
  if (shown === 0) return "Search again with fewer or different words, or without a category.";
  const look = "Call describe_feed with a slug to see a feed's fields before you read it";
  return hasMore ? `${look}, or search again with offset ${offset + shown}.` : `${look}.`;
}
