/**
 * Activity for the demo's console: customers who read, buy, and are refused; a feed that awaits review; a refused push;
 * and a payout.
 *
 * Reads, purchases, and pushes go through the gateway's own API, so statistics, proofs, and earnings are computed as
 * they are for real customers. Operator actions call the operator's functions. All of this runs once: the database
 * records its completion. If a start was interrupted, the next one repeats everything on the same accounts.
 *
 * @module
 */
import { shellActor } from "../../accounts/actor.ts";
import { NANOS_PER_CREDIT } from "../../money/money_units.ts";
import { grantCredits } from "../../operator/credits.ts";
import { createKey } from "../../operator/keys.ts";
import type { Operator } from "../../operator/operator.ts";
import { recordPayout } from "../../operator/payouts.ts";
import { createPromotion } from "../../operator/promotions.ts";
import { Refused } from "../../operator/refused.ts";
import { refundUsage } from "../../operator/usage.ts";
import type { Database } from "../../postgres/client/database.ts";
import { type Attempt, createAttempts, createClient, unlessRefused } from "./client.ts";
import type { DemoAccounts } from "./demo_accounts.ts";
import { GOLD_BY_YEAR } from "./demo_feeds.ts";
import { pushBodies } from "./fill.ts";

const SETTING = "demo:day";
const ACCOUNTS_SETTING = "demo:customers";
const ACTOR = shellActor("demo");

/** A demo customer, and what it reads. */
interface Customer {
  readonly name: string;
  readonly credits: bigint;
  readonly keyName: string;
  /** Daily budget of the key. Null means no budget. */
  readonly dailyCredits: bigint | null;
  readonly buys: boolean;
  readonly reads: readonly Reading[];
}

/** A path and how often to read it. Reads over the rate limit are refused, which is intended. */
type Reading = readonly [path: string, times: number];

const CUSTOMERS: readonly Customer[] = [
  {
    name: "Harbour Insurance",
    credits: 20_000_000n,
    keyName: "risk agent",
    dailyCredits: null,
    buys: true,
    reads: [
      ["/v1/search?q=earthquakes", 6],
      ["/v1/feed/earthquakes?limit=50", 12],
      ["/v1/feed/gold-prices?limit=12", 40],
      ["/v1/feed/territory-names?limit=20", 14],
    ],
  },
  {
    name: "Atlas Travel",
    credits: 1_000n,
    keyName: "booking assistant",
    dailyCredits: null,
    buys: false,
    reads: [
      ["/v1/catalog", 4],
      ["/v1/feed/airports?iso_country=eq.JP", 9],
      ["/v1/feed/euro-rates", 8],
      ["/v1/feed/territory-names?limit=1", 2],
      ["/v1/feed/air-ports", 1],
    ],
  },
  {
    name: "Ledger Labs",
    credits: 5_000n,
    keyName: "backtest",
    dailyCredits: 25n,
    buys: false,
    reads: [["/v1/feed/gold-prices?limit=100", 30]],
  },
];
/** Reads of the consumer whose key is printed. They are few, so that most of its limits remain for the user. */
const OWN_READS: readonly Reading[] = [["/v1/feed/gold-prices?limit=3", 12]];

export interface DemoDay {
  /** Base URL of the listener. */
  readonly url: string;
  readonly operator: Operator;
  readonly accounts: DemoAccounts;
}

/** Creates the activity, unless an earlier start has completed it. */
export async function fillDemoDay(day: DemoDay): Promise<void> {
  const { database } = day.operator;
  const settings = await database.rows("list_demo_settings", {});
  if (settings.some(({ name }) => name === SETTING)) return;
  await offerWaitingFeed(day);
  const ids = await keepCustomers(database);
  for (const [index, customer] of CUSTOMERS.entries()) {
    await spend(day, customer, { accountId: ids[index] ?? "", isFirst: index === 0 });
  }
  await readAll(createAttempts(day.url, day.accounts.readKey), OWN_READS);
  await settle(day);
  await database.row("keep_setting", { name: SETTING, value: "done" });
}

/** Stores the account ids before it creates the accounts, so that a start after an interruption uses the same ids. */
async function keepCustomers(database: Database): Promise<readonly string[]> {
  const value = CUSTOMERS.map(() => crypto.randomUUID()).join(" ");
  const setting = await database.row("keep_setting", { name: ACCOUNTS_SETTING, value });
  const ids = (setting?.value ?? "").split(" ");
  for (const [index, { name }] of CUSTOMERS.entries()) {
    const account = { name, max_feeds_allowed: 1, account_id: ids[index] ?? null, actor: ACTOR };
    await database.row("create_account", account);
  }
  return ids;
}

interface Spending {
  readonly accountId: string;
  readonly isFirst: boolean;
}

async function spend(
  { url, operator }: DemoDay,
  customer: Customer,
  { accountId, isFirst }: Spending,
): Promise<void> {
  const { name, credits, keyName, dailyCredits } = customer;
  const grant = {
    account_id: accountId,
    credits: credits * NANOS_PER_CREDIT,
    reason: "demo order",
    reference: `demo:${accountId}`,
  };
  await grantCredits(operator, grant, ACTOR);
  const { key } = await createKey(
    operator,
    {
      account_id: accountId,
      permission: "read",
      name: keyName,
      ...(dailyCredits !== null && { daily_credits: dailyCredits * NANOS_PER_CREDIT }),
    },
    ACTOR,
  );
  const attempt = createAttempts(url, key);
  if (customer.buys) {
    await attempt("/v1/feed/territory-names/purchase", '{"max_credits":5000000}');
  }
  await readAll(attempt, customer.reads);
  if (isFirst) await refundOne(operator, await attempt("/v1/feed/gold-prices?limit=1"), name);
}

async function readAll(attempt: Attempt, reads: readonly Reading[]): Promise<void> {
  for (const [path, times] of reads) {
    for (let done = 0; done < times; done++) await attempt(path);
  }
}

/** Refunds a read if it was charged. There is no such read if the feed has been taken down. */
async function refundOne(operator: Operator, answer: unknown, name: string): Promise<void> {
  const usageId = usageIdOf(answer);
  if (usageId === undefined) return;
  const reason = `${name} received the same month twice`;
  await unlessDone(refundUsage(operator, { usage_id: usageId, reason }, ACTOR));
}

function usageIdOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("_origin" in answer)) return undefined;
  const { _origin: origin } = answer;
  if (typeof origin !== "object" || origin === null || !("usage_id" in origin)) return undefined;
  return typeof origin.usage_id === "string" ? origin.usage_id : undefined;
}

/** Creates a feed that awaits review and has an incomplete batch and a refused push. */
async function offerWaitingFeed({ url, operator, accounts }: DemoDay): Promise<void> {
  const provider = createClient(url, accounts.writeKey);
  const { definition } = GOLD_BY_YEAR;
  const body = JSON.stringify({ ...definition, request_review: true });
  const creating = provider<{ id: string }>("/v1/provider/feed/create", body);
  const made = await unlessRefused(creating, ["ENDPOINT_PATH_TAKEN"]);
  const push = `/v1/provider/feed/${made?.id ?? definition.endpoint_path}/push`;
  const pushAll = async () => {
    for (const each of pushBodies(GOLD_BY_YEAR, operator.limits)) await provider(push, each);
    const rows = GOLD_BY_YEAR.rows.slice(-20).join(",");
    // Each attempt has its own batch, because finalizing a batch discards older ones.
    const batchId = `revision-${crypto.randomUUID().slice(0, 8)}`;
    await provider(push, `{"payload":[${rows}],"batch_id":"${batchId}"}`);
  };
  await unlessRefused(pushAll(), ["FEED_FORBIDDEN", "FEED_SUSPENDED"]);
  const year = '{"payload":[{"id":"1832","year":1832,"average_usd":"about 19"}]}';
  await createAttempts(url, accounts.writeKey)(push, year);
}

async function settle({ operator, accounts }: DemoDay): Promise<void> {
  const payout = {
    account_id: accounts.providerId,
    usd: 2_000_000_000n,
    reference: `demo:payout:${accounts.providerId}`,
    // The most recent sales may not be counted yet.
    allow_above: true,
  };
  await recordPayout(operator, payout, ACTOR);
  const promotion = { code: "WELCOME", credits: 500n * NANOS_PER_CREDIT, max_redemptions: 100 };
  await unlessDone(createPromotion(operator, promotion, ACTOR));
}

/** Ignores refusals, because an interrupted start may already have done this. */
async function unlessDone(act: Promise<unknown>): Promise<void> {
  try {
    await act;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
