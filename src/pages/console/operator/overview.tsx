/** @jsxImportSource preact */
/**
 * The home of an operator: whether the ledger holds, what is asked of the gateway, and what waits.
 *
 * @module
 */
import type { FeedRow } from "../../../feeds/feed_text.ts";
import { hasLateFeeds, listFeeds } from "../../../operator/feeds.ts";
import type { Operator } from "../../../operator/operator.ts";
import { readStats, type StatsOutcome } from "../../../operator/stats.ts";
import { liveAddress } from "../../layout/live_events.ts";
import {
  Chart,
  digits,
  type Figure,
  FigureCard,
  Message,
  Table,
  Time,
} from "../../layout/parts.tsx";
import { AccountLink, FeedLink } from "../lists.tsx";
import { OVERVIEW_TOPIC, overviewVersion, readOnce } from "../live_visits.ts";
import type { PageRoute } from "../visit.ts";
import { FeedTable } from "./feed_table.tsx";

/** Of each list. */
const FEEDS_SHOWN = 5;

export const OVERVIEW: PageRoute = {
  path: "",
  async watch({ operator }) {
    return { topic: OVERVIEW_TOPIC, version: await overviewVersion(operator.database) };
  },
  async show(visit) {
    const { operator, query } = visit;
    const by = query.get("by") === "minute" ? "minute" : "day";
    // Read first, so that what is shown is at least as new.
    const version = await overviewVersion(operator.database);
    const [stats, waiting, late] = await readOnce(operator.database, `${version} ${by}`, () =>
      Promise.all([
        readStats(operator, { by }),
        listFeeds(operator, { review: "waiting", limit: FEEDS_SHOWN }),
        listLate(operator),
      ]),
    );
    const { groups, totals, ledger, top, complete_until: until } = stats;
    const points = (values: (group: StatsOutcome["groups"][number]) => readonly Figure[]) =>
      groups.map((group) => ({ at: group.at, values: values(group) }));
    return {
      title: "Overview",
      hasCharts: true,
      live: liveAddress(`${visit.root}/console/live`, version),
      content: (
        <>
          <h1>Overview</h1>
          <LedgerProof ledger={ledger} />
          <h2>{by === "day" ? "The last 30 days" : "The last hour"}</h2>
          <p class="small">
            <a href="?by=day" aria-current={by === "day" ? "true" : undefined}>
              By day
            </a>{" "}
            ·{" "}
            <a href="?by=minute" aria-current={by === "minute" ? "true" : undefined}>
              By minute
            </a>{" "}
            · complete until <Time of={until} />
          </p>
          <div class="cards">
            <FigureCard label="Reads" value={digits(totals.reads)} note="answered and logged" />
            <FigureCard
              label="Charged"
              value={digits(totals.charged_credits)}
              note="credits of 0.000001 USD"
            />
            <FigureCard
              label="Refused"
              value={digits(totals.refused)}
              note="answers of 400 to 499"
            />
            <FigureCard
              label="Errors"
              value={digits(totals.errors)}
              note="answers of 500 or more"
            />
            <FigureCard
              label="Pushes"
              value={digits(totals.pushes)}
              note={`${digits(totals.pushed_rows)} rows`}
            />
            <FigureCard
              label="Feeds bought"
              value={digits(totals.purchases)}
              note="from balances"
            />
          </div>
          <div class="charts">
            <Chart
              title="Reads and refusals"
              series={["reads", "refused"]}
              points={points((group) => [group.reads, group.refused])}
            />
            <Chart
              title="Credits charged and refunded"
              series={["charged", "refunded"]}
              points={points((group) => [group.charged_credits, group.refunded_credits])}
            />
            <Chart
              title="Errors and pushes"
              series={["errors", "pushes"]}
              points={points((group) => [group.errors, group.pushes])}
            />
          </div>
          <h2>Waiting for review</h2>
          <FeedTable
            visit={visit}
            feeds={waiting.entries}
            empty="No feed waits for review. Providers ask for it when they create or edit a feed."
          />
          <h2>Late feeds</h2>
          <FeedTable visit={visit} feeds={late} empty="No provider was late a minute ago." />
          <h2>Read most</h2>
          <Table
            label="Feeds that are read most"
            rows={top.feeds}
            columns={[
              {
                head: "Feed",
                cell: (row) => <FeedLink visit={visit} id={row.feed_id} name={row.feed_name} />,
              },
              { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
              { head: "Credits", kind: "num", cell: (row) => digits(row.credits_charged) },
            ]}
            empty="No feed was read in this time."
          />
          <h3>Accounts</h3>
          <Table
            label="Accounts that read most"
            rows={top.accounts}
            columns={[
              {
                head: "Account",
                cell: (row) => (
                  <AccountLink visit={visit} id={row.account_id} name={row.account_name} />
                ),
              },
              { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
              { head: "Credits", kind: "num", cell: (row) => digits(row.credits_charged) },
            ]}
            empty="No account has read in this time."
          />
        </>
      ),
    };
  },
};

async function listLate(operator: Operator): Promise<readonly FeedRow[]> {
  if (!(await hasLateFeeds(operator))) return [];
  const { entries } = await listFeeds(operator, { health: "late", limit: FEEDS_SHOWN });
  return entries;
}

function LedgerProof({ ledger }: { readonly ledger: StatsOutcome["ledger"] }) {
  if (ledger === null) {
    return (
      <Message tone="plain">
        <p>The ledger's proof is made within ten minutes of the first start.</p>
      </Message>
    );
  }
  const { is_balanced: holds } = ledger;
  return (
    <Message tone={holds ? "good" : "bad"}>
      <p>
        <strong>{holds ? "The ledger holds." : "The ledger does not add up."}</strong>{" "}
        {holds
          ? `Proven for ${digits(ledger.accounts)} accounts`
          : `${digits(ledger.wrong_accounts)} of ${digits(ledger.accounts)} accounts are wrong`}{" "}
        at <Time of={ledger.proven_at} />.
      </p>
      <p class="small mono">
        granted {digits(ledger.granted_credits)} − revoked {digits(ledger.revoked_credits)} −
        charged {digits(ledger.charged_credits)} + refunded {digits(ledger.refunded_credits)}{" "}
        {holds ? "=" : "≠"} balances {digits(ledger.balance_credits)} credits
      </p>
    </Message>
  );
}
