/**
 * The tool `search_feeds`: by words, by category, or all.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { SEARCH_LENGTH_MAX } from "../limits.ts";
import { queryText } from "./own_routes.ts";
import { DATA_NOT_INSTRUCTIONS, defineTool, refused, told, whole, withoutEmpty } from "./tool.ts";

const LIMIT_MAX = 50;

/** As far as it is told here, an entry of the catalog or a hit of a search. */
interface ListedFeed {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly feed_type: string;
  readonly endpoint_path: string;
  readonly pricing: string;
}

interface Page {
  readonly total: number;
  readonly offset: number;
  readonly has_more: boolean;
  readonly feeds?: readonly ListedFeed[];
  readonly results?: readonly ListedFeed[];
  readonly categories?: readonly string[];
}

export const searchFeeds = defineTool({
  name: "search_feeds",
  title: "Search feeds",
  description: `Finds feeds of data by what they are about. Without query and category it lists all, newest first. Free. ${DATA_NOT_INSTRUCTIONS}`,
  parameters: {
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: SEARCH_LENGTH_MAX,
        description: 'Plain words; "quoted words" stand together, -word excludes.',
      }),
    ),
    category: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: "Only feeds of this category." }),
    ),
    limit: whole(1, LIMIT_MAX, "Feeds to tell. Default 20."),
    offset: whole(0, undefined, "Feeds to skip. Default 0."),
  },
  async run({ ask, fieldsOf }, { query, category, limit, offset }) {
    // A feed is found by the words of its category, too, so they find all of it.
    const words = query ?? category;
    const parameters = queryText([
      ["q", words],
      ["category", category],
      ["limit", limit],
      ["offset", offset],
    ]);
    const path = words === undefined ? "/v1/catalog" : "/v1/search";
    const answer = await ask({ path: path + parameters });
    if (answer.status !== 200) return refused(answer);
    const page: Page = JSON.parse(answer.text);
    const listed = page.results ?? page.feeds ?? [];
    const fields = await fieldsOf(listed.map(({ id }) => id));
    const feeds = listed.map((feed) => feedOf(feed, fields.get(feed.id) ?? []));
    return told({
      feeds,
      total: page.total,
      categories: page.categories,
      next: nextStep(page, feeds.length),
    });
  },
});

function feedOf(feed: ListedFeed, fields: readonly string[]) {
  return withoutEmpty({
    id: feed.id,
    slug: feed.endpoint_path,
    name: feed.name,
    description: feed.description,
    category: feed.category,
    price: feed.pricing,
    type: feed.feed_type,
    fields,
  });
}

function nextStep({ has_more: hasMore, offset }: Page, shown: number): string {
  if (shown === 0) return "Search again with fewer or other words, or without a category.";
  const look = "Call describe_feed with a slug to see a feed's fields before you read it";
  return hasMore ? `${look}, or search again with offset ${offset + shown}.` : `${look}.`;
}
