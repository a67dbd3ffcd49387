/** @jsxImportSource preact */
/**
 * What an account has read and spent, by feed and key, and each call, which can be refunded.
 *
 * @module
 */
import { readSpending, type Spending } from "../../../accounts/earnings/spending.ts";
import type { UsageRow } from "../../../accounts/usage_event.ts";
import { parseUuid } from "../../../lib/uuid.ts";
import { nanosOfUsd, usdNumber, usdText } from "../../../money/money.ts";
import { inTime } from "../../../operator/in_time.ts";
import { listCalls, RefundUsageInput, refundUsage } from "../../../operator/usage.ts";
import { counted, dollars, FigureCard, plain, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { byMonth, moneyWords } from "../amounts.ts";
import { addressWith, LinkChoice } from "../link_choice.tsx";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { FeedLink } from "../lists.tsx";
import { findNames } from "../names.ts";
import { isByMonth, RangeLinks, rangeOf } from "../shown_range.tsx";
import { idOf, type PageRoute, type Visit } from "../visit.ts";
import { accountView, framedAccount, nameOfAccount } from "./account_frame.tsx";
import { MovedChart } from "./one_account.tsx";
import { operatorAct } from "./operator_act.ts";

const CALLS_LISTED = 50;
/** Of feeds or keys, those that cost most. */
const GROUPS_LISTED = 20;

export const CALLS_OF_ACCOUNT: PageRoute = {
  path: "accounts/:id/usage",
  download: (visit) =>
    fileOf(visit, [callsTable(visit), spendingTable(visit, "feed"), spendingTable(visit, "key")]),
  async show(visit) {
    const account = await framedAccount(visit);
    const range = rangeOf(visit);
    const { query } = visit;
    const days = await spendingOf(visit, "day");
    const { totals } = days;
    const isMonthly = isByMonth(range);
    const each = isMonthly ? "month" : "day";
    const points = days.groups.map((group) => ({
      at: group.date ?? "",
      values: [group.spent_usd],
    }));
    return accountView({
      visit,
      account,
      part: "usage",
      hasCharts: true,
      children: (
        <>
          <RangeLinks visit={visit} range={range} />
          <div class="cards">
            <FigureCard
              label="Spent"
              value={`${dollars(totals.spent_usd)} USD`}
              note={counted(totals.spent_credits, "credit")}
            />
            <FigureCard label="Reads" value={plain(totals.reads)} note="including free ones" />
            <FigureCard
              label="Feeds bought"
              value={plain(totals.purchases)}
              note="from the balance"
            />
          </div>
          <MovedChart
            title={`Spent by ${each}, USD`}
            series={["spent"]}
            points={isMonthly ? byMonth(points) : points}
          />
          <p class="small soft">
            Totals of UTC days, {range.from} to {range.to}, complete until{" "}
            <Time of={days.complete_until} />
          </p>
          <h2>By feed</h2>
          {await spendingTable(visit, "feed").show()}
          <h2>By key</h2>
          {await spendingTable(visit, "key").show()}
          <h2 id="calls">Calls</h2>
          <div class="filters">
            <LinkChoice
              query={query}
              label="Free searches"
              name="searches"
              choices={[
                ["", "left out"],
                ["yes", "included"],
              ]}
              chosen={query.get("searches") === "yes" ? "yes" : ""}
            />
            {["feed", "key"].map(
              (name) =>
                query.has(name) && (
                  <a href={addressWith(query, { name, value: "" })}>Calls of any {name}</a>
                ),
            )}
          </div>
          {await callsTable(visit).show()}
        </>
      ),
    });
  },
  acts: {
    refund: operatorAct({
      input: RefundUsageInput,
      asks: [{ name: "refund_reason", label: "Reason", isRequired: true }],
      given: (_, form) => ({
        known: { usage_id: form.text("usage_id") },
        typed: { reason: form.text("refund_reason") },
      }),
      confirm: async (form, visit) =>
        `${await nameOfAccount(visit)} gets back the ${moneyWords(nanosOfUsd(form.text("charged")) ?? 0n)} that call ${form.text("usage_id")} cost, once. If the call read a feed, its provider's earnings shrink by the same amount. This can't be undone.`,
      run: refundUsage,
      done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}/usage`, done: "refunded" }),
    }),
  },
};

function spendingOf(visit: Visit, groupBy: "day" | "feed" | "key"): Promise<Spending> {
  const { from, to } = rangeOf(visit);
  const { database } = visit.operator;
  return inTime(readSpending(database, { accountId: idOf(visit), from, to, groupBy }));
}

type SpendingGroup = Spending["groups"][number];

function spendingTable(visit: Visit, by: "feed" | "key"): ListedTable {
  return listedTable<SpendingGroup>(visit, {
    name: `spending-by-${by}`,
    label: `Spending by ${by}`,
    rows: GROUPS_LISTED,
    by: `${by}s_cursor`,
    empty: "Nothing was read or spent in this time.",
    async read({ limit }) {
      const { groups } = await spendingOf(visit, by);
      const entries = groups.slice(0, limit);
      // A key without a name is called by its beginning.
      const { nameOf } = await findNames(
        visit,
        entries.map((row) => row.key_id),
      );
      const named = entries.map((row) => ({
        ...row,
        name: row.name || nameOf(row.key_id ?? null) || "not known",
      }));
      return { entries: named, nextCursor: null };
    },
    columns: [
      {
        head: by === "feed" ? "Feed" : "Key",
        text: (row) => row.name,
        cell: (row) =>
          row.feed_id !== undefined ? (
            <FeedLink visit={visit} id={row.feed_id} name={row.name} />
          ) : (
            <Text of={row.name} />
          ),
      },
      { head: "Reads", kind: "num", text: (row) => row.reads },
      { head: "Spent", kind: "usd", text: (row) => row.spent_usd },
    ],
    buttons: [
      {
        head: "Calls",
        cell(row) {
          const value = (by === "feed" ? row.feed_id : row.key_id) ?? "";
          return (
            value !== "" && (
              <a href={`${addressWith(visit.query, { name: by, value })}#calls`}>Show calls</a>
            )
          );
        },
      },
    ],
  });
}

type NamedCall = UsageRow & {
  readonly feed: string | undefined;
  readonly key: string | undefined;
};

/** Ids of a day begin alike. */
const ID_END_LENGTH = 12;

function callsTable(visit: Visit): ListedTable {
  const { query } = visit;
  const { since, until } = rangeOf(visit);
  return listedTable<NamedCall>(visit, {
    name: "calls",
    label: "Calls",
    rows: CALLS_LISTED,
    next: "Older calls",
    empty: "No call in this time.",
    async read({ limit, cursor }) {
      const { entries, nextCursor } = await listCalls(visit.operator, {
        accountId: idOf(visit),
        limit,
        cursor,
        since,
        until,
        feedId: parseUuid(query.get("feed") ?? ""),
        keyId: parseUuid(query.get("key") ?? ""),
        isDiscoveryHidden: query.get("searches") !== "yes",
      });
      const { nameOf } = await findNames(
        visit,
        entries.flatMap(({ feed_id: feedId, key_id: keyId }) => [feedId, keyId]),
      );
      const named = entries.map((call) => ({
        ...call,
        feed: nameOf(call.feed_id),
        key: nameOf(call.key_id),
      }));
      return { entries: named, nextCursor };
    },
    columns: [
      {
        head: "When",
        kind: "when",
        text: (call) => call.timestamp,
        cell: (call) => <Time of={call.timestamp} isExact />,
      },
      { head: "Call", text: (call) => call.operation },
      {
        head: "Feed",
        text: (call) => call.feed,
        cell: ({ feed_id: id, feed }) =>
          id !== null && <FeedLink visit={visit} id={id} name={feed} />,
      },
      { head: "Key", text: (call) => call.key },
      {
        head: "Charged",
        kind: "usd",
        text: (call) => usdNumber(call.charge_nanos),
      },
      {
        head: "Usage id",
        kind: "id",
        text: (call) => call.usage_id,
        cell: ({ usage_id: id }) => (
          <code class="small" title={id}>
            …{id.slice(-ID_END_LENGTH)}
          </code>
        ),
      },
    ],
    buttons: [
      {
        head: "Refund",
        cell: ({ usage_id: usageId, charge_nanos: charged }) =>
          charged > 0n && (
            <ActForm
              hidden={{ usage_id: usageId, charged: usdText(charged) }}
              buttons={[{ act: "refund", text: "Refund", tone: "quiet" }]}
            />
          ),
      },
    ],
  });
}
