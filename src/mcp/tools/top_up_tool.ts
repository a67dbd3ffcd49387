/**
 * The tool `top_up`: a payment link for the agent's user, and the status of the top-up. See `src/spec/beyond.md`,
 * section 15.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Expected } from "../../lib/typebox.ts";
import { TOPUP_USD_MAX } from "../../limits.ts";
import { idempotencyKeyHeader } from "../../read/pipeline/claim_headers.ts";
import { defineTool, problemResult, structured } from "../tool.ts";
import { parseExactObject } from "../values.ts";

export const topUp = defineTool({
  name: "top_up",
  title: "Top up",
  description:
    "Starts a top-up and returns a payment link (pay_url): give it to the user, who pays there. The call itself pays nothing. With the topup_id of an earlier call, it returns whether the credits were granted; they are then in the balance.",
  parameters: {
    usd: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: TOPUP_USD_MAX,
        [Expected]: `a number from 0.50 to ${TOPUP_USD_MAX} with at most 2 decimals`,
        description: "The amount to pay, in USD: ask the user. 1 USD is 1,000,000 credits.",
      }),
    ),
    topup_id: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Za-z-]{36}$",
        [Expected]: "a topup_id of an earlier call",
        description: "Instead of usd: the id of an earlier top-up, to get its status.",
      }),
    ),
    idempotency_key: idempotencyKeyHeader(
      "For 24 hours, repeating the call returns the same link.",
    ),
  },
  isReadOnly: false,
  isRepeatable: false,
  async run({ ask }, { usd, topup_id: topupId, idempotency_key: key }) {
    const answer = await ask(
      topupId === undefined
        ? {
            path: "/v1/topups",
            body: usd === undefined ? {} : { usd },
            ...(key !== undefined && { headers: { "Idempotency-Key": key } }),
          }
        : { path: `/v1/topups/${topupId}` },
    );
    if (answer.status >= 300) return problemResult(answer);
    return structured({ ...parseExactObject(answer.text) });
  },
});
