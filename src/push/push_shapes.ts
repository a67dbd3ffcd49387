/**
 * The documented and typed bodies of a push. `parse_push.ts` decides what a body means, from the provider's own text.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { FEED_STATUSES, FEED_TYPES } from "../feeds/find.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { BATCH_ID_LENGTH_MAX } from "../limits.ts";
import { count, time, uuid } from "../shapes.ts";

/** Other members are defined by the provider. */
const RowShape = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {
      id: Type.Optional(
        Type.Union([Type.String(), Type.Number()], {
          description: 'Collection and stream: unique. `1` and `"1"` are the same id.',
        }),
      ),
      event_timestamp: Type.Optional(time("Stream: RFC 3339. Default: the time of receipt.")),
    },
    {
      $id: "Row",
      additionalProperties: true,
      description: "A row, or a singleton's document: any JSON object.",
    },
  ),
);

const Payload = Type.Union([RowShape, Type.Array(RowShape)], { description: "The data." });

const PushWrapperShape = Type.Object(
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
          description:
            "Collection: true on the last request; the batch then replaces the current one.",
        }),
      ),
    ),
  },
  {
    $id: "PushWrapper",
    additionalProperties: false,
    description: "The payload with options.",
  },
);

export const PushBodyShape = Type.Union([PushWrapperShape, RowShape, Type.Array(RowShape)], {
  $id: "PushBody",
  description: "The wrapper or, in the older form, only the payload.",
});

export const PushResultShape = Type.Object(
  {
    feed_id: uuid("Of the feed."),
    feed_type: oneOf(FEED_TYPES, {
      description: "The feed's type, as set by this push or earlier.",
    }),
    status: oneOf(FEED_STATUSES, {
      description: "A first push activates a feed.",
    }),
    rows_received: count("Rows in the request."),
    rows_inserted: count("New rows."),
    rows_updated: count("Rows that replaced a row with the same id."),
    rows_duplicate: count(
      "Skipped rows: those that the stream already contains, or rows of a repeated batch.",
    ),
    row_outcomes: Type.Array(oneOf(["inserted", "updated", "duplicate"]), {
      description: "The outcome of each row, in the order of the push.",
    }),
    batch_id: nullable(Type.String({ description: "As given." })),
    batch_complete: Type.Boolean({ description: "Whether the batch replaced the current one." }),
    is_visible: Type.Boolean({ description: "Whether these rows are visible to readers." }),
    detail: Type.Optional(Type.String({ description: "What to do to make them visible." })),
    last_sync_at: nullable(time("The newest successful push.")),
    data_version: count("Changes when the visible data changes."),
    dry_run: Type.Optional(Type.Literal(true, { description: "Nothing was stored." })),
  },
  { $id: "PushResult", description: "The receipt of a push." },
);
