/**
 * The audit trail: who changed what, with the values before and after. Database triggers write an entry with each
 * change: `note_audit` and `note_access` (migration 0039), and `note_webhook` (0040). `act_as.sql` sets the actor.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { FACES } from "../accounts/actor.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import type { Row } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";
import { accountReference, feedReference } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { NUMBER_CURSOR } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { accountIdOf, feedIdOf } from "./references.ts";
import { requireInOrder } from "./time_range.ts";

export const AuditEventShape = Type.Object(
  {
    id: Type.Integer({ description: "Increases with time." }),
    happened_at: time("When it happened."),
    actor: Type.String({ description: "Who made the change." }),
    face: nullable(
      oneOf(FACES, {
        description:
          "The interface: the command, the API, or the console. Null: the database's own user, or an older version of Feedgate.",
      }),
    ),
    action: Type.String({ description: "The operation." }),
    account_id: nullable(uuid("The account that was changed, or that owns what was changed.")),
    feed_id: nullable(uuid("The feed that was changed.")),
    before: Type.Unknown({
      description: "The changed fields before the change; null if there was nothing.",
    }),
    after: Type.Unknown({ description: "The changed fields after the change." }),
  },
  { $id: "AuditEvent", description: "A change." },
);

/** An event whose `before` and `after` are JSON texts. */
export type AuditEvent = Row<"list_audit_events">;

export const ListAuditEventsInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(accountReference),
  feed_id: Type.Optional(feedReference),
  since: Type.Optional(time("Inclusive lower bound.")),
  until: Type.Optional(time("Inclusive upper bound.")),
});

/** What a page of the console filters by, besides. */
interface AuditFilter {
  /** As the trail has it, without the face. */
  readonly actor?: string | undefined;
  /** The first word of an action, such as `feed`, or a whole action, such as `feed publish`. */
  readonly actionKind?: string | undefined;
}

/** Newest first. The cursor is an event's id. */
export async function listAuditEvents(
  { database }: Operator,
  input: InputOf<typeof ListAuditEventsInput> & AuditFilter,
): Promise<Page<AuditEvent>> {
  requireInOrder(input);
  const { limit, cursor, since = null, until = null } = input;
  const accountId = await accountIdOf(database, input.account_id);
  const feedId = await feedIdOf(database, input.feed_id);
  const [before = null] = NUMBER_CURSOR.parse(cursor).map(BigInt);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_audit_events", {
          account_id: accountId,
          feed_id: feedId,
          actor: input.actor ?? null,
          action_kind: input.actionKind ?? null,
          since,
          until,
          before_event_id: before,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => row.event_id,
    entryOf: (row) => row,
  });
}

/** The event as the text of a JSON object. */
export function auditEventText(row: AuditEvent): string {
  const { before, after, event_id: id, ...rest } = row;
  const plain = JSON.stringify(rest).slice(1, -1);
  return `{"id":${id},${plain},"before":${before ?? "null"},"after":${after ?? "null"}}`;
}
