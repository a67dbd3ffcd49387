/**
 * `GET /v1/provider/earnings` and `GET /v1/provider/payouts`: a provider's sales, payouts, and the amount it is owed.
 *
 * See `src/spec/beyond.md`, section 6.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { dayRange } from "../../accounts/earnings/day_range.ts";
import {
  EarningsShape,
  earningsCsv,
  GROUPINGS,
  readEarnings,
} from "../../accounts/earnings/earnings.ts";
import { PayoutsShape, readPayouts } from "../../accounts/earnings/provider_payouts.ts";
import { authenticated } from "../../api/callers/auth.ts";
import { admitHousekeeping } from "../../api/callers/unlogged_calls.ts";
import { cappedLimit, cursorParameters } from "../../api/input/paging.ts";
import { invalidParameter, parameters, queryDay } from "../../api/input/parameters.ts";
import { COUNTED, described, documented } from "../../api/reference/described.ts";
import { EARNED, EARNINGS } from "../../api/reference/examples.ts";
import { CACHE_PRIVATE, privateJson } from "../../http/answer.ts";
import { Problem } from "../../http/problem_details.ts";
import { respond, respondPage } from "../../http/respond.ts";
import { oneOf } from "../../lib/typebox.ts";
import { EARNINGS_DAYS_DEFAULT, EARNINGS_DAYS_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";

const EARNINGS_QUERY = parameters({
  from: Type.Optional(
    queryDay({
      description: `The first day (UTC). Default: ${EARNINGS_DAYS_DEFAULT - 1} days before \`to\`. A range has at most ${EARNINGS_DAYS_MAX} days.`,
    }),
  ),
  to: Type.Optional(queryDay({ description: "The last day (UTC). Default: today." })),
  group_by: Type.Optional(oneOf(GROUPINGS, { description: "Default: `day`." })),
  format: Type.Optional(oneOf(["json", "csv"], { description: "Default: `json`." })),
});
const GET_EARNINGS = described({
  access: "provider",
  window: "housekeeping",
  operationId: "getEarnings",
  tag: "provider",
  summary: "Show what your feeds have earned",
  description: [
    "By day, month or feed, from totals that are at most one minute old. `is_final` is false for totals that are not complete yet. Days are in UTC.",
    "A sale counts on its day, before refunds; a refund counts on the day of the refund. The fee is the platform fee at the time of the sale; a feed's fee for a day is rounded down to whole nano-dollars. A failed read is not a sale. Your own reads count as reads and are free.",
  ].join("\n\n"),
  answers: {
    200: documented(EarningsShape, {
      description: "The groups and their totals; as CSV, the groups.",
      headers: ["Cache-Control"],
      headersOptional: ["Content-Disposition"],
      mediaTypes: {
        "application/json": { example: EARNINGS },
        "text/csv": {
          schema: Type.String({ description: "RFC 4180, with a header." }),
          example:
            "date,reads,paid_reads,accounts,purchases,gross_usd,refunded_usd,fee_usd,net_usd,is_final\r\n2026-11-20,5200,5000,12,1,5.005,0.001,0.5004,4.5036,true\r\n",
        },
      },
    }),
  },
  problems: COUNTED,
});

const PAYOUTS_QUERY = parameters(cursorParameters("Payouts"));
const LIST_PAYOUTS = described({
  access: "provider",
  window: "housekeeping",
  operationId: "listPayouts",
  tag: "provider",
  summary: "List your payouts and what you are owed",
  description:
    "The operator records payouts. You are owed your all-time net earnings minus all payouts.",
  answers: {
    200: documented(PayoutsShape, {
      description: "A page of payouts.",
      headers: ["Cache-Control"],
      headersOptional: ["Link"],
      examples: { "One payout": EARNED },
    }),
  },
  problems: ["CURSOR_INVALID", ...COUNTED],
});

/** The id of a payout. */
const CURSOR = /^\d{1,15}$/;

/** Without a prefix: mounted at `/v1` and `/api/v1`. */
export function earningsRoutes(services: Services) {
  const { http, keys, database } = services;
  return new Elysia({ name: "earnings" })
    .use(authenticated(keys, "write"))
    .get(
      "/provider/earnings",
      async ({ call, principal, query }) => {
        const { group_by: groupBy = "day", format = "json" } = query;
        const range = dayRange(query, Date.now());
        if (typeof range === "string") throw invalidParameter(range);
        await admitHousekeeping(services, { call, principal, operation: "earnings" });
        const { accountId } = principal;
        const asked = { accountId, groupBy, ...range };
        const earnings = await readEarnings(database.onBehalfOf(accountId), asked);
        if (format === "json") {
          return respond({ headers: privateJson(), body: JSON.stringify(earnings) });
        }
        return respond({
          headers: {
            "Content-Type": "text/csv; charset=utf-8",
            "Content-Disposition": `attachment; filename="earnings-${range.from}-${range.to}.csv"`,
            "Cache-Control": CACHE_PRIVATE,
          },
          body: earningsCsv(earnings),
        });
      },
      { query: EARNINGS_QUERY, ...GET_EARNINGS },
    )
    .get(
      "/provider/payouts",
      async ({ call, principal, query }) => {
        const { cursor } = query;
        if (cursor !== undefined && !CURSOR.test(cursor)) {
          throw new Problem("CURSOR_INVALID", {
            detail: "This cursor was not issued for your payouts. Start again without it.",
          });
        }
        await admitHousekeeping(services, { call, principal, operation: "payouts" });
        const { accountId } = principal;
        const page = await readPayouts(database.onBehalfOf(accountId), {
          accountId,
          limit: cappedLimit(query.limit),
          before: cursor === undefined ? undefined : BigInt(cursor),
        });
        return respondPage({ http, call }, page);
      },
      { query: PAYOUTS_QUERY, ...LIST_PAYOUTS },
    );
}
