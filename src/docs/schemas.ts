/**
 * The shapes of every body, in and out, by the name that they have under `components.schemas`.
 *
 * They document; they check nothing at run time. What is sent is held against them by
 * `test/docs/contract_test.ts`. Interface 2, decisions 2, 5, 6 and 10.
 *
 * @module
 */
import { type SchemaOptions, type TSchema, Type } from "@sinclair/typebox";
import { FEED_TYPES } from "../feed_row/feeds.ts";
import {
  BATCH_ID_LENGTH_MAX,
  CATEGORY_LENGTH_MAX,
  DESCRIPTION_LENGTH_MAX,
  ERRORS_LISTED_MAX,
  NAME_LENGTH_MAX,
  ONE_TIME_PRICE_CENTS_MIN,
  PAGE_LIMIT_MAX,
  PRICE_PER_1K_USD_MAX,
  README_LENGTH_MAX,
  SCHEMA_HINT_MAX,
  SYNC_INTERVAL_MINS_MAX,
  UPDATE_FREQUENCY_LENGTH_MAX,
} from "../limits.ts";
import { PROBLEM_CODES } from "./problems.ts";

const FEED_TYPE_ALIASES = ["snapshot", "version_collection", "time_stream"] as const;
const PRICE_TYPES = ["free", "metered", "one_time"] as const;
const STATUSES = ["draft", "inactive", "active"] as const;
const ENDPOINT_PATH = "^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$";

/** A reference to another of these schemas. */
export function ref(name: SchemaName): TSchema {
  return Type.Unsafe({ $ref: `#/components/schemas/${name}` });
}

/** One of a few texts, or null where `nullable`. */
function choice(values: readonly string[], options: SchemaOptions & { nullable?: boolean } = {}) {
  const { nullable: isNullable = false, ...rest } = options;
  return Type.Unsafe({
    type: isNullable ? ["string", "null"] : "string",
    enum: isNullable ? [...values, null] : values,
    ...rest,
  });
}

/** The same schema with null allowed, as JSON Schema 2020-12 says it shortest. */
function nullable(schema: TSchema): TSchema {
  return Type.Unsafe({ ...schema, type: [schema.type, "null"] });
}

const uuid = (description: string) => Type.String({ format: "uuid", description });
const time = (description: string) => Type.String({ format: "date-time", description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const page = {
  limit: Type.Integer({
    minimum: 1,
    maximum: PAGE_LIMIT_MAX,
    description: "Items asked for, after capping.",
  }),
  offset: count("Items skipped."),
  has_more: Type.Boolean({ description: "Whether there are items behind this page." }),
};

const Origin = Type.Object(
  {
    usage_id: uuid("UUIDv7 of the entry in the usage log, committed before this answer was sent."),
    timestamp: time("When the call was admitted."),
    feed_id: nullable(uuid("The feed that was read; null where the call is about none.")),
    credits_charged: Type.Number({
      minimum: 0,
      description: "Credits of 0.000001 USD, exact to three decimals.",
    }),
  },
  { description: "The receipt of a logged call." },
);

const CatalogEntry = Type.Object({
  id: uuid("Of the feed."),
  name: Type.String(),
  description: Type.String({ description: "Empty where the provider gives none." }),
  category: Type.String({ description: "`uncategorized` where the provider gives none." }),
  feed_type: choice(FEED_TYPES),
  consumer_type: choice(FEED_TYPES),
  endpoint_path: nullable(Type.String({ description: "Usable in place of the id." })),
  pricing: Type.String({
    description: "`free`, `$0.001 per 1,000 calls` or `$5.00 one-time`.",
  }),
  update_frequency: nullable(Type.String()),
  reliability: Type.String({ description: "`99.2%`, or `unrated`." }),
  last_sync_at: nullable(time("The newest successful push.")),
  schema_hint: Type.Array(Type.String(), {
    maxItems: SCHEMA_HINT_MAX,
    description: "Top-level property names of the schema.",
  }),
});

const Catalog = Type.Object({
  message: Type.String(),
  total: count("Feeds listed in all."),
  total_feeds: { ...count("The older name of `total`."), deprecated: true },
  ...page,
  feeds: Type.Array(ref("CatalogEntry")),
  instructions: Type.String({ description: "What to do next, in words." }),
  _origin: ref("Origin"),
});

const SearchHit = Type.Object({
  id: uuid("Of the feed."),
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  feed_type: choice(FEED_TYPES),
  consumer_type: choice(FEED_TYPES),
  endpoint_path: nullable(Type.String()),
  price_per_1k: Type.Number({ minimum: 0, description: "USD per 1,000 calls; 0 where free." }),
  reliability_score: nullable(Type.Number({ minimum: 0, maximum: 100 })),
  last_sync_at: nullable(time("The newest successful push.")),
  update_frequency_text: nullable(Type.String()),
});

const SearchResults = Type.Object({
  query: Type.String(),
  total: count("Feeds found in all."),
  ...page,
  results: Type.Array(ref("SearchHit")),
  _origin: ref("Origin"),
});

const StorageConfig = Type.Object(
  {
    max_body_bytes: Type.Integer({ minimum: 1 }),
    max_row_bytes: nullable(Type.Integer({ minimum: 1 })),
    max_rows: nullable(Type.Integer({ minimum: 1 })),
  },
  { description: "The guardrails of a push; the last two are null for singletons." },
);

const metadata = {
  id: uuid("Of the feed."),
  name: Type.String(),
  description: nullable(Type.String()),
  endpoint_path: nullable(Type.String({ description: "Usable in place of the id." })),
  readme_md: nullable(Type.String({ description: "Markdown." })),
  category: nullable(Type.String()),
  feed_type: choice(FEED_TYPES, { nullable: true, description: "Null until a push decides it." }),
  consumer_type: choice(FEED_TYPES, { description: "`feed_type`, or `singleton` while null." }),
  price_per_1k: nullable(Type.Number({ minimum: 0, description: "USD per 1,000 calls." })),
  price_type: choice(PRICE_TYPES),
  one_time_price_cents: nullable(Type.Integer({ minimum: ONE_TIME_PRICE_CENTS_MIN })),
  reliability_score: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Share of the last 30 days in which the data was as fresh as promised.",
    }),
  ),
  last_sync_at: nullable(time("The newest successful push.")),
  sync_interval_mins: nullable(Type.Integer({ minimum: 1, maximum: SYNC_INTERVAL_MINS_MAX })),
  update_frequency_text: nullable(Type.String()),
  storage_config: ref("StorageConfig"),
  schema_definition: Type.Unknown({
    description: "JSON Schema of one row or of the document, as the provider wrote it.",
  }),
  schema_version: Type.Number(),
  schema_locked: Type.Boolean({ description: "Whether pushes must meet the schema." }),
  sample_response: Type.Unknown({ description: "An example payload, as the provider wrote it." }),
  status: choice(STATUSES),
  provider: Type.Object({ id: uuid("Of the owner's account."), name: Type.String() }),
};

const FeedMetadata = Type.Object({ ...metadata, _origin: ref("Origin") });

const feedRow = {
  ...metadata,
  draft_step: nullable(Type.Number()),
  is_public: Type.Boolean({ description: "Set by the operator after review." }),
  created_at: time("When the feed was created."),
  updated_at: time("When its definition last changed."),
};

const FeedRow = Type.Object(feedRow, { description: "A feed as its owner sees it." });

const WrittenFeed = Type.Object(
  {
    ...feedRow,
    max_feeds_allowed: count("The account's quota."),
    feeds_used: count("Feeds of the account, drafts included."),
  },
  { description: "The full row of the feed that was written, with the state of the quota." },
);

const OwnFeeds = Type.Object({
  feeds: Type.Array(ref("FeedRow")),
  total: count("Feeds of the account."),
  ...page,
});

const writable = {
  description: Type.Optional(
    nullable(Type.String({ maxLength: DESCRIPTION_LENGTH_MAX, description: "Short text." })),
  ),
  readme_md: Type.Optional(
    nullable(Type.String({ maxLength: README_LENGTH_MAX, description: "Markdown." })),
  ),
  category: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: CATEGORY_LENGTH_MAX }))),
  feed_type: Type.Optional(
    choice([...FEED_TYPES, ...FEED_TYPE_ALIASES], {
      nullable: true,
      description:
        "`snapshot` means singleton, `version_collection` collection, `time_stream` stream; left out, the first push decides.",
    }),
  ),
  schema_definition: Type.Optional(
    Type.Unsafe({
      type: ["object", "null"],
      description:
        "JSON Schema (2020-12, or draft-07 where `$schema` says so) of one row or of the document.",
    }),
  ),
  schema_version: Type.Optional(Type.Number({ description: "1 where left out at creation." })),
  schema_locked: Type.Optional(
    Type.Boolean({ description: "Whether pushes must meet the schema." }),
  ),
  sample_response: Type.Optional(Type.Unknown({ description: "An example payload." })),
  sync_interval_mins: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SYNC_INTERVAL_MINS_MAX,
      description: "Expected minutes between pushes; 60 where left out at creation.",
    }),
  ),
  update_frequency_text: Type.Optional(
    nullable(Type.String({ maxLength: UPDATE_FREQUENCY_LENGTH_MAX })),
  ),
  draft_step: Type.Optional(
    nullable(
      Type.Number({
        description: "Step of a wizard. Null is taken only where it is null already.",
      }),
    ),
  ),
  price_type: Type.Optional(
    choice(PRICE_TYPES, { description: "Told from the prices where left out." }),
  ),
  price_per_1k: Type.Optional(
    nullable(
      Type.Number({
        minimum: 0,
        maximum: PRICE_PER_1K_USD_MAX,
        description: "USD per 1,000 calls, at most 6 decimals; above 0 for `metered`.",
      }),
    ),
  ),
  one_time_price_cents: Type.Optional(
    nullable(
      Type.Integer({
        description: `USD cents, at least ${ONE_TIME_PRICE_CENTS_MIN} for \`one_time\`.`,
      }),
    ),
  ),
};

const name = Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX });
const endpointPath = Type.String({
  pattern: ENDPOINT_PATH,
  description: "Unique slug of the feed's address; not of a UUID's form.",
});

const CreateFeed = Type.Object(
  {
    id: Type.Optional(uuid("An own feed's: edits it. Unknown: the new feed gets it.")),
    name,
    endpoint_path: endpointPath,
    ...writable,
    status: Type.Optional(
      choice(["draft", "inactive"], {
        description: "`draft` where left out; `inactive` needs `schema_definition`.",
      }),
    ),
  },
  {
    description: "Read-only fields of the feed's row are ignored; other unknown ones are refused.",
  },
);

const EditFeed = Type.Object(
  {
    name: Type.Optional(name),
    endpoint_path: Type.Optional(endpointPath),
    ...writable,
    status: Type.Optional(choice(STATUSES)),
  },
  { description: "What is left out stays as it is; null clears a field that may be null." },
);

const Row = Type.Object(
  {
    id: Type.Optional(
      Type.Unsafe({
        type: ["string", "number"],
        description: 'Collection and stream: unique. `1` and `"1"` are the same id.',
      }),
    ),
    event_timestamp: Type.Optional(time("Stream: RFC 3339; the time of receipt where left out.")),
  },
  { additionalProperties: true, description: "A row, or a singleton's document: any JSON object." },
);

const Payload = Type.Unsafe({ anyOf: [ref("Row"), Type.Array(ref("Row"))] });

const PushWrapper = Type.Object(
  {
    payload: Payload,
    batch_id: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: BATCH_ID_LENGTH_MAX,
          description: "Collection: the same value in every request of one batch.",
        }),
      ),
    ),
    batch_complete: Type.Optional(
      nullable(
        Type.Boolean({
          description: "Collection: true on the last request; the whole batch is swapped in.",
        }),
      ),
    ),
  },
  { additionalProperties: false },
);

const PushBody = Type.Unsafe({
  anyOf: [ref("PushWrapper"), Payload],
  description: "The wrapper; or, in the older form, the payload alone.",
});

const PushResult = Type.Object({
  feed_id: uuid("Of the feed."),
  feed_type: choice(FEED_TYPES),
  status: choice(STATUSES, { description: "A first push activates a feed." }),
  rows_received: count("Rows in the request."),
  rows_inserted: count("Rows that are new."),
  rows_updated: count("Rows that replaced one of the same id."),
  rows_duplicate: count(
    "Rows that a stream had already, or of a batch that came once more: skipped.",
  ),
  row_outcomes: Type.Array(choice(["inserted", "updated", "duplicate"]), {
    description: "What happened to each row, in the order of the push.",
  }),
  batch_id: nullable(Type.String({ description: "As given." })),
  batch_complete: Type.Boolean(),
  last_sync_at: nullable(time("The newest successful push.")),
  data_version: count("Moves when what readers see changes."),
  dry_run: Type.Optional(Type.Literal(true, { description: "Nothing was stored." })),
});

const ReadResult = Type.Object(
  {
    data: Type.Unknown({
      description:
        "Singleton: the document. Collection, stream: an array of rows. With `jsonpath`: what it picks.",
    }),
    limit: Type.Optional(page.limit),
    offset: Type.Optional(count("Rows skipped; 0 with `cursor` or `ids`.")),
    has_more: Type.Optional(page.has_more),
    next_cursor: Type.Optional(
      nullable(Type.String({ description: "Pass it as `cursor`; null on the last page." })),
    ),
    _origin: ref("Origin"),
  },
  { description: "A singleton has only `data` and `_origin`." },
);

const Account = Type.Object({
  id: uuid("Of the account."),
  name: Type.String(),
  balance: Type.Object({
    credits: Type.Number({ minimum: 0, description: "Exact to three decimals." }),
    usd: Type.Number({ minimum: 0, description: "Exact to nine decimals." }),
  }),
  limits: Type.Array(
    Type.Object({
      operation: Type.String(),
      tier: choice(["free", "paid", "all"], {
        description: "The feed's pricing decides for data.",
      }),
      limit: Type.Integer({ minimum: 1 }),
      window_seconds: Type.Integer({ minimum: 1 }),
    }),
  ),
});

const UsageEvent = Type.Object({
  usage_id: uuid("The same as in the answer's `_origin`."),
  timestamp: time("When the call was admitted."),
  operation: choice(["catalog", "search", "metadata", "data"]),
  feed_id: nullable(uuid("Null for catalog and search.")),
  credits_charged: Type.Number({ minimum: 0, description: "0 after a refund." }),
});

const Usage = Type.Object({
  usage: Type.Array(ref("UsageEvent")),
  limit: page.limit,
  has_more: page.has_more,
  next_cursor: nullable(Type.String()),
});

const SkillIndex = Type.Object({
  $schema: Type.String({ format: "uri" }),
  skills: Type.Array(
    Type.Object({
      name: Type.String({ pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$", maxLength: 64 }),
      type: Type.Literal("skill-md"),
      description: Type.String({ minLength: 1, maxLength: 1_024 }),
      url: Type.String({ format: "uri" }),
      digest: Type.String({
        pattern: "^sha256:[0-9a-f]{64}$",
        description: "SHA-256 of the file at `url`.",
      }),
    }),
  ),
});

const Health = Type.Object({ status: choice(["ok", "ready"]) });

const FieldError = Type.Object({
  path: Type.String({ description: "JSON Pointer (RFC 6901) into the body as sent." }),
  message: Type.String(),
  row_index: Type.Optional(count("Place of the pushed row, from 0.")),
  row_id: Type.Optional(Type.String({ description: "Its id." })),
});

const Problem = Type.Object(
  {
    type: Type.String({ format: "uri", description: "Where the error is explained." }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: "What is wrong and what to do." }),
    code: choice(PROBLEM_CODES, { description: "Stable; decide by it." }),
    request_id: Type.String({ description: "The same as `X-Request-Id`." }),
    retry_after_ms: Type.Optional(count("429 and 503: how long to wait.")),
    limit: Type.Optional(
      choice(["singleton_body", "request_body", "row_count", "row_payload"], {
        description: "413: which limit was passed.",
      }),
    ),
    max_bytes: Type.Optional(count("413: the limit in bytes.")),
    max_rows: Type.Optional(count("413: the limit in rows.")),
    row_index: Type.Optional(count("413: place of the first row too large, from 0.")),
    billing_url: Type.Optional(Type.String({ format: "uri", description: "402: where to pay." })),
    price_credits: Type.Optional(Type.Number({ description: "402: price of the call." })),
    balance_credits: Type.Optional(Type.Number({ description: "402: what is left." })),
    shortfall_credits: Type.Optional(Type.Number({ description: "402: what is missing." })),
    price_usd: Type.Optional(Type.Number({ description: "402: price of the call." })),
    max_feeds_allowed: Type.Optional(count("403: the account's quota.")),
    feeds_used: Type.Optional(count("403: feeds of the account, drafts included.")),
    errors: Type.Optional(
      Type.Array(ref("FieldError"), {
        maxItems: ERRORS_LISTED_MAX,
        description: "422: the first mistakes.",
      }),
    ),
    error_count: Type.Optional(count("422: all mistakes.")),
  },
  { description: "An error as RFC 9457 problem details." },
);

/** Every schema, by name. */
export const SCHEMAS: Readonly<Record<SchemaName, TSchema>> = {
  Account,
  Catalog,
  CatalogEntry,
  CreateFeed,
  EditFeed,
  FeedMetadata,
  FeedRow,
  FieldError,
  Health,
  Origin,
  OwnFeeds,
  Problem,
  PushBody,
  PushResult,
  PushWrapper,
  ReadResult,
  Row,
  SearchHit,
  SearchResults,
  SkillIndex,
  StorageConfig,
  Usage,
  UsageEvent,
  WrittenFeed,
};

/** Listed apart, since the schemas refer to one another by these names. */
export type SchemaName =
  | "Account"
  | "Catalog"
  | "CatalogEntry"
  | "CreateFeed"
  | "EditFeed"
  | "FeedMetadata"
  | "FeedRow"
  | "FieldError"
  | "Health"
  | "Origin"
  | "OwnFeeds"
  | "Problem"
  | "PushBody"
  | "PushResult"
  | "PushWrapper"
  | "ReadResult"
  | "Row"
  | "SearchHit"
  | "SearchResults"
  | "SkillIndex"
  | "StorageConfig"
  | "Usage"
  | "UsageEvent"
  | "WrittenFeed";
