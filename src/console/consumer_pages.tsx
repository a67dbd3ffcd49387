/** @jsxImportSource preact */
/**
 * A consumer's pages: balance and budget, what was spent on what, what was bought, and the catalog with a "try it".
 *
 * @module
 */
import { toExactNumber } from "../accounts/money.ts";
import { readSpending, type Spending, type SpendingGrouping } from "../earnings/spending.ts";
import { dayRange } from "../earnings/utc_day.ts";
import { assert, present } from "../lib/assert.ts";
import { parseJsonNumbers } from "../lib/json_numbers.ts";
import {
  Badge,
  Chart,
  digits,
  Facts,
  Field,
  type Figure,
  FigureCard,
  Table,
  Text,
  Time,
  Usd,
} from "../ui/parts.tsx";
import { callThenGo } from "./acting.ts";
import { FeedAsSeen, priceText, type ShownFeed } from "./feed_as_seen.tsx";
import { bodyOf, typedNumber } from "./own_api.ts";
import { idOf, nextHref, type PageRoute, type Visit } from "./visit.ts";

interface Amount {
  readonly credits: Figure;
  readonly usd: Figure;
}

interface Account {
  readonly id: string;
  readonly name: string;
  readonly balance: Amount;
  readonly budget?: {
    readonly daily: Amount;
    readonly spent: Amount;
    readonly left: Amount;
    readonly resets_at: string;
  };
  readonly agents?: readonly {
    readonly key_id: string;
    readonly name: string | null;
    readonly spent: Amount;
    readonly expires_at: string | null;
  }[];
}

interface UsageEvent {
  readonly usage_id: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly feed_id: string | null;
  readonly credits_charged: Figure;
  readonly key_id: string | null;
}

interface Usage {
  readonly usage: readonly UsageEvent[];
  readonly next_cursor: string | null;
}

interface Hit {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly pricing: string;
}

function UsageTable({
  visit,
  usage,
}: {
  readonly visit: Visit;
  readonly usage: readonly UsageEvent[];
}) {
  return (
    <Table
      label="Usage log"
      rows={usage}
      columns={[
        { head: "When", kind: "when", cell: (row) => <Time of={row.timestamp} /> },
        { head: "Call", cell: (row) => row.operation },
        {
          head: "Feed",
          kind: "id",
          cell: ({ feed_id: id }) =>
            id === null ? (
              ""
            ) : (
              <a href={`${visit.root}/console/catalog/${id}`}>
                <code>{id.slice(0, 8)}…</code>
              </a>
            ),
        },
        { head: "Credits", kind: "num", cell: (row) => digits(row.credits_charged) },
        {
          head: "Key",
          kind: "id",
          cell: (row) => <code class="small">{row.key_id?.slice(0, 8)}…</code>,
        },
        { head: "Usage id", kind: "id", cell: (row) => <code class="small">{row.usage_id}</code> },
      ]}
      empty={
        <>
          Nothing was read yet. Look into the <a href={`${visit.root}/console/catalog`}>catalog</a>.
        </>
      }
    />
  );
}

const home: PageRoute = {
  path: "",
  async show(visit) {
    const [shown, log] = await Promise.all([
      visit.ask<Account>("/v1/account"),
      visit.ask<Usage>("/v1/usage?limit=10"),
    ]);
    const account = bodyOf(shown);
    const { budget, agents = [] } = account;
    return {
      title: "Account",
      content: (
        <>
          <h1>
            <Text of={account.name} />
          </h1>
          <div class="cards">
            <FigureCard
              label="Balance"
              value={digits(account.balance.credits)}
              note={`credits = ${digits(account.balance.usd)} USD`}
            />
            {budget !== undefined && (
              <FigureCard
                label="This key's budget today"
                value={`${digits(budget.left.credits)} left`}
                note={`of ${digits(budget.daily.credits)} credits; ${digits(budget.spent.credits)} spent`}
              />
            )}
          </div>
          <Facts
            of={{
              "Account id": <code>{account.id}</code>,
              "Budget begins anew": budget && <Time of={budget.resets_at} />,
              "More credits": (
                <a href={`${visit.root}/billing?account_id=${account.id}`}>How to pay</a>
              ),
            }}
          />
          <h2>Connected agents</h2>
          <Table
            label="Connected agents"
            rows={agents}
            columns={[
              { head: "Agent", cell: (row) => <Text of={row.name} /> },
              {
                head: "Spent today, credits",
                kind: "num",
                cell: (row) => digits(row.spent.credits),
              },
              { head: "Ends", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
              {
                head: "",
                cell: (row) => (
                  <form method="post">
                    <input type="hidden" name="key_id" value={row.key_id} />
                    <button class="danger" type="submit" name="act" value="end_agent">
                      End
                    </button>
                  </form>
                ),
              },
            ]}
            empty={
              <>
                No agent is connected.{" "}
                <a href={`${visit.root}/docs/guides/connect`}>How to connect one</a>.
              </>
            }
          />
          <h2>Newest calls</h2>
          <UsageTable visit={visit} usage={bodyOf(log).usage} />
        </>
      ),
    };
  },
  acts: {
    end_agent: {
      confirm: () => "The agent's key ends. Its next call is refused.",
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            method: "DELETE",
            path: `/v1/account/agents/${encodeURIComponent(form.text("key_id"))}`,
          },
          { to: "", done: "revoked" },
        ),
    },
  },
};

const usage: PageRoute = {
  path: "usage",
  async show(visit) {
    const cursor = visit.query.get("cursor");
    const path = `/v1/usage?limit=50${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`;
    const [log, days, feeds, keys] = await Promise.all([
      visit.ask<Usage>(path).then(bodyOf),
      spending(visit, "day"),
      spending(visit, "feed"),
      spending(visit, "key"),
    ]);
    return {
      title: "Usage",
      hasCharts: true,
      content: (
        <>
          <h1>Usage</h1>
          <p class="small soft">
            The last 30 days, in UTC; complete until <Time of={days.complete_until} />
          </p>
          <div class="cards">
            <FigureCard
              label="Spent"
              value={digits(days.totals.spent_credits)}
              note={`credits = ${digits(days.totals.spent_usd)} USD`}
            />
            <FigureCard label="Reads" value={digits(days.totals.reads)} note="free ones, too" />
            <FigureCard
              label="Feeds bought"
              value={digits(days.totals.purchases)}
              note="from the balance"
            />
          </div>
          <Chart
            title="Credits spent by day"
            series={["spent"]}
            points={days.groups.map((group) => ({
              at: group.date ?? "",
              values: [group.spent_credits],
            }))}
          />
          <h2>By feed</h2>
          <SpendingTable visit={visit} head="Feed" groups={feeds.groups} />
          <h2>By key</h2>
          <SpendingTable visit={visit} head="Key" groups={keys.groups} />
          <h2>Calls</h2>
          <p class="lead">Every call that was answered, and what it cost, the newest first.</p>
          <UsageTable visit={visit} usage={log.usage} />
          {log.next_cursor !== null && (
            <p class="pager">
              <a class="button quiet" href={nextHref(visit, log.next_cursor)}>
                Older calls
              </a>
            </p>
          )}
        </>
      ),
    };
  },
};

/** Of the last 30 days. */
function spending({ operator, session }: Visit, groupBy: SpendingGrouping): Promise<Spending> {
  const range = dayRange({}, Date.now());
  assert(typeof range !== "string", "the usual range is one");
  const { id: accountId } = present(session.account);
  return readSpending(operator.database, { accountId, ...range, groupBy });
}

interface SpendingTableProps {
  readonly visit: Visit;
  readonly head: string;
  readonly groups: Spending["groups"];
}

function SpendingTable({ visit, head, groups }: SpendingTableProps) {
  return (
    <Table
      label={`Spending by ${head.toLowerCase()}`}
      rows={groups}
      columns={[
        {
          head,
          cell: (row) => {
            const name = <Text of={row.name || row.feed_id || row.key_id || "not known"} />;
            if (row.feed_id === undefined) return name;
            return <a href={`${visit.root}/console/catalog/${row.feed_id}`}>{name}</a>;
          },
        },
        { head: "Reads", kind: "num", cell: (row) => digits(row.reads) },
        { head: "Credits", kind: "num", cell: (row) => digits(row.spent_credits) },
      ]}
      empty="Nothing was spent in this time."
    />
  );
}

interface Purchases {
  readonly purchases: readonly {
    readonly purchase_id: string;
    readonly feed_id: string;
    readonly endpoint_path: string | null;
    readonly purchased_at: string;
    readonly price: Amount;
    readonly paid_from: string;
  }[];
}

const purchases: PageRoute = {
  path: "purchases",
  async show(visit) {
    const list = bodyOf(await visit.ask<Purchases>("/v1/purchases?limit=100"));
    return {
      title: "Bought",
      content: (
        <>
          <h1>Bought</h1>
          <p class="lead">Reads of these feeds are free.</p>
          <Table
            label="Purchases"
            rows={list.purchases}
            columns={[
              {
                head: "Feed",
                cell: (row) => (
                  <a href={`${visit.root}/console/catalog/${row.feed_id}`}>
                    <code>
                      <Text of={row.endpoint_path ?? row.feed_id} />
                    </code>
                  </a>
                ),
              },
              { head: "When", kind: "when", cell: (row) => <Time of={row.purchased_at} /> },
              { head: "Price", kind: "num", cell: (row) => <Usd of={row.price.usd} /> },
              { head: "Paid from", cell: (row) => row.paid_from },
            ]}
            empty={
              <>
                Nothing was bought yet. Feeds with a price once are in the{" "}
                <a href={`${visit.root}/console/catalog`}>catalog</a>.
              </>
            }
          />
        </>
      ),
    };
  },
};

const catalog: PageRoute = {
  path: "catalog",
  async show(visit) {
    const words = visit.query.get("q")?.trim() ?? "";
    const hits =
      words === ""
        ? bodyOf(await visit.ask<{ readonly feeds: readonly Hit[] }>("/v1/catalog?limit=50")).feeds
        : bodyOf(
            await visit.ask<{ readonly results: readonly Hit[] }>(
              `/v1/search?limit=50&q=${encodeURIComponent(words)}`,
            ),
          ).results;
    return {
      title: "Catalog",
      content: (
        <>
          <h1>Catalog</h1>
          <form class="line" method="get">
            <Field label="Words" name="q">
              <input id="q" name="q" type="search" value={words} />
            </Field>
            <button type="submit">Search</button>
          </form>
          <Table
            label="Feeds"
            rows={hits}
            columns={[
              {
                head: "Feed",
                cell: (row) => (
                  <a href={`${visit.root}/console/catalog/${row.id}`}>
                    <Text of={row.name} />
                  </a>
                ),
              },
              { head: "What it is", cell: (row) => <Text of={row.description} /> },
              { head: "Category", cell: (row) => <Text of={row.category} /> },
              { head: "Price", cell: (row) => row.pricing },
            ]}
            empty="No feed is found by these words. Try fewer, or others."
          />
        </>
      ),
    };
  },
};

interface Metadata extends ShownFeed {
  readonly id: string;
  readonly row_count: number;
  readonly last_sync_at: string | null;
  readonly credits_to_read_all: Figure;
}

const CREDITS_PER_CENT = 10_000;

const feed: PageRoute = {
  path: "catalog/:id",
  async show(visit) {
    const id = idOf(visit);
    const [shown, bought] = await Promise.all([
      visit.ask<Metadata>(`/v1/feed/${id}/metadata`),
      visit.ask<Purchases>("/v1/purchases?limit=100"),
    ]);
    const about = bodyOf(shown);
    const isBought = bodyOf(bought).purchases.some((each) => each.feed_id === id);
    const isForSale = about.price_type === "one_time" && !isBought;
    return {
      title: about.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/catalog`}>Catalog</a>
          </p>
          <h1>
            <Text of={about.name} />
          </h1>
          <div class="actions">
            {isBought && <Badge tone="good">bought</Badge>}
            {isForSale && (
              <form method="post">
                <input
                  type="hidden"
                  name="max_credits"
                  value={Number(about.one_time_price_cents) * CREDITS_PER_CENT}
                />
                <button type="submit" name="act" value="buy">
                  Buy for {priceText(about)}
                </button>
              </form>
            )}
            <form method="post">
              <button class="quiet" type="submit" name="act" value="try">
                Try it: read 3 rows
              </button>
            </form>
          </div>
          <Facts
            of={{
              Rows: digits(about.row_count),
              "Last push": <Time of={about.last_sync_at} />,
              "To read all of it": `${digits(about.credits_to_read_all)} credits`,
            }}
          />
          <h2>What it is</h2>
          <FeedAsSeen feed={about} />
          <h2>Read it</h2>
          <pre>{`curl -H "x-api-key: $FEEDGATE_KEY" '${visit.baseUrl}/v1/feed/${about.endpoint_path ?? id}?limit=20'`}</pre>
        </>
      ),
    };
  },
  acts: {
    buy: {
      confirm: (form) =>
        `At most ${digits(form.text("max_credits"))} credits are taken from the balance, once. Reads of this feed are free from then on.`,
      run: (visit, form) => {
        const id = idOf(visit);
        return callThenGo(
          visit,
          {
            path: `/v1/feed/${id}/purchase`,
            body: { max_credits: typedNumber(form.text("max_credits")) },
          },
          { to: `catalog/${id}`, done: "bought" },
        );
      },
    },
    try: {
      confirm: () => "This is a real read: it costs what the feed's price says, and is logged.",
      async run(visit) {
        const path = `/v1/feed/${idOf(visit)}?limit=3`;
        const answer = await visit.ask<unknown>(path);
        return {
          kind: "show",
          view: {
            title: "Try it",
            content: (
              <>
                <p class="crumbs">
                  <a href="?">Back to the feed</a>
                </p>
                <h1>What was asked, and answered</h1>
                <pre>{`curl -H "x-api-key: $FEEDGATE_KEY" '${visit.baseUrl}${path}'`}</pre>
                <p>
                  Status{" "}
                  <Badge tone={answer.kind === "done" ? "good" : "bad"}>{answer.status}</Badge>
                </p>
                <pre>
                  <Text of={pretty(answer.text)} />
                </pre>
              </>
            ),
          },
        };
      },
    },
  },
};

/** JSON with its numbers as they stood there. */
function pretty(text: string): string {
  return JSON.stringify(parseJsonNumbers(text, toExactNumber), null, 2);
}

export const CONSUMER_PAGES: readonly PageRoute[] = [home, usage, purchases, catalog, feed];
