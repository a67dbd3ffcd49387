/**
 * A line of the usage log, with the names of `GET /v1/usage` and of the operator's export.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { creditsText } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";

export const UsageEventShape = Type.Object(
  {
    usage_id: uuid("The same as in the response's `_origin`."),
    timestamp: time("When the call was admitted."),
    operation: oneOf(["catalog", "search", "metadata", "data", "stream", "export", "purchase"], {
      description: "The kind of read, or a purchase.",
    }),
    feed_id: nullable(uuid("Null for catalog and search.")),
    credits_charged: Type.Number({ minimum: 0, description: "0 after a refund." }),
    key_id: nullable(uuid("The key used for the call.")),
  },
  { $id: "UsageEvent", description: "A logged call." },
);

export type UsageRow = Row<"page_usage" | "export_usage">;

/** The names, in order. They are also the header of the CSV. */
export const USAGE_COLUMNS = [
  "usage_id",
  "timestamp",
  "operation",
  "feed_id",
  "credits_charged",
  "key_id",
] as const;

/** A usage event as the text of a JSON object, with exact amounts and times to the microsecond. */
export function usageEventText(row: UsageRow): string {
  const feed = JSON.stringify(row.feed_id);
  const key = JSON.stringify(row.key_id);
  return `{"usage_id":"${row.usage_id}","timestamp":"${row.timestamp}","operation":"${row.operation}","feed_id":${feed},"credits_charged":${creditsText(row.charge_nanos)},"key_id":${key}}`;
}

/** A usage event as a line of CSV (RFC 4180). None of its values needs quotes. */
export function usageEventLine(row: UsageRow): string {
  return [
    row.usage_id,
    row.timestamp,
    row.operation,
    row.feed_id ?? "",
    creditsText(row.charge_nanos),
    row.key_id ?? "",
  ].join(",");
}
