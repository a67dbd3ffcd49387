/**
 * The activity of the whole gateway, by minute and by day: reads, refusals, credits, errors and pushes, the check of
 * all ledgers, and the top readers and feeds. See `src/spec/beyond.md`, section 5.
 *
 * Everything is read from totals, never from a log. Reads and credits are those of the usage log
 * (`sql/accounts/earnings/functions/count_sales.sql`). Gateways count what is in no log (`src/jobs/minute_counts.ts`).
 * The result of the ledger check is that of its job's last pass.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { dayRange } from "../accounts/earnings/day_range.ts";
import { present } from "../lib/assert.ts";
import { parseEventTime } from "../lib/date_time.ts";
import { MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND } from "../lib/time_units.ts";
import { nullable, oneOf } from "../lib/typebox.ts";
import { dayOf, parseDay } from "../lib/utc_day.ts";
import { STATS_MINUTES_DEFAULT, STATS_MINUTES_MAX, STATS_TOP_ROWS } from "../limits.ts";
import { creditsNumber } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";
import { count, exact, time } from "../shapes.ts";
import { inTime } from "./in_time.ts";
import type { InputOf, Operator } from "./operator.ts";
import { Refused } from "./refused.ts";
import { reportTop, TopShape } from "./reports.ts";

const EACH = ["minute", "day"] as const;

const bound = (description: string) => Type.Optional(Type.String({ description }));
export const StatsInput = Type.Object({
  from: bound(
    "The first minute or day: a day in UTC such as 2026-11-21, or an RFC 3339 time. Default: an hour, or 30 days, including the last one.",
  ),
  to: bound("The last minute or day, in the same formats. Default now."),
  by: Type.Optional(
    oneOf(EACH, {
      description: `The grouping; default day. Minutes are kept for 7 days; at most ${STATS_MINUTES_MAX} are returned at once.`,
    }),
  ),
});

const sums = {
  reads: count("Answered reads of feeds."),
  discovery_calls: count("Answered calls of catalog, search and metadata."),
  purchases: count("Feeds bought from a balance."),
  charged_credits: exact("Credits charged for reads and purchases, before refunds."),
  refunded_credits: exact("Credits refunded, at the time of the refund."),
  refused: count("Responses with status 400 to 499, on all routes."),
  refusals: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: "The same by status.",
  }),
  errors: count("Responses with status 500 or higher."),
  pushes: count("Stored pushes."),
  refused_pushes: count("Refused pushes."),
  pushed_rows: count("Rows of the stored pushes."),
};

export const StatsShape = Type.Object(
  {
    by: oneOf(EACH, { description: "The grouping." }),
    from: time("The beginning of the first group."),
    to: time("The end of the last group."),
    groups: Type.Array(
      Type.Object({
        at: time("The beginning of the minute or day."),
        ...sums,
        is_final: Type.Boolean({
          description: "Whether all its reads are counted. Gateways add the rest once a minute.",
        }),
      }),
      { description: "Every minute or day of the range, in order." },
    ),
    totals: Type.Object(sums, { description: "Totals for the whole range." }),
    complete_until: nullable(
      time(
        "All reads before this time are counted; at most one minute ago. Null: none counted yet.",
      ),
    ),
    ledger: nullable(
      Type.Object(
        {
          accounts: count("Accounts that were checked, each in one snapshot."),
          wrong_accounts: count("Accounts whose ledger does not add up."),
          granted_credits: exact("Granted by the operator and by promotions."),
          revoked_credits: exact("Revoked."),
          charged_credits: exact("Charged, according to the usage log."),
          refunded_credits: exact("Charges that were refunded."),
          balance_credits: exact("The sum of all balances."),
          is_balanced: Type.Boolean({
            description:
              "Whether granted - revoked - charged + refunded = balance, for each account and in total.",
          }),
          proven_at: time("When the check ended; it runs every ten minutes."),
        },
        { description: "The last check of all ledgers. Null: none has been made yet." },
      ),
    ),
    top: Type.Object(TopShape.properties, {
      description: `The ${STATS_TOP_ROWS} most-read feeds and most active accounts, on the days of the range.`,
    }),
  },
  { $id: "Stats", description: "The activity of the gateway." },
);
export type StatsOutcome = Static<typeof StatsShape>;

interface Range {
  readonly by: (typeof EACH)[number];
  readonly fromMs: number;
  /** Exclusive. */
  readonly untilMs: number;
}

interface StatsOptions {
  /** Whether feeds and accounts are ranked, which takes longest. If not, `top` is empty. @default true */
  readonly hasTop?: boolean;
}

/** @throws {Refused} if the range is none. */
export async function readStats(
  operator: Operator,
  input: InputOf<typeof StatsInput>,
  { hasTop = true }: StatsOptions = {},
): Promise<StatsOutcome> {
  const { database } = operator;
  const range = rangeOf(input, Date.now());
  const { by, fromMs, untilMs } = range;
  const [rows, proof, top] = await inTime(
    Promise.all([
      database.rows("list_totals", { by, from: isoTime(fromMs), until: isoTime(untilMs) }),
      database.row("find_proof", {}),
      hasTop
        ? reportTop(operator, {
            since: isoTime(fromMs),
            until: isoTime(untilMs - 1),
            limit: STATS_TOP_ROWS,
          })
        : { feeds: [], accounts: [] },
    ]),
  );
  const { complete_until: completeUntil } = present(proof);
  const stepMs = by === "minute" ? MS_PER_MINUTE : MS_PER_DAY;
  const completeMs = completeUntil === null ? 0 : Date.parse(completeUntil);
  const byGroup = Map.groupBy(rows, (row) => Number(row.group_seconds) * MS_PER_SECOND);
  const length = Math.round((untilMs - fromMs) / stepMs);
  return {
    by,
    from: isoTime(fromMs),
    to: isoTime(untilMs),
    groups: Array.from({ length }, (_, place) => {
      const atMs = fromMs + place * stepMs;
      return {
        at: isoTime(atMs),
        ...sumsOf(byGroup.get(atMs) ?? []),
        is_final: atMs + stepMs <= completeMs,
      };
    }),
    totals: sumsOf(rows),
    complete_until: completeUntil,
    ledger: ledgerOf(present(proof)),
    top: { feeds: top.feeds, accounts: top.accounts },
  };
}

function sumsOf(rows: readonly Row<"list_totals">[]) {
  const sums = new Map<string, bigint>();
  for (const { name, amount } of rows) sums.set(name, (sums.get(name) ?? 0n) + amount);
  const nanos = (name: string) => sums.get(name) ?? 0n;
  const number = (name: string) => Number(nanos(name));
  const refusals = Object.fromEntries(
    [...sums]
      .filter(([name]) => name.startsWith(REFUSED_PREFIX))
      .map(([name, amount]) => [name.slice(REFUSED_PREFIX.length), Number(amount)]),
  );
  return {
    reads: number("reads"),
    discovery_calls: number("discovery_calls"),
    purchases: number("purchases"),
    charged_credits: creditsNumber(nanos("charged_nanos")),
    refunded_credits: creditsNumber(nanos("refunded_nanos")),
    refused: Object.values(refusals).reduce((sum, each) => sum + each, 0),
    refusals,
    errors: number("errors"),
    pushes: number("pushes"),
    refused_pushes: number("refused_pushes"),
    pushed_rows: number("pushed_rows"),
  };
}

const REFUSED_PREFIX = "refused_";

function ledgerOf(proof: Row<"find_proof">): StatsOutcome["ledger"] {
  const { accounts, wrong, proven_at: provenAt } = proof;
  if (accounts === null || wrong === null || provenAt === null) return null;
  const [granted, revoked, charged, refunded, balance] = [
    proof.granted_nanos,
    proof.revoked_nanos,
    proof.charged_nanos,
    proof.refunded_nanos,
    proof.balance_nanos,
  ].map((nanos) => BigInt(nanos ?? 0)) as [bigint, bigint, bigint, bigint, bigint];
  return {
    accounts: Number(accounts),
    wrong_accounts: Number(wrong),
    granted_credits: creditsNumber(granted),
    revoked_credits: creditsNumber(revoked),
    charged_credits: creditsNumber(charged),
    refunded_credits: creditsNumber(refunded),
    balance_credits: creditsNumber(balance),
    is_balanced: wrong === 0n && granted - revoked - charged + refunded === balance,
    proven_at: provenAt,
  };
}

/** @throws {Refused} */
function rangeOf({ from, to, by = "day" }: InputOf<typeof StatsInput>, nowMs: number): Range {
  const firstMs = from === undefined ? undefined : Date.parse(timeOf(from));
  const lastMs = to === undefined ? undefined : lastMsOf(to);
  // Before they are rounded to whole minutes or days.
  if (firstMs !== undefined && lastMs !== undefined && firstMs > lastMs) {
    throw new Refused("RANGE_INVALID", `${from} is later than ${to}. Swap them.`);
  }
  if (by === "day") {
    const dayOfMs = (ms: number | undefined) => (ms === undefined ? undefined : dayOf(ms));
    const days = dayRange({ from: dayOfMs(firstMs), to: dayOfMs(lastMs) }, nowMs);
    if (typeof days === "string") throw new Refused("RANGE_INVALID", days);
    return { by, fromMs: Date.parse(days.from), untilMs: Date.parse(days.to) + MS_PER_DAY };
  }
  const untilMs = (Math.floor((lastMs ?? nowMs) / MS_PER_MINUTE) + 1) * MS_PER_MINUTE;
  const fromMs =
    firstMs === undefined
      ? untilMs - STATS_MINUTES_DEFAULT * MS_PER_MINUTE
      : Math.floor(firstMs / MS_PER_MINUTE) * MS_PER_MINUTE;
  if (fromMs >= untilMs) {
    throw new Refused("RANGE_INVALID", `${from} is in the future. Use an earlier time.`);
  }
  if (untilMs - fromMs > STATS_MINUTES_MAX * MS_PER_MINUTE) {
    throw new Refused(
      "RANGE_INVALID",
      `${isoTime(fromMs)} to ${isoTime(untilMs)} is more than ${STATS_MINUTES_MAX} minutes. Request a shorter range, or group by day.`,
    );
  }
  return { by, fromMs, untilMs };
}

/** The last millisecond of a day, or that of a time. @throws {Refused} */
function lastMsOf(text: string): number {
  return Date.parse(timeOf(text)) + (parseDay(text) === undefined ? 0 : MS_PER_DAY - 1);
}

/** The moment of a day's beginning, or of a time, in UTC. @throws {Refused} */
function timeOf(text: string): string {
  const day = parseDay(text);
  const time = parseEventTime(day === undefined ? text : `${day}T00:00:00Z`);
  if (time !== undefined) return time;
  throw new Refused(
    "RANGE_INVALID",
    `a bound must be a date such as 2026-11-21, or an RFC 3339 timestamp, got "${text.slice(0, BOUND_SHOWN_MAX)}"`,
  );
}

const BOUND_SHOWN_MAX = 64;

/** Bounds at the edges of the calendar are rounded to times outside it, where nothing can have happened. */
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");

function isoTime(ms: number): string {
  return new Date(Math.min(Math.max(ms, FIRST_MS), LAST_MS)).toISOString();
}
