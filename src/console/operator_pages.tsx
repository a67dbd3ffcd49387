/** @jsxImportSource preact */
/**
 * The operator's pages: whether the ledger holds, what is asked of the gateway, feeds to review, accounts, keys, money,
 * and the audit trail.
 *
 * @module
 */
import type { AccountOutcome, ProvenAccountOutcome } from "../operator/accounts.ts";
import type { CreatedKeyOutcome, FoundKeyOutcome, KeyOutcome } from "../operator/keys.ts";
import type { PayoutOutcome } from "../operator/payouts.ts";
import type { ListedPromotionOutcome } from "../operator/promotions.ts";
import type { PurchaseOutcome } from "../operator/purchases.ts";
import { createSignInLink } from "../operator/sign_in_links.ts";
import type { StatsOutcome } from "../operator/stats.ts";
import {
  Badge,
  Chart,
  Credits,
  digits,
  Facts,
  Field,
  type Figure,
  FigureCard,
  Message,
  plain,
  Table,
  Text,
  Time,
  type Tone,
  Usd,
} from "../ui/parts.tsx";
import { callThenGo, typed } from "./acting.ts";
import { FeedAsSeen, type ShownFeed } from "./feed_as_seen.tsx";
import { bodyOf, typedNumber } from "./own_api.ts";
import { idOf, nextHref, type PageRoute, type Visit } from "./visit.ts";

/** A page of a list. */
type Listed<Name extends string, Entry> = { readonly [Key in Name]: readonly Entry[] } & {
  readonly next_cursor: string | null;
};

interface FeedEntry {
  readonly id: string;
  readonly name: string;
  readonly endpoint_path: string | null;
  readonly feed_type: string | null;
  readonly status: string;
  readonly review: string;
  readonly is_public: boolean;
  readonly last_sync_at: string | null;
  readonly price_type: string;
  readonly price_per_1k: Figure | null;
  readonly one_time_price_cents: Figure | null;
  readonly provider: { readonly id: string; readonly name: string };
}

interface Push {
  readonly pushed_at: string;
  readonly stored: boolean;
  readonly code: string | null;
  readonly detail: string | null;
  readonly rows_received: number;
}

interface Review extends FeedEntry, ShownFeed {
  readonly row_count: number;
  readonly bytes: number;
  readonly suspension_reason?: string;
  readonly deleted_at?: string;
  readonly pushes: readonly Push[];
  readonly newest_rows: readonly unknown[];
}

const overview: PageRoute = {
  path: "",
  async show(visit) {
    const { ask, query } = visit;
    const by = query.get("by") === "minute" ? "minute" : "day";
    const [stats, waiting, late] = await Promise.all([
      ask<StatsOutcome>(`/v1/operator/stats?by=${by}`),
      ask<Listed<"feeds", FeedEntry>>("/v1/operator/feeds?review=waiting&limit=5"),
      ask<Listed<"feeds", FeedEntry>>("/v1/operator/feeds?health=late&limit=5"),
    ]);
    const { groups, totals, ledger, top, complete_until: until } = bodyOf(stats);
    const { feeds } = bodyOf(waiting);
    const lateFeeds = late.kind === "done" ? late.body.feeds : [];
    const points = (values: (group: StatsOutcome["groups"][number]) => readonly Figure[]) =>
      groups.map((group) => ({ at: group.at, values: values(group) }));
    return {
      title: "Overview",
      hasCharts: true,
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
              note="credits; 1 credit is 0.000001 USD"
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
          <h2>Waiting for review</h2>
          <FeedTable
            visit={visit}
            feeds={feeds}
            empty="No feed waits for review. Providers ask for it when they create or edit a feed."
          />
          <h2>Late feeds</h2>
          <FeedTable visit={visit} feeds={lateFeeds} empty="No provider is late." />
          <h2>Read most</h2>
          <Table
            label="Feeds that are read most"
            rows={top.feeds}
            columns={[
              {
                head: "Feed",
                cell: (row) => (
                  <a href={`${visit.root}/console/feeds/${row.feed_id}`}>
                    <Text of={row.feed_name} />
                  </a>
                ),
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

const REVIEW_TONES: Readonly<Record<string, Tone>> = {
  waiting: "warn",
  listed: "good",
  declined: "bad",
};

interface FeedTableProps {
  readonly visit: Visit;
  readonly feeds: readonly FeedEntry[];
  readonly empty: string;
}

function FeedTable({ visit, feeds, empty }: FeedTableProps) {
  return (
    <Table
      label="Feeds"
      rows={feeds}
      columns={[
        {
          head: "Feed",
          cell: (row) => (
            <a href={`${visit.root}/console/feeds/${row.id}`}>
              <Text of={row.name} />
            </a>
          ),
        },
        {
          head: "Slug",
          cell: (row) => (
            <code>
              <Text of={row.endpoint_path} />
            </code>
          ),
        },
        {
          head: "Provider",
          cell: ({ provider }) => (
            <AccountLink visit={visit} id={provider.id} name={provider.name} />
          ),
        },
        { head: "Type", cell: (row) => row.feed_type ?? "not set" },
        { head: "Status", cell: (row) => <StatusBadge status={row.status} /> },
        {
          head: "Review",
          cell: (row) => <Badge tone={REVIEW_TONES[row.review] ?? "plain"}>{row.review}</Badge>,
        },
        { head: "Last push", kind: "when", cell: (row) => <Time of={row.last_sync_at} /> },
      ]}
      empty={empty}
    />
  );
}

function StatusBadge({ status }: { readonly status: string }) {
  return <Badge tone={status === "active" ? "good" : "plain"}>{status}</Badge>;
}

function AccountLink({
  visit,
  id,
  name,
}: {
  readonly visit: Visit;
  readonly id: string;
  readonly name: string;
}) {
  return (
    <a href={`${visit.root}/console/accounts/${id}`}>
      <Text of={name} />
    </a>
  );
}

function Next({ visit, cursor }: { readonly visit: Visit; readonly cursor: string | null }) {
  if (cursor === null) return null;
  return (
    <p class="pager">
      <a class="button quiet" href={nextHref(visit, cursor)}>
        Next page
      </a>
    </p>
  );
}

/** The query of a list: what the page's own address has of these names. */
function listQuery({ query }: Visit, names: readonly string[]): string {
  const asked = new URLSearchParams({ limit: "50" });
  for (const name of [...names, "cursor"]) {
    const value = query.get(name)?.trim();
    if (value) asked.set(name, value);
  }
  return `?${asked}`;
}

const reviews: PageRoute = {
  path: "reviews",
  async show(visit) {
    const path = `/v1/operator/feeds${listQuery(visit, [])}&review=waiting`;
    const { feeds, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"feeds", FeedEntry>>(path),
    );
    return {
      title: "Reviews",
      content: (
        <>
          <h1>Waiting for review</h1>
          <p class="lead">Look at a feed as an agent sees it, then publish or decline it.</p>
          <FeedTable
            visit={visit}
            feeds={feeds}
            empty="Nothing waits. Providers ask for a review when they create or edit a feed."
          />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};

const HEALTHS = ["late", "failing", "never_pushed"];

const feeds: PageRoute = {
  path: "feeds",
  async show(visit) {
    const path = `/v1/operator/feeds${listQuery(visit, ["status", "health", "account_id"])}`;
    const { feeds, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"feeds", FeedEntry>>(path),
    );
    const chosen = visit.query.get("health") ?? "";
    return {
      title: "Feeds",
      content: (
        <>
          <h1>Feeds</h1>
          <form class="line" method="get">
            <Field label="Health" name="health">
              <select id="health" name="health">
                <option value="">any</option>
                {HEALTHS.map((health) => (
                  <option value={health} selected={health === chosen}>
                    {health.replace("_", " ")}
                  </option>
                ))}
              </select>
            </Field>
            <Field label="Status" name="status">
              <select id="status" name="status">
                <option value="">any</option>
                {["active", "draft", "inactive"].map((status) => (
                  <option value={status} selected={status === visit.query.get("status")}>
                    {status}
                  </option>
                ))}
              </select>
            </Field>
            <button class="quiet" type="submit">
              Filter
            </button>
          </form>
          <FeedTable visit={visit} feeds={feeds} empty="No feed is so. Choose another filter." />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};

const feed: PageRoute = {
  path: "feeds/:id",
  async show(visit, form) {
    const review = bodyOf(await visit.ask<Review>(`/v1/operator/feeds/${idOf(visit)}?rows=3`));
    const isDeleted = review.deleted_at !== undefined;
    return {
      title: review.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/feeds`}>Feeds</a>
          </p>
          <h1>
            <Text of={review.name} />
          </h1>
          <Facts
            of={{
              State: (
                <>
                  <StatusBadge status={review.status} />{" "}
                  <Badge tone={REVIEW_TONES[review.review] ?? "plain"}>
                    review: {review.review}
                  </Badge>{" "}
                  {review.suspension_reason !== undefined && <Badge tone="bad">suspended</Badge>}
                  {isDeleted && <Badge tone="bad">deleted</Badge>}
                </>
              ),
              "Suspended because": review.suspension_reason && (
                <Text of={review.suspension_reason} />
              ),
              Provider: (
                <AccountLink visit={visit} id={review.provider.id} name={review.provider.name} />
              ),
              Holds: `${digits(review.row_count)} rows, ${digits(review.bytes)} bytes`,
              "Last push": <Time of={review.last_sync_at} />,
              Id: <code>{review.id}</code>,
            }}
          />
          {!isDeleted && (
            <>
              <div class="actions">
                <form method="post">
                  {review.is_public ? (
                    <button class="quiet" type="submit" name="act" value="unpublish">
                      Take off the catalog
                    </button>
                  ) : (
                    <button type="submit" name="act" value="publish">
                      Publish
                    </button>
                  )}
                </form>
                {review.suspension_reason !== undefined && (
                  <form method="post">
                    <button class="quiet" type="submit" name="act" value="resume">
                      End the suspension
                    </button>
                  </form>
                )}
                <form method="post">
                  <button class="danger" type="submit" name="act" value="delete">
                    Delete
                  </button>
                </form>
              </div>
              <form class="line" method="post">
                <Field label="Reason, which the provider sees" name="reason">
                  <input id="reason" name="reason" value={typed(form, "reason")} required />
                </Field>
                {!review.is_public && (
                  <button class="quiet" type="submit" name="act" value="decline">
                    Decline
                  </button>
                )}
                {review.suspension_reason === undefined && (
                  <button class="danger" type="submit" name="act" value="suspend">
                    Suspend
                  </button>
                )}
              </form>
            </>
          )}
          <h2>As an agent sees it</h2>
          <FeedAsSeen feed={review} />
          <h2>Newest rows</h2>
          {review.newest_rows.length === 0 ? (
            <div class="empty">It has no rows that readers see.</div>
          ) : (
            review.newest_rows.map((row) => (
              <pre>
                <Text of={JSON.stringify(row, null, 2)} />
              </pre>
            ))
          )}
          <h2>Newest pushes</h2>
          <Table
            label="Pushes"
            rows={review.pushes}
            columns={[
              { head: "When", kind: "when", cell: (push) => <Time of={push.pushed_at} /> },
              {
                head: "Outcome",
                cell: (push) =>
                  push.stored ? (
                    <Badge tone="good">stored</Badge>
                  ) : (
                    <Badge tone="bad">{push.code}</Badge>
                  ),
              },
              { head: "Rows", kind: "num", cell: (push) => digits(push.rows_received) },
              { head: "Why not", cell: (push) => <Text of={push.detail} /> },
            ]}
            empty="Nobody has pushed to it yet."
          />
        </>
      ),
    };
  },
  acts: {
    publish: {
      confirm: () => "The feed shows in catalog and search, to everybody, as soon as it is active.",
      run: (visit) => onFeed(visit, "publish", "published"),
    },
    unpublish: {
      confirm: () => "The feed leaves catalog and search. Who has its id or slug still reads it.",
      run: (visit) => onFeed(visit, "unpublish", "unpublished"),
    },
    decline: {
      run: (visit, form) => onFeed(visit, "decline", "declined", { reason: form.text("reason") }),
    },
    suspend: {
      confirm: (form) =>
        `Nobody reads the feed or pushes to it from the next request on. The reason is: ${form.text("reason")}`,
      run: (visit, form) => onFeed(visit, "suspend", "suspended", { reason: form.text("reason") }),
    },
    resume: { run: (visit) => onFeed(visit, "resume", "resumed") },
    delete: {
      confirm: () => "The feed is deleted for good, with all its rows. This can't be undone.",
      run: (visit) =>
        callThenGo(
          visit,
          { method: "DELETE", path: `/v1/operator/feeds/${idOf(visit)}` },
          { to: "feeds", done: "deleted" },
        ),
    },
  },
};

function onFeed(
  visit: Visit,
  verb: string,
  done: "published" | "unpublished" | "declined" | "suspended" | "resumed",
  body: object = {},
) {
  const id = idOf(visit);
  return callThenGo(
    visit,
    { path: `/v1/operator/feeds/${id}/${verb}`, body },
    { to: `feeds/${id}`, done },
  );
}

const accounts: PageRoute = {
  path: "accounts",
  async show(visit, form) {
    const path = `/v1/operator/accounts${listQuery(visit, ["name"])}`;
    const list = bodyOf(await visit.ask<Listed<"accounts", AccountOutcome>>(path));
    return {
      title: "Accounts",
      content: (
        <>
          <h1>Accounts</h1>
          <form class="line" method="get">
            <Field label="Exact name" name="name">
              <input id="name" name="name" value={visit.query.get("name") ?? ""} />
            </Field>
            <button class="quiet" type="submit">
              Find
            </button>
          </form>
          <Table
            label="Accounts"
            rows={list.accounts}
            columns={[
              {
                head: "Name",
                cell: (row) => <AccountLink visit={visit} id={row.id} name={row.name} />,
              },
              { head: "Balance, credits", kind: "num", cell: (row) => digits(row.balance_credits) },
              { head: "Feeds at most", kind: "num", cell: (row) => digits(row.max_feeds_allowed) },
              {
                head: "State",
                cell: (row) =>
                  row.suspension_reason === undefined ? (
                    <Badge tone="good">active</Badge>
                  ) : (
                    <Badge tone="bad">suspended</Badge>
                  ),
              },
              { head: "Made", kind: "when", cell: (row) => <Time of={row.created_at} /> },
            ]}
            empty="There is no such account. Make one below."
          />
          <Next visit={visit} cursor={list.next_cursor} />
          <h2>New account</h2>
          <form class="line" method="post">
            <Field label="Name" name="new_name">
              <input id="new_name" name="new_name" value={typed(form, "new_name")} required />
            </Field>
            <button type="submit" name="act" value="create">
              Make it
            </button>
          </form>
        </>
      ),
    };
  },
  acts: {
    create: {
      async run(visit, form) {
        const body = { name: form.text("new_name") };
        const made = await visit.ask<AccountOutcome>("/v1/operator/accounts", {
          method: "POST",
          body,
        });
        return made.kind === "refused"
          ? { kind: "refused", why: made.detail }
          : { kind: "go", to: `accounts/${made.body.id}`, done: "made" };
      },
    },
  },
};

interface UsageEntry {
  readonly usage_id: string;
  readonly timestamp: string;
  readonly operation: string;
  readonly feed_id: string | null;
  readonly credits_charged: Figure;
}

type AccountWithKeys = ProvenAccountOutcome & { readonly keys: readonly KeyOutcome[] };

const account: PageRoute = {
  path: "accounts/:id",
  async show(visit, form) {
    const id = idOf(visit);
    const [shown, log] = await Promise.all([
      visit.ask<AccountWithKeys>(`/v1/operator/accounts/${id}`),
      visit.ask<Listed<"usage", UsageEntry>>(`/v1/operator/usage?account_id=${id}&limit=20`),
    ]);
    const row = bodyOf(shown);
    const { usage } = bodyOf(log);
    const { ledger, earned } = row;
    return {
      title: row.name,
      content: (
        <>
          <p class="crumbs">
            <a href={`${visit.root}/console/accounts`}>Accounts</a>
          </p>
          <h1>
            <Text of={row.name} />
          </h1>
          {row.suspension_reason !== undefined && (
            <Message tone="bad">
              <p>
                Suspended: <Text of={row.suspension_reason} />
              </p>
            </Message>
          )}
          <div class="cards">
            <FigureCard
              label="Balance"
              value={digits(row.balance_credits)}
              note={`credits = ${digits(row.balance_usd)} USD`}
            />
            <FigureCard
              label="Ledger"
              value={ledger.is_balanced ? "holds" : "is wrong"}
              note={`granted ${digits(ledger.granted_credits)} − revoked ${digits(ledger.revoked_credits)} − charged ${digits(ledger.charged_credits)} + refunded ${digits(ledger.refunded_credits)}`}
            />
            <FigureCard
              label="Earned as a provider"
              value={`${digits(earned.earned_usd)} USD`}
              note={`paid ${digits(earned.paid_usd)}, owed ${digits(earned.owed_usd)} USD`}
            />
          </div>
          <Facts of={{ Id: <code>{row.id}</code>, Made: <Time of={row.created_at} /> }} />
          <h2>Keys</h2>
          <Table
            label="Keys"
            rows={row.keys}
            columns={[
              {
                head: "Key",
                kind: "id",
                cell: (key) => (
                  <a href={`${visit.root}/console/keys?key=${key.id}`}>
                    <code>{key.key_start}…</code>
                  </a>
                ),
              },
              { head: "Name", cell: (key) => <Text of={key.name} /> },
              { head: "Permission", cell: (key) => key.permission },
              {
                head: "Credits a day",
                kind: "num",
                cell: (key) => (key.daily_credits === null ? "all" : digits(key.daily_credits)),
              },
              { head: "State", cell: (key) => <KeyState of={key} /> },
              { head: "Last used", kind: "when", cell: (key) => <Time of={key.last_used_at} /> },
            ]}
            empty="It has no key yet. Make one below, and give it to the customer."
          />
          <form class="line" method="post">
            <Field label="Permission" name="permission">
              <select id="permission" name="permission">
                <option value="read">read (buys and reads)</option>
                <option value="write" selected={typed(form, "permission") === "write"}>
                  write (publishes)
                </option>
              </select>
            </Field>
            <Field label="Name" name="key_name">
              <input id="key_name" name="key_name" value={typed(form, "key_name")} />
            </Field>
            <Field label="Credits a day, read keys only" name="daily">
              <input id="daily" name="daily" inputMode="decimal" value={typed(form, "daily")} />
            </Field>
            <button type="submit" name="act" value="key">
              Make a key
            </button>
          </form>
          <h2>Credits</h2>
          <form class="line" method="post">
            <Field label="Credits" name="credits">
              <input
                id="credits"
                name="credits"
                inputMode="decimal"
                value={typed(form, "credits")}
                required
              />
            </Field>
            <Field label="Reason" name="reason">
              <input id="reason" name="reason" value={typed(form, "reason")} required />
            </Field>
            <Field label="Reference of the payment" name="reference">
              <input id="reference" name="reference" value={typed(form, "reference")} />
            </Field>
            <button type="submit" name="act" value="grant">
              Grant
            </button>
            <button class="danger" type="submit" name="act" value="take">
              Take back
            </button>
          </form>
          <p class="hint">1,000,000 credits are 1 USD.</p>
          <h2>Newest calls</h2>
          <Table
            label="Usage log"
            rows={usage}
            columns={[
              { head: "When", kind: "when", cell: (event) => <Time of={event.timestamp} /> },
              { head: "Call", cell: (event) => event.operation },
              {
                head: "Feed",
                kind: "id",
                cell: ({ feed_id: feedId }) =>
                  feedId === null ? (
                    ""
                  ) : (
                    <a href={`${visit.root}/console/feeds/${feedId}`}>
                      <code>{feedId.slice(0, 8)}…</code>
                    </a>
                  ),
              },
              { head: "Credits", kind: "num", cell: (event) => digits(event.credits_charged) },
              {
                head: "Usage id",
                kind: "id",
                cell: (event) => <code class="small">{event.usage_id}</code>,
              },
            ]}
            empty="It has not read anything yet."
          />
          <h3>Refund a read</h3>
          <form class="line" method="post">
            <Field label="Usage id" name="usage_id">
              <input id="usage_id" name="usage_id" value={typed(form, "usage_id")} required />
            </Field>
            <Field label="Reason" name="refund_reason">
              <input
                id="refund_reason"
                name="refund_reason"
                value={typed(form, "refund_reason")}
                required
              />
            </Field>
            <button class="quiet" type="submit" name="act" value="refund">
              Refund
            </button>
          </form>
          <h2>Sign-in and suspension</h2>
          <div class="actions">
            <form method="post">
              <input type="hidden" name="link_permission" value="read" />
              <button class="quiet" type="submit" name="act" value="link">
                Link to sign in as consumer
              </button>
            </form>
            <form method="post">
              <input type="hidden" name="link_permission" value="write" />
              <button class="quiet" type="submit" name="act" value="link">
                Link to sign in as provider
              </button>
            </form>
            {row.suspension_reason !== undefined && (
              <form method="post">
                <button type="submit" name="act" value="resume">
                  End the suspension
                </button>
              </form>
            )}
          </div>
          {row.suspension_reason === undefined && (
            <form class="line" method="post">
              <Field label="Reason of a suspension" name="suspend_reason">
                <input
                  id="suspend_reason"
                  name="suspend_reason"
                  value={typed(form, "suspend_reason")}
                  required
                />
              </Field>
              <button class="danger" type="submit" name="act" value="suspend">
                Suspend
              </button>
            </form>
          )}
        </>
      ),
    };
  },
  acts: {
    key: {
      async run(visit, form) {
        const daily = form.given("daily");
        const body = {
          account_id: idOf(visit),
          permission: form.text("permission"),
          name: form.given("key_name"),
          ...(daily !== undefined && { daily_credits: typedNumber(daily) }),
        };
        const made = await visit.ask<CreatedKeyOutcome>("/v1/operator/keys", {
          method: "POST",
          body,
        });
        if (made.kind === "refused") return { kind: "refused", why: made.detail };
        return {
          kind: "show",
          view: onceView(
            "The new key",
            made.body.key,
            "It is shown this once: only its hash is stored. Give it to the customer now.",
          ),
        };
      },
    },
    grant: {
      confirm: (form) =>
        `${form.text("credits")} credits are added to the account's balance. Reason: ${form.text("reason")}`,
      run: (visit, form) => changeCredits(visit, form, "grants"),
    },
    take: {
      confirm: (form) =>
        `${form.text("credits")} credits are taken from the account's balance. Reason: ${form.text("reason")}`,
      run: (visit, form) => changeCredits(visit, form, "revocations"),
    },
    refund: {
      confirm: (form) =>
        `What call ${form.text("usage_id")} was charged goes back to the account, once.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: `/v1/operator/usage/${encodeURIComponent(form.text("usage_id"))}/refund`,
            body: { reason: form.text("refund_reason") },
          },
          { to: `accounts/${idOf(visit)}`, done: "refunded" },
        ),
    },
    suspend: {
      confirm: (form) =>
        `Every call with the account's keys is refused from the next request on; its feeds stay readable. Reason: ${form.text("suspend_reason")}`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: `/v1/operator/accounts/${idOf(visit)}/suspend`,
            body: { reason: form.text("suspend_reason") },
          },
          { to: `accounts/${idOf(visit)}`, done: "suspended" },
        ),
    },
    resume: {
      run: (visit) =>
        callThenGo(
          visit,
          { path: `/v1/operator/accounts/${idOf(visit)}/resume` },
          { to: `accounts/${idOf(visit)}`, done: "resumed" },
        ),
    },
    link: {
      async run(visit, form) {
        const permission = form.text("link_permission") === "write" ? "write" : "read";
        const asked = { account_id: idOf(visit), permission } as const;
        const { url } = await createSignInLink(visit.operator, asked, visit.actor);
        return {
          kind: "show",
          view: onceView(
            "A link to sign in",
            url,
            "Whoever opens it first, within 15 minutes, is signed in as this account. Send it to the customer alone.",
          ),
        };
      },
    },
  },
};

function changeCredits(
  visit: Visit,
  form: { text(name: string): string; given(name: string): string | undefined },
  what: "grants" | "revocations",
) {
  const id = idOf(visit);
  const body = {
    account_id: id,
    credits: typedNumber(form.text("credits")),
    reason: form.text("reason"),
    reference: form.given("reference"),
  };
  return callThenGo(
    visit,
    { path: `/v1/operator/credits/${what}`, body },
    { to: `accounts/${id}`, done: what === "grants" ? "granted" : "taken" },
  );
}

/** What is shown once. */
function onceView(title: string, text: string, note: string) {
  return {
    title,
    content: (
      <>
        <h1>{title}</h1>
        <pre>{text}</pre>
        <p class="text">{note}</p>
        <p>
          <a class="button quiet" href="?">
            Go back
          </a>
        </p>
      </>
    ),
  };
}

function KeyState({ of: key }: { readonly of: KeyOutcome }) {
  if (key.revoked_at !== null) return <Badge tone="bad">revoked</Badge>;
  if (key.expires_at !== null && Date.parse(key.expires_at) < Date.now()) {
    return <Badge>expired</Badge>;
  }
  return <Badge tone="good">works</Badge>;
}

const keys: PageRoute = {
  path: "keys",
  async show(visit, form) {
    const wanted = form?.given("key") ?? visit.query.get("key")?.trim() ?? "";
    const found =
      wanted === ""
        ? undefined
        : await visit.ask<FoundKeyOutcome>("/v1/operator/keys/find", {
            method: "POST",
            body: { key: wanted },
          });
    return {
      title: "Find a key",
      content: (
        <>
          <h1>Find a key</h1>
          <p class="lead">
            Somebody has found a key? Paste it, or its beginning. You see whose it is, and can end
            it.
          </p>
          <form class="line" method="post">
            <Field label="Key, its beginning, or its id" name="key">
              <input id="key" name="key" autocomplete="off" spellcheck={false} required />
            </Field>
            <button type="submit" name="act" value="find">
              Find
            </button>
          </form>
          {found?.kind === "refused" && (
            <Message tone="bad">
              <p>
                <Text of={found.detail} />
              </p>
            </Message>
          )}
          {found?.kind === "done" && <FoundKey visit={visit} found={found.body} />}
        </>
      ),
    };
  },
  acts: {
    find: {
      async run(visit, form) {
        return { kind: "show", view: await keys.show(visit, form) };
      },
    },
    revoke: {
      confirm: (form) =>
        `Key ${form.text("key_start")}… reads and writes nothing from the next request on. This can't be undone.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          { path: `/v1/operator/keys/${encodeURIComponent(form.text("key_id"))}/revoke` },
          { to: "keys", done: "revoked" },
        ),
    },
    rotate: {
      confirm: (form) =>
        `A new key with the same settings is made in the place of ${form.text("key_start")}…, which works for 24 hours more.`,
      async run(visit, form) {
        const path = `/v1/operator/keys/${encodeURIComponent(form.text("key_id"))}/rotate`;
        const made = await visit.ask<CreatedKeyOutcome>(path, { method: "POST", body: {} });
        if (made.kind === "refused") return { kind: "refused", why: made.detail };
        const note =
          "It is shown this once: only its hash is stored. Give it to the customer within 24 hours.";
        return { kind: "show", view: onceView("The new key", made.body.key, note) };
      },
    },
    edit: {
      run(visit, form) {
        const daily = form.given("daily");
        const budget = daily === undefined ? null : typedNumber(daily);
        const body = {
          name: form.given("key_name"),
          ...(form.text("permission") === "read" && { daily_credits: budget }),
        };
        const path = `/v1/operator/keys/${encodeURIComponent(form.text("key_id"))}`;
        return callThenGo(visit, { method: "PATCH", path, body }, { to: "keys", done: "edited" });
      },
    },
  },
};

function FoundKey({ visit, found }: { readonly visit: Visit; readonly found: FoundKeyOutcome }) {
  return (
    <>
      <Facts
        of={{
          Key: <code>{found.key_start}…</code>,
          State: <KeyState of={found} />,
          Permission: found.permission,
          Account:
            found.account_id === null ? (
              "an operator's own"
            ) : (
              <AccountLink visit={visit} id={found.account_id} name={found.account_name ?? ""} />
            ),
          Name: <Text of={found.name} />,
          Made: <Time of={found.created_at} />,
          "Last used": <Time of={found.last_used_at} />,
          Ends: found.expires_at === null ? "never" : <Time of={found.expires_at} />,
        }}
      />
      {found.revoked_at === null && <KeyForms found={found} />}
    </>
  );
}

function KeyForms({ found }: { readonly found: FoundKeyOutcome }) {
  const named = (
    <>
      <input type="hidden" name="key_id" value={found.id} />
      <input type="hidden" name="key_start" value={found.key_start} />
      <input type="hidden" name="permission" value={found.permission} />
    </>
  );
  return (
    <>
      <form method="post" class="actions">
        {named}
        <button class="danger" type="submit" name="act" value="revoke">
          Revoke it
        </button>
        {found.account_id !== null && (
          <button class="quiet" type="submit" name="act" value="rotate">
            Make a new one in its place
          </button>
        )}
      </form>
      {found.account_id !== null && (
        <form class="line" method="post">
          {named}
          <Field label="Name" name="key_name">
            <input id="key_name" name="key_name" value={found.name ?? ""} />
          </Field>
          {found.permission === "read" && (
            <Field label="Credits a day; empty: all" name="daily">
              <input
                id="daily"
                name="daily"
                inputMode="decimal"
                value={found.daily_credits === null ? "" : plain(found.daily_credits)}
              />
            </Field>
          )}
          <button class="quiet" type="submit" name="act" value="edit">
            Save
          </button>
        </form>
      )}
    </>
  );
}

const money: PageRoute = {
  path: "money",
  async show(visit, form) {
    const [payouts, promotions, purchases] = await Promise.all([
      visit.ask<Listed<"payouts", PayoutOutcome>>("/v1/operator/payouts?limit=20"),
      visit.ask<Listed<"promotions", ListedPromotionOutcome>>("/v1/operator/promotions?limit=20"),
      visit.ask<Listed<"purchases", PurchaseOutcome>>("/v1/operator/purchases?limit=20"),
    ]);
    return {
      title: "Money",
      content: (
        <>
          <h1>Money</h1>
          <h2>Purchases</h2>
          <Table
            label="Purchases"
            rows={bodyOf(purchases).purchases}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.purchased_at} /> },
              {
                head: "Feed",
                cell: (row) => (
                  <a href={`${visit.root}/console/feeds/${row.feed_id}`}>
                    <code>
                      <Text of={row.endpoint_path ?? row.feed_id} />
                    </code>
                  </a>
                ),
              },
              {
                head: "Buyer",
                kind: "id",
                cell: (row) => (
                  <a href={`${visit.root}/console/accounts/${row.account_id}`}>
                    <code>{row.account_id.slice(0, 8)}…</code>
                  </a>
                ),
              },
              { head: "Price", kind: "num", cell: (row) => <Usd of={row.price_usd} /> },
              { head: "Paid from", cell: (row) => row.paid_from },
            ]}
            empty="No feed was bought yet."
          />
          <h3>Record a payment that was made elsewhere</h3>
          <form class="line" method="post">
            <Field label="Account, id or name" name="buyer">
              <input id="buyer" name="buyer" value={typed(form, "buyer")} required />
            </Field>
            <Field label="Feed, id or slug" name="bought">
              <input id="bought" name="bought" value={typed(form, "bought")} required />
            </Field>
            <Field label="Reference of the payment" name="purchase_reference">
              <input
                id="purchase_reference"
                name="purchase_reference"
                value={typed(form, "purchase_reference")}
              />
            </Field>
            <button type="submit" name="act" value="purchase">
              Record a purchase
            </button>
          </form>
          <h3>Undo a purchase</h3>
          <form class="line" method="post">
            <Field label="Account, id or name" name="undo_account">
              <input
                id="undo_account"
                name="undo_account"
                value={typed(form, "undo_account")}
                required
              />
            </Field>
            <Field label="Feed, id or slug" name="undo_feed">
              <input id="undo_feed" name="undo_feed" value={typed(form, "undo_feed")} required />
            </Field>
            <Field label="Reason" name="undo_reason">
              <input
                id="undo_reason"
                name="undo_reason"
                value={typed(form, "undo_reason")}
                required
              />
            </Field>
            <button class="danger" type="submit" name="act" value="undo">
              Undo
            </button>
          </form>
          <h2>Payouts to providers</h2>
          <Table
            label="Payouts"
            rows={bodyOf(payouts).payouts}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.paid_at} /> },
              {
                head: "Provider",
                kind: "id",
                cell: (row) => (
                  <a href={`${visit.root}/console/accounts/${row.account_id}`}>
                    <code>{row.account_id.slice(0, 8)}…</code>
                  </a>
                ),
              },
              { head: "Paid", kind: "num", cell: (row) => <Usd of={row.usd} /> },
              { head: "Reference", cell: (row) => <Text of={row.reference} /> },
            ]}
            empty="No provider was paid yet. What each is owed is on its account's page."
          />
          <form class="line" method="post">
            <Field label="Provider, id or name" name="payee">
              <input id="payee" name="payee" value={typed(form, "payee")} required />
            </Field>
            <Field label="USD" name="usd">
              <input id="usd" name="usd" inputMode="decimal" value={typed(form, "usd")} required />
            </Field>
            <Field label="Reference of the payment" name="payout_reference">
              <input
                id="payout_reference"
                name="payout_reference"
                value={typed(form, "payout_reference")}
                required
              />
            </Field>
            <button type="submit" name="act" value="payout">
              Record a payout
            </button>
          </form>
          <h2>Promotion codes</h2>
          <Table
            label="Promotion codes"
            rows={bodyOf(promotions).promotions}
            columns={[
              { head: "Code", cell: (row) => <code>{row.code}</code> },
              { head: "Gives", kind: "num", cell: (row) => <Credits of={row.credits} /> },
              {
                head: "Redeemed",
                kind: "num",
                cell: (row) =>
                  `${digits(row.redemptions)} of ${row.max_redemptions === null ? "any number" : digits(row.max_redemptions)}`,
              },
              {
                head: "Ends",
                kind: "when",
                cell: (row) => (row.expires_at === null ? "never" : <Time of={row.expires_at} />),
              },
            ]}
            empty="There is no code yet."
          />
          <form class="line" method="post">
            <Field label="Code" name="code">
              <input id="code" name="code" value={typed(form, "code")} required />
            </Field>
            <Field label="Credits" name="promo_credits">
              <input
                id="promo_credits"
                name="promo_credits"
                inputMode="decimal"
                value={typed(form, "promo_credits")}
                required
              />
            </Field>
            <button type="submit" name="act" value="promotion">
              Make a code
            </button>
          </form>
        </>
      ),
    };
  },
  acts: {
    purchase: {
      confirm: (form) =>
        `${form.text("buyer")} reads ${form.text("bought")} free from now on. Nothing is taken from its balance.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: "/v1/operator/purchases",
            body: {
              account_id: form.text("buyer"),
              feed_id: form.text("bought"),
              reference: form.given("purchase_reference"),
            },
          },
          { to: "money", done: "recorded" },
        ),
    },
    undo: {
      confirm: (form) =>
        `The purchase of ${form.text("undo_feed")} by ${form.text("undo_account")} is undone: its price goes back, and the account reads the feed no more.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: "/v1/operator/purchases/undo",
            body: {
              account_id: form.text("undo_account"),
              feed_id: form.text("undo_feed"),
              reason: form.text("undo_reason"),
            },
          },
          { to: "money", done: "undone" },
        ),
    },
    payout: {
      confirm: (form) => `${form.text("usd")} USD are noted as paid to ${form.text("payee")}.`,
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: "/v1/operator/payouts",
            body: {
              account_id: form.text("payee"),
              usd: typedNumber(form.text("usd")),
              reference: form.text("payout_reference"),
            },
          },
          { to: "money", done: "recorded" },
        ),
    },
    promotion: {
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            path: "/v1/operator/promotions",
            body: { code: form.text("code"), credits: typedNumber(form.text("promo_credits")) },
          },
          { to: "money", done: "made" },
        ),
    },
  },
};

interface AuditEntry {
  readonly event_id: number;
  readonly happened_at: string;
  readonly actor: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly feed_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

const audit: PageRoute = {
  path: "audit",
  async show(visit) {
    const path = `/v1/operator/audit${listQuery(visit, ["account_id", "feed_id"])}`;
    const { events, next_cursor: cursor } = bodyOf(
      await visit.ask<Listed<"events", AuditEntry>>(path),
    );
    return {
      title: "Audit trail",
      content: (
        <>
          <h1>Audit trail</h1>
          <p class="lead">Who changed what, the newest first.</p>
          <Table
            label="Audit trail"
            rows={events}
            columns={[
              { head: "When", kind: "when", cell: (row) => <Time of={row.happened_at} /> },
              { head: "Who", cell: (row) => <Text of={row.actor} /> },
              { head: "What", cell: (row) => row.action },
              {
                head: "On",
                kind: "id",
                cell: (row) => (
                  <>
                    {row.feed_id !== null && (
                      <a href={`${visit.root}/console/feeds/${row.feed_id}`}>feed</a>
                    )}{" "}
                    {row.account_id !== null && (
                      <a href={`${visit.root}/console/accounts/${row.account_id}`}>account</a>
                    )}
                  </>
                ),
              },
              { head: "Before", cell: (row) => <Changed of={row.before} /> },
              { head: "After", cell: (row) => <Changed of={row.after} /> },
            ]}
            empty="Nothing was changed yet."
          />
          <Next visit={visit} cursor={cursor} />
        </>
      ),
    };
  },
};

const CHANGE_CHARACTERS = 160;

function Changed({ of }: { readonly of: unknown }) {
  if (of === null || of === undefined) return null;
  const text = JSON.stringify(of);
  const isLong = text.length > CHANGE_CHARACTERS;
  return (
    <code class="small wrapped">
      <Text of={isLong ? `${text.slice(0, CHANGE_CHARACTERS)}…` : text} />
    </code>
  );
}

export const OPERATOR_PAGES: readonly PageRoute[] = [
  overview,
  reviews,
  feeds,
  feed,
  accounts,
  account,
  keys,
  money,
  audit,
];
