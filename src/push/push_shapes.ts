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
      event_timestamp: Type.Optional(time("Stream: RFC 3339; the time of receipt where left out.")),
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
          description: "Collection: true on the last request; the whole batch is swapped in.",
        }),
      ),
    ),
  },
  {
    $id: "PushWrapper",
    additionalProperties: false,
    description: "Data with what is said about it.",
  },
);

export const PushBodyShape = Type.Union([PushWrapperShape, RowShape, Type.Array(RowShape)], {
  $id: "PushBody",
  description: "The wrapper; or, in the older form, the payload alone.",
});

export const PushResultShape = Type.Object(
  {
    feed_id: uuid("Of the feed."),
    feed_type: oneOf(FEED_TYPES, { description: "As it is, or as this push decided it." }),
    status: oneOf(FEED_STATUSES, {
      description: "A first push activates a feed.",
    }),
    rows_received: count("Rows in the request."),
    rows_inserted: count("Rows that are new."),
    rows_updated: count("Rows that replaced one of the same id."),
    rows_duplicate: count(
      "Rows that a stream had already, or of a batch that came once more: skipped.",
    ),
    row_outcomes: Type.Array(oneOf(["inserted", "updated", "duplicate"]), {
      description: "What happened to each row, in the order of the push.",
    }),
    batch_id: nullable(Type.String({ description: "As given." })),
    batch_complete: Type.Boolean({ description: "Whether the batch was swapped in." }),
    is_visible: Type.Boolean({ description: "Whether readers see these rows now." }),
    detail: Type.Optional(
      Type.String({ description: "What is to be done so that readers see them." }),
    ),
    last_sync_at: nullable(time("The newest successful push.")),
    data_version: count("Moves when what readers see changes."),
    dry_run: Type.Optional(Type.Literal(true, { description: "Nothing was stored." })),
  },
  { $id: "PushResult", description: "The receipt of a push." },
);
