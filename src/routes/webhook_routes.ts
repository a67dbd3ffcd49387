/**
 * `/v1/webhooks`: addresses that receive an account's notices, for read and write keys. Not charged or logged.
 *
 * A read key manages addresses for readers' notices, a write key those for providers'. See `src/spec/beyond.md`,
 * section 17.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { authenticatedByAny } from "../api/callers/auth.ts";
import type { Principal } from "../api/callers/callers.ts";
import { actorOf } from "../api/callers/faces.ts";
import { admitHousekeeping } from "../api/callers/unlogged_calls.ts";
import { cappedLimit, limitParameter } from "../api/input/paging.ts";
import { NO_PARAMETERS, parameters, queryInteger } from "../api/input/parameters.ts";
import { receiveInput } from "../api/input/receive_input.ts";
import { BODY_PROBLEMS, COUNTED, described, documented } from "../api/reference/described.ts";
import { privateJson } from "../http/answer.ts";
import type { Call } from "../http/call.ts";
import { respond } from "../http/respond.ts";
import {
  CREATED_WEBHOOK,
  CreatedWebhookShape,
  CreateWebhookInput,
  DELIVERY,
  DeliveriesShape,
  EditWebhookInput,
  FindDeliveryInput,
  FindWebhookInput,
  RESENT_DELIVERY,
  ResentDeliveryShape,
  ROTATED_WEBHOOK,
  RotatedWebhookShape,
  TESTED_WEBHOOK,
  TestedWebhookShape,
  WEBHOOK,
  WebhookShape,
  WebhooksShape,
} from "../notices/webhook_shapes.ts";
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  findWebhook,
  listDeliveries,
  listWebhooks,
  ownerByKey,
  resendDelivery,
  rotateWebhook,
  testWebhook,
} from "../notices/webhooks.ts";
import type { Services } from "../services.ts";

const BY_ID = Type.Object({ id: FindWebhookInput.properties.webhook_id });
const BY_DELIVERY = Type.Object({ id: FindDeliveryInput.properties.delivery_id });
const DELIVERIES_QUERY = parameters({
  limit: limitParameter("Deliveries"),
  offset: Type.Optional(
    queryInteger({ minimum: 0, description: "Deliveries to skip. Default 0." }),
  ),
});
const COMMON = { access: "account", window: "housekeeping", tag: "account" } as const;
const HEADERS = ["Cache-Control"] as const;
const NAMING = [
  ...BODY_PROBLEMS,
  "NOTICE_TYPE_FORBIDDEN",
  "FEED_NOT_FOUND",
  "WEBHOOK_URL_INVALID",
] as const;

const CREATE = described({
  ...COMMON,
  operationId: "createWebhook",
  summary: "Create a webhook",
  description:
    "Notices are sent as POST requests, signed as defined by [Standard Webhooks](https://www.standardwebhooks.com). A 2xx response within 15 seconds counts as success; otherwise the notice is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 24 h. The secret is shown once. An account can have 20 webhooks, and a connected agent 5 of them.",
  answers: {
    201: documented(CreatedWebhookShape, {
      description: "The new webhook.",
      headers: HEADERS,
      examples: { "A new webhook": CREATED_WEBHOOK },
    }),
  },
  problems: [...NAMING, "WEBHOOKS_LIMIT", ...COUNTED],
});
const CREATE_BODY = documented(CreateWebhookInput, {
  description: "The webhook.",
  examples: {
    "For a reader": { url: WEBHOOK.url, types: ["feed.updated", "balance.low"] },
    "One feed": { url: WEBHOOK.url, types: ["feed.updated"], feed_ids: ["quakes"] },
  },
});
const LIST = described({
  ...COMMON,
  operationId: "listWebhooks",
  summary: "List your webhooks",
  description: "Webhooks that were created with a key of the same permission.",
  answers: {
    200: documented(WebhooksShape, {
      description: "All of them.",
      headers: HEADERS,
      examples: { "One webhook": { webhooks: [WEBHOOK] } },
    }),
  },
  problems: COUNTED,
});
const SHOWN = {
  200: documented(WebhookShape, {
    description: "The webhook.",
    headers: HEADERS,
    examples: { "A webhook": WEBHOOK },
  }),
};
const GET = described({
  ...COMMON,
  operationId: "getWebhook",
  summary: "Show a webhook",
  description: "Its secret is not shown again.",
  answers: SHOWN,
  problems: ["WEBHOOK_NOT_FOUND", ...COUNTED],
});
const EDIT = described({
  ...COMMON,
  operationId: "editWebhook",
  summary: "Edit a webhook",
  description:
    "Fields that the body leaves out stay unchanged. `is_active: true` also resumes a webhook that the gateway has disabled. It receives only notices of later events.",
  answers: SHOWN,
  problems: [...NAMING, "WEBHOOK_NOT_FOUND", ...COUNTED],
});
const EDIT_BODY = documented(Type.Omit(EditWebhookInput, ["webhook_id"]), {
  description: "The fields to change.",
  examples: { Resume: { is_active: true } },
});
const DELETE = described({
  ...COMMON,
  operationId: "deleteWebhook",
  summary: "Delete a webhook",
  description: "No more notices are sent to it, and its delivery history is deleted.",
  answers: { 204: documented(Type.Void(), { description: "Deleted.", headers: HEADERS }) },
  problems: ["WEBHOOK_NOT_FOUND", ...COUNTED],
});
const TEST = described({
  ...COMMON,
  operationId: "testWebhook",
  summary: "Test a webhook",
  description: "Sends a `webhook.test` notice, which is retried like any other.",
  answers: {
    201: documented(TestedWebhookShape, {
      description: "Queued.",
      headers: HEADERS,
      examples: { "A test": TESTED_WEBHOOK },
    }),
  },
  problems: ["WEBHOOK_NOT_FOUND", ...COUNTED],
});
const ROTATE = described({
  ...COMMON,
  operationId: "rotateWebhook",
  summary: "Rotate the secret of a webhook",
  description: "For 24 hours, each call is signed with the new secret and with the previous one.",
  answers: {
    200: documented(RotatedWebhookShape, {
      description: "The new secret, which is shown once.",
      headers: HEADERS,
      examples: { "A new secret": ROTATED_WEBHOOK },
    }),
  },
  problems: ["WEBHOOK_NOT_FOUND", ...COUNTED],
});
const DELIVERIES = described({
  ...COMMON,
  operationId: "listWebhookDeliveries",
  summary: "List the deliveries to a webhook",
  description: "Deliveries of the last 30 days, newest first.",
  answers: {
    200: documented(DeliveriesShape, {
      description: "A page of deliveries.",
      headers: HEADERS,
      examples: {
        "One delivery": { deliveries: [DELIVERY], limit: 20, offset: 0, has_more: false },
      },
    }),
  },
  problems: ["WEBHOOK_NOT_FOUND", ...COUNTED],
});
const RESEND = described({
  ...COMMON,
  operationId: "resendWebhookDelivery",
  summary: "Send a delivery again",
  description: "Keeps its `webhook-id`, and is retried like a new delivery.",
  answers: {
    200: documented(ResentDeliveryShape, {
      description: "Queued.",
      headers: HEADERS,
      examples: { "Sent again": RESENT_DELIVERY },
    }),
  },
  problems: ["DELIVERY_NOT_FOUND", ...COUNTED],
});

interface Calling {
  readonly call: Call;
  readonly principal: Principal;
}

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function webhookRoutes(services: Services) {
  const { webhooks: settings } = services;
  const admit = async ({ call, principal }: Calling) => {
    await admitHousekeeping(services, { call, principal, operation: "webhooks" });
    return ownerByKey(services, principal, actorOf(call.request, principal.keyId));
  };
  const answer = (body: unknown, status = 200) =>
    respond({ status, headers: privateJson(), body: JSON.stringify(body) });
  return new Elysia({ name: "webhooks" })
    .use(authenticatedByAny(services.keys))
    .get(
      "/webhooks",
      async ({ call, principal }) => {
        const owner = await admit({ call, principal });
        return answer({
          webhooks: await listWebhooks(settings, owner),
        });
      },
      { query: NO_PARAMETERS, ...LIST },
    )
    .post(
      "/webhooks",
      async ({ call, principal }) => {
        const owner = await admit({ call, principal });
        const input = await receiveInput(services, { call, principal }, CreateWebhookInput);
        return answer(await createWebhook(settings, owner, input), 201);
      },
      { parse: "none", query: NO_PARAMETERS, body: CREATE_BODY, ...CREATE },
    )
    .get(
      "/webhooks/:id",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        return answer(await findWebhook(settings, owner, params.id));
      },
      { params: BY_ID, query: NO_PARAMETERS, ...GET },
    )
    .patch(
      "/webhooks/:id",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        const edited = { call, principal, given: { webhook_id: params.id } };
        const input = await receiveInput(services, edited, EditWebhookInput);
        return answer(await editWebhook(settings, owner, input));
      },
      { parse: "none", params: BY_ID, query: NO_PARAMETERS, body: EDIT_BODY, ...EDIT },
    )
    .delete(
      "/webhooks/:id",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        await deleteWebhook(settings, owner, params.id);
        const { "Content-Type": _, ...headers } = privateJson();
        return respond({ status: 204, headers, body: null });
      },
      { params: BY_ID, query: NO_PARAMETERS, ...DELETE },
    )
    .post(
      "/webhooks/:id/test",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        const tested = await testWebhook(settings, owner, params.id);
        services.notices.wake();
        return answer(tested, 201);
      },
      { parse: "none", params: BY_ID, query: NO_PARAMETERS, ...TEST },
    )
    .post(
      "/webhooks/:id/rotate",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        return answer(await rotateWebhook(settings, owner, params.id));
      },
      { parse: "none", params: BY_ID, query: NO_PARAMETERS, ...ROTATE },
    )
    .get(
      "/webhooks/:id/deliveries",
      async ({ call, principal, params, query }) => {
        const owner = await admit({ call, principal });
        const asked = {
          id: params.id,
          limit: cappedLimit(query.limit),
          offset: query.offset ?? 0,
        };
        return answer(await listDeliveries(settings, owner, asked));
      },
      { params: BY_ID, query: DELIVERIES_QUERY, ...DELIVERIES },
    )
    .post(
      "/webhooks/deliveries/:id/resend",
      async ({ call, principal, params }) => {
        const owner = await admit({ call, principal });
        const resent = await resendDelivery(settings, owner, params.id);
        services.notices.wake();
        return answer(resent);
      },
      { parse: "none", params: BY_DELIVERY, query: NO_PARAMETERS, ...RESEND },
    );
}
