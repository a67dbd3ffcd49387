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
  description: Type.String({ description: "Empty where the provider gives none." }),
  category: Type.String({ description: "`uncategorized` where the provider gives none." }),
};

const pricing = Type.String({
  description: "`free`, `$0.001 per 1,000 calls` or `$5.00 one-time`.",
});

const CatalogEntryShape = Type.Object(
  {
    ...listed,
    pricing,
    update_frequency: nullable(Type.String({ description: "How often there is new data." })),
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
    total: count("Feeds listed in all."),
    total_feeds: Type.Integer({
      minimum: 0,
      description: "The older name of `total`.",
      deprecated: true,
    }),
    ...page,
    feeds: Type.Array(CatalogEntryShape, { description: "The newest published come first." }),
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
      description: "USD per 1,000 calls; 0 where calls cost nothing.",
    }),
    reliability_score: nullable(
      Type.Number({ minimum: 0, maximum: 100, description: "Percent; null while unrated." }),
    ),
    update_frequency_text: nullable(
      Type.String({ description: "How often there is new data, in the provider's words." }),
    ),
  },
  { $id: "SearchHit", description: "A feed that was found." },
);

export const SearchResultsShape = Type.Object(
  {
    query: Type.String({ description: "What was looked for." }),
    total: count("Feeds found in all."),
    ...page,
    results: Type.Array(SearchHitShape, { description: "The best match comes first." }),
    categories: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: CATEGORIES_LISTED_MAX,
        description: "Where the asked `category` has no hit: the categories that have, best first.",
      }),
    ),
    _origin: OriginShape,
  },
  { $id: "SearchResults", description: "A page of what was found." },
);
