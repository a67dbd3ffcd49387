/**
 * Request and response bodies of the routes that manage webhooks.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { nullable, oneOf, text } from "../lib/typebox.ts";
import { WEBHOOK_FEEDS_MAX, WEBHOOK_URL_LENGTH_MAX } from "../limits.ts";
import { count, page, time, uuid } from "../shapes.ts";
import { NOTICE_TYPE_NAMES } from "./notice_types.ts";

const url = text({
  minLength: 1,
  maxLength: WEBHOOK_URL_LENGTH_MAX,
  description: "An https URL that can be reached from the internet.",
});
const types = Type.Array(oneOf(NOTICE_TYPE_NAMES), {
  minItems: 1,
  maxItems: NOTICE_TYPE_NAMES.length,
  uniqueItems: true,
  description: "The types of notices to send. The key's permission must allow them.",
});
const feedIds = nullable(
  Type.Array(Type.String(), {
    minItems: 1,
    maxItems: WEBHOOK_FEEDS_MAX,
    description:
      "The only feeds to send notices about, by id or slug. Null: for a read key, feeds that the account has bought or has read in the last 30 days; for a write key, its own.",
  }),
);

export const CreateWebhookInput = Type.Object({ url, types, feed_ids: Type.Optional(feedIds) });

export const FindWebhookInput = Type.Object({
  webhook_id: Type.String({
    description: "The webhook, by its id.",
    examples: ["1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed"],
  }),
});

export const EditWebhookInput = Type.Object({
  webhook_id: FindWebhookInput.properties.webhook_id,
  url: Type.Optional(url),
  types: Type.Optional(types),
  feed_ids: Type.Optional(feedIds),
  is_active: Type.Optional(
    Type.Boolean({ description: "False pauses deliveries. True resumes them, for new notices." }),
  ),
});

export const FindDeliveryInput = Type.Object({
  delivery_id: Type.String({
    description: "The delivery, by its id.",
    examples: ["0b0e7a52-4bb4-4f6a-8b0a-7c0a2cf3c9d1"],
  }),
});

const WEBHOOK_MEMBERS = {
  id: uuid("The webhook."),
  url: Type.String({ description: "Where notices are sent." }),
  types: Type.Array(Type.String(), { description: "The types that are sent." }),
  feed_ids: nullable(
    Type.Array(Type.String({ format: "uuid" }), {
      description: "The feeds it is limited to. Null: all.",
    }),
  ),
  is_active: Type.Boolean({ description: "Whether notices are sent." }),
  switched_off: nullable(
    oneOf(["gone", "failing", "key_ended"], {
      description:
        "Why it is not active, unless you paused it: it returned 410, it failed for 3 days, or the key that created it was revoked or has expired.",
    }),
  ),
  created_at: time("When it was created."),
};
const SECRET = {
  secret: Type.String({
    description: "Verifies signatures (Standard Webhooks). It is shown only once.",
  }),
};

export const WebhookShape = Type.Object(WEBHOOK_MEMBERS, {
  $id: "Webhook",
  description: "A webhook: an address that receives notices.",
});
export const CreatedWebhookShape = Type.Object(
  { ...WEBHOOK_MEMBERS, ...SECRET },
  { $id: "CreatedWebhook", description: "A new webhook, with its secret." },
);
export const RotatedWebhookShape = Type.Object(
  {
    id: uuid("The webhook."),
    ...SECRET,
    previous_until: time("The time until which calls are also signed with the previous secret."),
  },
  { $id: "RotatedWebhook", description: "The new secret of a webhook." },
);
export const WebhooksShape = Type.Object(
  { webhooks: Type.Array(WebhookShape, { description: "Oldest first." }) },
  { $id: "Webhooks", description: "The webhooks that the key can see." },
);
export const TestedWebhookShape = Type.Object(
  {
    delivery_id: uuid("The delivery, which the list of deliveries shows."),
    notice_id: uuid("The `webhook-id` of the call."),
  },
  { $id: "TestedWebhook", description: "A queued test notice." },
);
export const ResentDeliveryShape = Type.Object(
  { delivery_id: uuid("The delivery."), webhook_id: uuid("Its webhook.") },
  { $id: "ResentDelivery", description: "A delivery that was queued again." },
);

export const DELIVERY_STATUSES = ["waiting", "delivered", "failed", "withheld"] as const;
export const DeliveryShape = Type.Object(
  {
    id: uuid("The delivery."),
    webhook_id: uuid("Its webhook."),
    notice_id: uuid("The notice: `webhook-id` of the call, the same in every attempt."),
    type: Type.String({ description: "Of the notice." }),
    status: oneOf(DELIVERY_STATUSES, {
      description:
        "Withheld: at delivery time, the account could no longer read the feed that it is about.",
    }),
    created_at: time("When it was first due."),
    attempts: count("Attempts so far."),
    attempted_at: nullable(time("The last attempt.")),
    next_at: nullable(time("The next attempt, if there is one.")),
    code: nullable(count("Status of the last response.")),
    ms: nullable(count("Duration of the last attempt.")),
    answer: nullable(Type.String({ description: "The first 1,024 bytes of the last response." })),
    error: nullable(Type.String({ description: "The error, if it failed." })),
  },
  { $id: "WebhookDelivery", description: "A delivery of a notice to a webhook." },
);

export const DeliveriesShape = Type.Object(
  { deliveries: Type.Array(DeliveryShape, { description: "Newest first." }), ...page },
  { $id: "WebhookDeliveries", description: "Deliveries of the last 30 days." },
);

export type WebhookOutcome = Static<typeof WebhookShape>;
export type DeliveryOutcome = Static<typeof DeliveryShape>;

export const WEBHOOK: WebhookOutcome = {
  id: "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
  url: "https://example.com/hooks/feedgate",
  types: ["feed.updated", "balance.low"],
  feed_ids: null,
  is_active: true,
  switched_off: null,
  created_at: "2026-01-15T09:30:00.000Z",
};
export const CREATED_WEBHOOK = {
  ...WEBHOOK,
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
};
export const ROTATED_WEBHOOK = {
  id: WEBHOOK.id,
  secret: CREATED_WEBHOOK.secret,
  previous_until: "2026-01-16T09:30:00.000Z",
};
export const DELIVERY: DeliveryOutcome = {
  id: "0b0e7a52-4bb4-4f6a-8b0a-7c0a2cf3c9d1",
  webhook_id: WEBHOOK.id,
  notice_id: "9c4f1d5e-2b7a-4d43-9b8e-6f1a2b3c4d5e",
  type: "feed.updated",
  status: "delivered",
  created_at: "2026-01-15T09:30:01.000Z",
  attempts: 1,
  attempted_at: "2026-01-15T09:30:01.000Z",
  next_at: null,
  code: 204,
  ms: 85,
  answer: "",
  error: null,
};
export const TESTED_WEBHOOK = { delivery_id: DELIVERY.id, notice_id: DELIVERY.notice_id };
export const RESENT_DELIVERY = { delivery_id: DELIVERY.id, webhook_id: WEBHOOK.id };
