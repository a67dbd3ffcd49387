/**
 * The notices in the OpenAPI document, as its `webhooks`.
 *
 * @module
 */
import { mapTable } from "../lib/records.ts";
import { NOTICE_TYPES, type NoticeType } from "./notice_types.ts";

const TAGS = { read: "account", write: "provider", admin: "operator" } as const;
const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});
const PARAMETERS = [
  header("webhook-id", "The notice. Every attempt has the same one."),
  header("webhook-timestamp", "When this attempt was made, in seconds of the Unix epoch."),
  header(
    "webhook-signature",
    "The signature as defined by Standard Webhooks, made with the webhook's secret.",
  ),
];

export const NOTICE_WEBHOOKS = mapTable(
  NOTICE_TYPES as Readonly<Record<string, NoticeType>>,
  ({ when, permissions: [permission = "read"], data, example }, type) => ({
    post: {
      operationId: `notice.${type}`,
      tags: [TAGS[permission]],
      summary: type,
      description: when,
      security: [],
      parameters: PARAMETERS,
      requestBody: {
        description: "The notice.",
        required: true,
        content: {
          "application/json": {
            schema: {
              type: "object",
              required: ["type", "timestamp", "data"],
              properties: {
                type: { const: type, description: "What the notice is about." },
                timestamp: {
                  type: "string",
                  format: "date-time",
                  description: "When it happened.",
                },
                data,
              },
            },
            examples: {
              "As an example": {
                value: { type, timestamp: "2026-01-15T09:30:01.000Z", data: example },
              },
            },
          },
        },
      },
      responses: { "2XX": { description: "Received. Any other response counts as a failure." } },
    },
  }),
);
