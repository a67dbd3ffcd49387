/**
 * The deliveries of one webhook or of all accounts, for operators.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { NOTICES_KEPT_MS } from "../limits.ts";
import { inTime } from "../operator/in_time.ts";
import { defineCursor, timePart, uuidPart } from "../operator/keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "../operator/keyset_page.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { accountIdOf } from "../operator/references.ts";
import { uuid } from "../shapes.ts";
import { DELIVERY, DELIVERY_STATUSES, DeliveryShape } from "./webhook_shapes.ts";
import { deliveryOf } from "./webhooks.ts";

export const DELIVERIES_CURSOR = defineCursor(timePart, uuidPart);

export const ListNoticesInput = Type.Object({
  ...PAGE_INPUT,
  account_id: Type.Optional(
    Type.String({ description: "Only deliveries of this account, by id or exact name." }),
  ),
  status: Type.Optional(
    oneOf(DELIVERY_STATUSES, { description: "Only deliveries with this status." }),
  ),
});

export const NoticeDeliveryShape = Type.Object(
  {
    ...DeliveryShape.properties,
    account_id: nullable(uuid("The account of the webhook. Null for an operators' webhook.")),
    url: Type.String({ description: "The address." }),
  },
  { $id: "NoticeDelivery", description: "A delivery, with its account." },
);
type NoticeDelivery = Static<typeof NoticeDeliveryShape>;
export const NOTICE_DELIVERY = {
  ...DELIVERY,
  account_id: "7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11",
  url: "https://example.com/hooks/feedgate",
};

/** The newest first. @throws {Refused} for an unknown account, and for a cursor of another list */
export async function allDeliveries(
  { database }: Pick<Operator, "database">,
  input: InputOf<typeof ListNoticesInput> & { readonly webhook_id?: string },
): Promise<Page<NoticeDelivery>> {
  const { webhook_id: webhookId = null, account_id: account, status = null } = input;
  const [beforeTime = null, beforeId = null] = DELIVERIES_CURSOR.parse(input.cursor);
  const accountId = await accountIdOf(database, account);
  return readPage(input.limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("list_all_deliveries", {
          webhook_id: webhookId,
          account_id: accountId,
          status,
          since: new Date(Date.now() - NOTICES_KEPT_MS).toISOString(),
          before_created_at: beforeTime,
          before_delivery_id: beforeId,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => DELIVERIES_CURSOR.write(row.created_at, row.delivery_id),
    entryOf: (row) => ({ ...deliveryOf(row), account_id: row.account_id, url: row.url }),
  });
}
