/**
 * The bodies of catalog and search.
 *
 * See `src/spec/interface.md`, sections 2.2 to 2.5.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { priced, shown } from "../../feeds/feed_shapes.ts";
import { nullable } from "../../lib/typebox.ts";
import { CATEGORIES_LISTED_MAX, SCHEMA_HINT_MAX } from "../../limits.ts";
import { count, OriginShape, page } from "../../shapes.ts";

const listed = {
  ...shown,
  description: Type.String({ description: "Empty if the provider gave none." }),
  category: Type.String({ description: "`uncategorized` if the provider gave none." }),
};

const pricing = Type.String({
  description: "`free`, `$0.001 per 1,000 calls` or `$5.00 one-time`.",
});

const CatalogEntryShape = Type.Object(
  {
    ...listed,
    pricing,
    update_frequency: nullable(Type.String({ description: "The update frequency." })),
    reliability: Type.String({ description: "`99.2%`, or `unrated`." }),
    schema_hint: Type.Array(Type.String(), {
      maxItems: SCHEMA_HINT_MAX,
      description: "Top-level property names of the schema.",
    }),
  },
  { $id: "CatalogEntry", description: "A listed feed." },
);

export const CatalogShape = Type.Object(
  {
    message: Type.String({ description: "How many feeds there are, in words." }),
    total: count("Total number of listed feeds."),
    total_feeds: Type.Integer({
      minimum: 0,
      description: "The older name of `total`.",
      deprecated: true,
    }),
    ...page,
    feeds: Type.Array(CatalogEntryShape, { description: "Most recently published first." }),
    instructions: Type.String({ description: "Next steps, in words." }),
    _origin: OriginShape,
  },
  { $id: "Catalog", description: "A page of the catalog." },
);

const SearchHitShape = Type.Object(
  {
    ...listed,
    pricing,
    ...priced,
    price_per_1k: Type.Number({
      minimum: 0,
      description: "USD per 1,000 calls; 0 if calls are free.",
    }),
    reliability_score: nullable(
      Type.Number({ minimum: 0, maximum: 100, description: "Percent; null while unrated." }),
    ),
    update_frequency_text: nullable(
      Type.String({ description: "The update frequency, in the provider's words." }),
    ),
  },
  { $id: "SearchHit", description: "A search result." },
);

export const SearchResultsShape = Type.Object(
  {
    query: Type.String({ description: "The search query." }),
    total: count("Total number of feeds found."),
    ...page,
    results: Type.Array(SearchHitShape, { description: "Best match first." }),
    categories: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: CATEGORIES_LISTED_MAX,
        description:
          "If the requested `category` has no match: the categories that do, best first.",
      }),
    ),
    _origin: OriginShape,
  },
  { $id: "SearchResults", description: "A page of search results." },
);
