/**
 * The shapes of a feed in answers, and in the bodies of create and edit.
 *
 * See `src/spec/interface.md`, section 2.1.
 *
 * @module
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox";
import { isObject, keysOf } from "../lib/records.ts";
import { Expected, nullable, oneOf, text } from "../lib/typebox.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  CATEGORY_LENGTH_MAX,
  DESCRIPTION_LENGTH_MAX,
  NAME_LENGTH_MAX,
  ONE_TIME_PRICE_CENTS_MIN,
  PRICE_PER_1K_USD_MAX,
  README_LENGTH_MAX,
  RETENTION_DAYS_MAX,
  SCHEMA_CHANGES_LISTED_MAX,
  SYNC_INTERVAL_MINS_MAX,
  UPDATE_FREQUENCY_LENGTH_MAX,
} from "../limits.ts";
import { count, OriginShape, page, time, uuid } from "../shapes.ts";
import { openBatches } from "./feed_contents.ts";
import { FEED_ACCESS, FEED_STATUSES, FEED_TYPES, PRICE_TYPES } from "./find.ts";
import { COMPATIBILITIES } from "./schema_changes.ts";

/** The states of a feed's review. A listed feed has been reviewed. */
export const REVIEWS = ["none", "waiting", "listed", "declined"] as const;

export const FEED_TYPE_ALIASES = {
  snapshot: "singleton",
  version_collection: "collection",
  time_stream: "stream",
} as const;
const FEED_TYPES_TAKEN = [...FEED_TYPES, ...keysOf(FEED_TYPE_ALIASES)];

/** Members of a feed wherever it is shown to readers. */
export const shown = {
  id: uuid("Of the feed."),
  name: Type.String({ description: "Display name." }),
  feed_type: oneOf(FEED_TYPES, { description: "How the data is stored." }),
  consumer_type: oneOf(FEED_TYPES, {
    description: "How the data is read; the same as `feed_type`.",
  }),
  endpoint_path: nullable(Type.String({ description: "Usable in place of the id." })),
  last_sync_at: nullable(time("The newest successful push.")),
};

/** How a feed is paid for, in addition to the price per call. */
export const priced = {
  price_type: oneOf(PRICE_TYPES, {
    description: "What is charged: nothing, each call, or a one-time price.",
  }),
  one_time_price_cents: nullable(
    Type.Integer({ minimum: ONE_TIME_PRICE_CENTS_MIN, description: "USD cents, paid once." }),
  ),
};

const StorageConfigShape = Type.Object(
  {
    max_body_bytes: Type.Integer({ minimum: 1, description: "Maximum bytes per push." }),
    max_row_bytes: nullable(Type.Integer({ minimum: 1, description: "Maximum bytes per row." })),
    max_rows: nullable(Type.Integer({ minimum: 1, description: "Maximum rows per push." })),
  },
  {
    $id: "StorageConfig",
    description: "The limits of a push; the last two are null for singletons.",
  },
);

const metadata = {
  id: shown.id,
  name: shown.name,
  description: nullable(Type.String({ description: "Short text." })),
  endpoint_path: shown.endpoint_path,
  readme_md: nullable(Type.String({ description: "Markdown." })),
  category: nullable(Type.String({ description: "As named by the provider." })),
  feed_type: nullable(oneOf(FEED_TYPES, { description: "Null until the first push sets it." })),
  consumer_type: oneOf(FEED_TYPES, { description: "`feed_type`, or `singleton` while null." }),
  price_per_1k: nullable(Type.Number({ minimum: 0, description: "USD per 1,000 calls." })),
  ...priced,
  access: oneOf(FEED_ACCESS, {
    description:
      "Who can read it: every account, accounts whose request the provider approves, or only accounts that the provider invites.",
  }),
  reliability_score: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Percentage of the last 30 days in which the data was up to date.",
    }),
  ),
  last_sync_at: shown.last_sync_at,
  sync_interval_mins: nullable(
    Type.Integer({
      minimum: 1,
      maximum: SYNC_INTERVAL_MINS_MAX,
      description: "Expected minutes between pushes.",
    }),
  ),
  update_frequency_text: nullable(
    Type.String({ description: "The update frequency, in the provider's words." }),
  ),
  storage_config: StorageConfigShape,
  schema_definition: Type.Unknown({
    description: "JSON Schema of one row or of the document, as the provider wrote it.",
  }),
  schema_version: Type.Number({ description: "Set by the provider." }),
  schema_changed_at: nullable(time("When `schema_definition` last changed; null if it never did.")),
  schema_locked: Type.Boolean({ description: "Whether pushes must match the schema." }),
  sample_response: Type.Unknown({ description: "An example payload, as the provider wrote it." }),
  status: oneOf(FEED_STATUSES, { description: "Only active feeds can be read." }),
  provider: Type.Object(
    {
      id: uuid("Of the owner's account."),
      name: Type.String({ description: "The owner's name." }),
    },
    { description: "The owner of the feed." },
  ),
};

export const FeedMetadataShape = Type.Object(
  {
    ...metadata,
    oldest_event: nullable(time("The oldest `event_timestamp` of a stream's events.")),
    newest_event: nullable(time("The newest `event_timestamp`.")),
    row_count: count("Rows visible to readers; 1 for a singleton."),
    bytes: count("UTF-8 bytes of their JSON text."),
    credits_to_read_all: Type.Number({
      minimum: 0,
      description:
        "The cost of reading every row once, in pages of 100. For a one-time feed, its price, after which reads are free. 0 if the provider grants the account free reads.",
    }),
    _origin: OriginShape,
  },
  { $id: "FeedMetadata", description: "A feed's metadata, without its rows." },
);

const retentionDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: RETENTION_DAYS_MAX,
    description:
      "Streams only: events whose `event_timestamp` is older than this number of days can no longer be read and are deleted. Null: events are kept.",
  }),
);

const row = {
  ...metadata,
  draft_step: nullable(Type.Number({ description: "Step of a wizard." })),
  retention_days: retentionDays,
  is_public: Type.Boolean({ description: "Set by the operator after review." }),
  review: oneOf(REVIEWS, {
    description: "Whether a review was requested, and its outcome.",
  }),
  review_reason: nullable(Type.String({ description: "Why it was declined." })),
  created_at: time("When the feed was created."),
  updated_at: time("When its definition last changed."),
};

export const FeedRowShape = Type.Object(row, {
  $id: "FeedRow",
  description: "The complete feed.",
});

export const WrittenFeedShape = Type.Object(
  {
    ...row,
    max_feeds_allowed: count("The account's quota."),
    feeds_used: count("Feeds of the account, drafts included."),
    warnings: Type.Array(Type.String(), {
      description:
        "Valid but probably unintended settings of schema, sample and newest rows, one sentence each.",
    }),
  },
  {
    $id: "WrittenFeed",
    description: "The complete saved feed, with the state of the quota and warnings.",
  },
);

const {
  schema_definition: schemaDefinition,
  readme_md: readmeMd,
  sample_response: sampleResponse,
  ...slimRow
} = row;
export const OwnFeedShape = Type.Object(
  {
    ...slimRow,
    schema_definition: Type.Optional(schemaDefinition),
    readme_md: Type.Optional(readmeMd),
    sample_response: Type.Optional(sampleResponse),
    row_count: count("Rows visible to readers; 1 for a singleton."),
    last_refusal: nullable(
      Type.Object(
        {
          push_id: count("Of the push."),
          pushed_at: time("When it was received."),
          code: Type.String({ description: "Of the problem." }),
          detail: Type.String({ description: "The `detail` of the problem." }),
        },
        { description: "The newest refused push of the last 90 days." },
      ),
    ),
    reads: count("Logged reads of the last 30 days, including today; at most one minute old."),
    readers: count("Distinct accounts that read or bought in this period."),
    net_usd: Type.Number({ description: "Earnings in this period, minus refunds and fees." }),
    open_batches: openBatches,
    suspension_reason: Type.Optional(
      Type.String({
        description: "Why the operator has suspended it; absent if the feed is not suspended.",
      }),
    ),
  },
  { $id: "OwnFeed", description: "A feed as its owner sees it, with its size." },
);

export const OwnFeedsShape = Type.Object(
  {
    feeds: Type.Array(OwnFeedShape, { description: "Newest first." }),
    total: count("Feeds of the account."),
    ...page,
  },
  { $id: "OwnFeeds", description: "A page of an account's own feeds." },
);

const SchemaChangeShape = Type.Object(
  {
    path: Type.String({ description: "RFC 6901 JSON Pointer inside the schema." }),
    change: Type.String({ description: "What has changed, such as `type widened`." }),
    why: Type.String({ description: "What it means for readers." }),
  },
  { $id: "SchemaChange", description: "A change in a schema." },
);

/** The effect of an edit that was not saved. */
export const EditJudgementShape = Type.Object(
  {
    dry_run: Type.Literal(true, { description: "Nothing was saved." }),
    compatibility: oneOf(COMPATIBILITIES, {
      description:
        "Whether the new schema can break agents built on the old one; `same` if the body contains no schema.",
    }),
    changes: Type.Array(SchemaChangeShape, {
      description: `Breaking changes first, at most ${SCHEMA_CHANGES_LISTED_MAX}.`,
    }),
    refused_with: nullable(
      Type.Literal("SCHEMA_BREAKING", {
        description:
          "The code with which the edit is refused, because it needs a higher `schema_version`. Null: it would be saved.",
      }),
    ),
  },
  { $id: "EditJudgement", description: "What an edit would change for readers." },
);

export const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/;

TypeRegistry.Set(
  "Slug",
  (_, value) =>
    // A slug in the form of a UUID would be mistaken for an id.
    typeof value === "string" && SLUG.test(value) && parseUuid(value) === undefined,
);
TypeRegistry.Set("JsonObject", (_, value) => isObject(value));
TypeRegistry.Set(
  "FeedId",
  (_, value) => typeof value === "string" && parseUuid(value) !== undefined,
);

/** Fields that both create and edit accept. */
const writable = {
  description: Type.Optional(
    nullable(text({ maxLength: DESCRIPTION_LENGTH_MAX, description: "Short text." })),
  ),
  readme_md: Type.Optional(
    nullable(text({ maxLength: README_LENGTH_MAX, description: "Markdown." })),
  ),
  category: Type.Optional(
    nullable(
      text({ minLength: 1, maxLength: CATEGORY_LENGTH_MAX, description: "One word or a few." }),
    ),
  ),
  feed_type: Type.Optional(
    nullable(
      oneOf(FEED_TYPES_TAKEN, {
        [Expected]: `one of ${FEED_TYPES.join(", ")}`,
        description:
          "`snapshot` means singleton, `version_collection` collection, `time_stream` stream; if omitted, the first push sets it.",
      }),
    ),
  ),
  schema_definition: Type.Optional(
    nullable(
      Type.Unsafe<object>({
        [Kind]: "JsonObject",
        [Expected]: "a JSON Schema object",
        type: "object",
        description:
          "JSON Schema (2020-12, or draft-07 if `$schema` says so) of one row or of the document.",
      }),
    ),
  ),
  schema_version: Type.Optional(Type.Number({ description: "Default at creation: 1." })),
  schema_locked: Type.Optional(
    Type.Boolean({ description: "Whether pushes must match the schema." }),
  ),
  sample_response: Type.Optional(Type.Unknown({ description: "An example payload." })),
  sync_interval_mins: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: SYNC_INTERVAL_MINS_MAX,
      description: "Expected minutes between pushes. Default at creation: 60.",
    }),
  ),
  update_frequency_text: Type.Optional(
    nullable(
      text({
        maxLength: UPDATE_FREQUENCY_LENGTH_MAX,
        description: "The update frequency, in words.",
      }),
    ),
  ),
  retention_days: Type.Optional(retentionDays),
  access: Type.Optional(
    oneOf(FEED_ACCESS, {
      description:
        "Who can read the feed: every account, accounts whose request you approve, or only accounts that you invite. Applies from the next read.",
    }),
  ),
  request_review: Type.Optional(
    Type.Boolean({
      description:
        "True asks the operator to list the feed, even repeatedly. It changes nothing else.",
    }),
  ),
  price_type: Type.Optional(
    oneOf(PRICE_TYPES, { description: "If omitted, it follows from the prices." }),
  ),
  price_per_1k: Type.Optional(
    nullable(
      Type.Number({
        description: `USD per 1,000 calls, 0 to ${PRICE_PER_1K_USD_MAX}, at most 6 decimals; above 0 for \`metered\`.`,
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

const name = text({ minLength: 1, maxLength: NAME_LENGTH_MAX, description: "Display name." });
const endpointPath = Type.Unsafe<string>({
  [Kind]: "Slug",
  [Expected]: "1 to 80 lower-case letters, digits and inner hyphens, and no UUID",
  type: "string",
  pattern: SLUG.source,
  description: "Unique slug in the feed's address; must not look like a UUID.",
});

export const CreateFeedShape = Type.Object(
  {
    id: Type.Optional(
      Type.Unsafe<string>({
        [Kind]: "FeedId",
        [Expected]: "a UUID; leave it out to get a new one",
        type: "string",
        format: "uuid",
        description:
          "The id of one of your feeds edits that feed. An unknown id becomes that of the new feed.",
      }),
    ),
    name,
    endpoint_path: endpointPath,
    ...writable,
    draft_step: Type.Optional(Type.Number({ description: "Step of a wizard." })),
    status: Type.Optional(
      oneOf(["draft", "inactive"], {
        description: "Default `draft`. `inactive` requires `schema_definition`.",
      }),
    ),
  },
  {
    $id: "CreateFeed",
    additionalProperties: false,
    description: "Read-only fields of a feed are ignored; unknown fields are refused.",
  },
);

export const EditFeedShape = Type.Object(
  {
    name: Type.Optional(name),
    endpoint_path: Type.Optional(endpointPath),
    ...writable,
    draft_step: Type.Optional(
      nullable(
        Type.Number({
          description: "Step of a wizard. Null is accepted only if it is already null.",
        }),
      ),
    ),
    status: Type.Optional(
      oneOf(FEED_STATUSES, { description: "Every status except draft requires a schema." }),
    ),
  },
  {
    $id: "EditFeed",
    additionalProperties: false,
    description: "Fields that are left out stay unchanged; null clears a nullable field.",
  },
);

/** The ids that were removed, and those that the feed does not contain. */
export const DeletedRowsShape = Type.Object(
  {
    deleted: Type.Array(Type.String(), { description: "Ids of the deleted rows." }),
    missing: Type.Array(Type.String(), { description: "Ids without a row." }),
  },
  { $id: "DeletedRows", description: "The requested ids." },
);
