/**
 * The tool `top_up`: a link on which the agent's person pays for credits, and what became of it. Beyond 15.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Expected } from "../../lib/typebox.ts";
import { TOPUP_USD_MAX } from "../../limits.ts";
import { defineTool, problemResult, structured } from "../tool.ts";
import { parseExactObject } from "../values.ts";

export const topUp = defineTool({
  name: "top_up",
  title: "Get credits",
  description:
    "Asks for credits that the user pays for, and returns a link (pay_url): give it to the user, who pays there. Nothing is paid by the call itself. With the topup_id of an earlier call it tells whether that one is granted; the credits are then in the balance.",
  parameters: {
    usd: Type.Optional(
      Type.Number({
        minimum: 0.5,
        maximum: TOPUP_USD_MAX,
        [Expected]: `a number from 0.50 to ${TOPUP_USD_MAX} with at most 2 decimals`,
        description:
          "How much the user is to pay, in USD: ask the user. A dollar is 1,000,000 credits.",
      }),
    ),
    topup_id: Type.Optional(
      Type.String({
        pattern: "^[0-9A-Za-z-]{36}$",
        [Expected]: "a topup_id of an earlier call",
        description: "Instead of usd: an earlier top-up, to be told what became of it.",
      }),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        pattern: "^[\\x21-\\x7e]{1,255}$",
        [Expected]: "1 to 255 visible ASCII characters",
        description: "For 24 hours, a repeat of the call gets the same link.",
      }),
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
