/**
 * An account's request to read a feed, as seen by the feed's provider, the account, and operators. See
 * `src/spec/beyond.md`, section 18.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nameIn } from "../lib/assert.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import type { Row } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";

export const ACCESS_REQUEST_STATES = ["waiting", "approved", "declined"] as const;

export const AccessRequestShape = Type.Object(
  {
    request_id: uuid("Of the request."),
    feed_id: uuid("Of the feed."),
    endpoint_path: nullable(
      Type.String({
        description:
          "The feed's slug. Null once the feed is deleted and the slug is available again.",
      }),
    ),
    feed_name: Type.String({ description: "The feed's name." }),
    account_id: uuid("The account that asks."),
    account_name: Type.String({ description: "Its name." }),
    message: nullable(Type.String({ description: "How it will use the data." })),
    status: oneOf(ACCESS_REQUEST_STATES, { description: "The outcome." }),
    reason: nullable(
      Type.String({ description: "Why it was declined, if the provider gave a reason." }),
    ),
    asked_at: time("When it was requested."),
    answered_at: nullable(time("When it was answered.")),
  },
  { $id: "AccessRequest", description: "An account's request to read a feed." },
);
export type AccessRequest = Static<typeof AccessRequestShape>;

export function accessRequestOf(row: Row<"list_access_requests">): AccessRequest {
  return { ...row, status: nameIn(ACCESS_REQUEST_STATES, row.status) };
}
