/**
 * Operator API: the operators' webhooks, and the deliveries of all accounts.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import {
  allDeliveries,
  ListNoticesInput,
  NOTICE_DELIVERY,
  NoticeDeliveryShape,
} from "../../notices/all_deliveries.ts";
import {
  CREATED_WEBHOOK,
  CreatedWebhookShape,
  CreateWebhookInput,
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
} from "../../notices/webhook_shapes.ts";
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  findWebhook,
  listWebhooks,
  operatorsOwner,
  resendDelivery,
  rotateWebhook,
  testWebhook,
} from "../../notices/webhooks.ts";
import { PAGE_INPUT } from "../../operator/keyset_page.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done, made } from "./define_route.ts";

const OPERATORS_WEBHOOK = {
  ...WEBHOOK,
  types: ["review.waiting", "job.failed"],
};
const WEBHOOK_ANSWER = { shape: WebhookShape, example: OPERATORS_WEBHOOK };
const BY_ID = { id: "webhook_id" };
const NAMING = ["NOTICE_TYPE_FORBIDDEN", "FEED_NOT_FOUND", "WEBHOOK_URL_INVALID"] as const;
const OPERATORS_DELIVERY = { ...NOTICE_DELIVERY, account_id: null };

export const NOTICE_ROUTES = [
  defineRoute({
    method: "GET",
    path: "/webhooks",
    operationId: "listOperatorWebhooks",
    summary: "List the operators' webhooks",
    input: Type.Object({}),
    answers: { 200: { shape: WebhooksShape, example: { webhooks: [OPERATORS_WEBHOOK] } } },
    problems: [],
    act: async ({ operator: { webhooks }, actor }) =>
      done({ webhooks: await listWebhooks(webhooks, operatorsOwner(webhooks.database, actor)) }),
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks",
    operationId: "createOperatorWebhook",
    summary: "Create an operators' webhook",
    description:
      "Signed as defined by Standard Webhooks, like those of accounts. The secret is shown once. Operators can have 20 webhooks.",
    input: CreateWebhookInput,
    example: { url: WEBHOOK.url, types: OPERATORS_WEBHOOK.types },
    isSecret: true,
    answers: {
      201: {
        shape: CreatedWebhookShape,
        example: { ...OPERATORS_WEBHOOK, secret: CREATED_WEBHOOK.secret },
      },
    },
    problems: [...NAMING, "WEBHOOKS_LIMIT"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      made(await createWebhook(webhooks, operatorsOwner(webhooks.database, actor), input)),
  }),
  defineRoute({
    method: "GET",
    path: "/webhooks/:id",
    operationId: "showOperatorWebhook",
    summary: "Show an operators' webhook",
    input: FindWebhookInput,
    names: BY_ID,
    answers: { 200: WEBHOOK_ANSWER },
    problems: ["WEBHOOK_NOT_FOUND"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      done(await findWebhook(webhooks, operatorsOwner(webhooks.database, actor), input.webhook_id)),
  }),
  defineRoute({
    method: "PATCH",
    path: "/webhooks/:id",
    operationId: "editOperatorWebhook",
    summary: "Edit an operators' webhook",
    description: "Fields that the body leaves out stay unchanged.",
    input: EditWebhookInput,
    names: BY_ID,
    example: { is_active: true },
    answers: { 200: WEBHOOK_ANSWER },
    problems: [...NAMING, "WEBHOOK_NOT_FOUND"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      done(await editWebhook(webhooks, operatorsOwner(webhooks.database, actor), input)),
  }),
  defineRoute({
    method: "DELETE",
    path: "/webhooks/:id",
    operationId: "deleteOperatorWebhook",
    summary: "Delete an operators' webhook",
    input: FindWebhookInput,
    names: BY_ID,
    answers: {
      200: {
        shape: Type.Object(
          { id: Type.String({ format: "uuid", description: "The webhook." }) },
          { $id: "DeletedWebhook", description: "A webhook that was deleted." },
        ),
        example: { id: WEBHOOK.id },
      },
    },
    problems: ["WEBHOOK_NOT_FOUND"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      done(
        await deleteWebhook(webhooks, operatorsOwner(webhooks.database, actor), input.webhook_id),
      ),
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks/:id/test",
    operationId: "testOperatorWebhook",
    summary: "Test an operators' webhook",
    description: "Sends a `webhook.test` notice, which is retried like any other.",
    input: FindWebhookInput,
    names: BY_ID,
    answers: { 201: { shape: TestedWebhookShape, example: TESTED_WEBHOOK } },
    problems: ["WEBHOOK_NOT_FOUND"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      made(await testWebhook(webhooks, operatorsOwner(webhooks.database, actor), input.webhook_id)),
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks/:id/rotate",
    operationId: "rotateOperatorWebhook",
    summary: "Rotate the secret of an operators' webhook",
    description: "For 24 hours, each call is signed with the new secret and with the previous one.",
    input: FindWebhookInput,
    names: BY_ID,
    isSecret: true,
    answers: { 200: { shape: RotatedWebhookShape, example: ROTATED_WEBHOOK } },
    problems: ["WEBHOOK_NOT_FOUND"],
    act: async ({ operator: { webhooks }, actor }, input) =>
      done(
        await rotateWebhook(webhooks, operatorsOwner(webhooks.database, actor), input.webhook_id),
      ),
  }),
  defineList({
    path: "/webhooks/:id/deliveries",
    operationId: "listOperatorWebhookDeliveries",
    summary: "List the deliveries to an operators' webhook",
    description: "Deliveries of the last 30 days, newest first.",
    input: Type.Object({ ...FindWebhookInput.properties, ...PAGE_INPUT }),
    names: BY_ID,
    name: "deliveries",
    $id: "OperatorWebhookDeliveries",
    entry: { shape: NoticeDeliveryShape, example: OPERATORS_DELIVERY },
    problems: ["WEBHOOK_NOT_FOUND"],
    async list({ webhooks, database }, { webhook_id: given, ...place }, actor) {
      const { id } = await findWebhook(webhooks, operatorsOwner(database, actor), given);
      return allDeliveries({ database }, { ...place, webhook_id: id });
    },
  }),
  defineList({
    path: "/notices",
    operationId: "listNoticeDeliveries",
    summary: "List the deliveries of all accounts",
    description: "Deliveries of the last 30 days, newest first.",
    input: ListNoticesInput,
    name: "deliveries",
    $id: "NoticeDeliveries",
    entry: { shape: NoticeDeliveryShape, example: NOTICE_DELIVERY },
    problems: ACCOUNT_PROBLEMS,
    list: allDeliveries,
  }),
  defineRoute({
    method: "POST",
    path: "/webhooks/deliveries/:id/resend",
    operationId: "resendNotice",
    summary: "Send a delivery of any account again",
    description: "Keeps its `webhook-id`, and is retried like a new delivery.",
    input: FindDeliveryInput,
    names: { id: "delivery_id" },
    isSafeToRepeat: true,
    answers: { 200: { shape: ResentDeliveryShape, example: RESENT_DELIVERY } },
    problems: ["DELIVERY_NOT_FOUND"],
    act: async ({ operator, actor }, input) =>
      done(
        await resendDelivery(operator, operatorsOwner(operator.database, actor), input.delivery_id),
      ),
  }),
];
