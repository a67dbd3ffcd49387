/**
 * The deliveries of all accounts, for operators.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { NOTICES_KEPT_MS } from "../limits.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { findAccount } from "../operator/references.ts";
import { uuid } from "../shapes.ts";
import { DELIVERY, DELIVERY_STATUSES, DeliveryShape } from "./webhook_shapes.ts";
import { deliveryOf } from "./webhooks.ts";

export const ListNoticesInput = Type.Object({
  account_id: Type.Optional(
    Type.String({ description: "Only deliveries of this account, by id or exact name." }),
  ),
  status: Type.Optional(
    oneOf(DELIVERY_STATUSES, { description: "Only deliveries with this status." }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Maximum number of deliveries." })),
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Deliveries to skip." })),
});

export const NoticeDeliveryShape = Type.Object(
  {
    ...DeliveryShape.properties,
    account_id: nullable(uuid("The account of the webhook. Null for an operators' webhook.")),
    url: Type.String({ description: "The address." }),
  },
  { $id: "NoticeDelivery", description: "A delivery, with its account." },
);
export const NOTICE_DELIVERY = {
  ...DELIVERY,
  account_id: "7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11",
  url: "https://example.com/hooks/feedgate",
};

const PAGE_LIMIT = 50;

/** The newest first. @throws {Refused} for an unknown account */
export async function allDeliveries(
  { database }: Pick<Operator, "database">,
  input: InputOf<typeof ListNoticesInput>,
) {
  const { account_id: account, status = null, limit = PAGE_LIMIT, offset = 0 } = input;
  const found = account === undefined ? undefined : await findAccount(database, account);
  const rows = await database.rows("list_all_deliveries", {
    account_id: found?.account_id ?? null,
    status,
    since: new Date(Date.now() - NOTICES_KEPT_MS).toISOString(),
    // One more shows whether there is another page.
    limit: BigInt(limit + 1),
    offset: BigInt(offset),
  });
  return {
    deliveries: rows.slice(0, limit).map((row) => {
      const { account_id, url } = row;
      return { ...deliveryOf(row), account_id, url };
    }),
    limit,
    offset,
    has_more: rows.length > limit,
  };
}
