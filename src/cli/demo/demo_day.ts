/**
 * Something to see in the console of the demo: customers who read, are refused and buy, a feed that waits for review,
 * a push that was refused, a payout.
 *
 * Reads, purchases and pushes are calls of the gateway's own API, so figures, proofs and earnings come about as they do
 * for everybody. What an operator does is done by the operator's functions. It is done once: the last step is noted in
 * the database. Where a start was cut short, the next one does it again, on the same accounts.
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

/** A customer of the demo, and the paths that it reads. */
interface Customer {
  readonly name: string;
  readonly credits: bigint;
  readonly keyName: string;
  /** Of the key; null: no budget. */
  readonly dailyCredits: bigint | null;
  readonly buys: boolean;
  readonly reads: readonly Reading[];
}

/** A path, and how often it is read. More often than the limit allows is refused, as it should be. */
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
/** Of the demo's own consumer, whose key is printed. Little, so that its limits are there for who tries it. */
const OWN_READS: readonly Reading[] = [["/v1/feed/gold-prices?limit=3", 12]];

export interface DemoDay {
  /** The listener. */
  readonly url: string;
  readonly operator: Operator;
  readonly accounts: DemoAccounts;
}

/** Does what is missing of the day. */
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

/** Their ids are kept before they are made, so that they are the same ones after an interruption. */
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

/** A read that was paid is given back; a feed that was taken down has none. */
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

/** A feed that its provider has asked to be listed, with a batch that is not complete, and a push that was refused. */
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
    // Of its own for each attempt: what finalizes the batch before retires an older one.
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
    // The sales of just now may not be counted yet.
    allow_above: true,
  };
  await recordPayout(operator, payout, ACTOR);
  const promotion = { code: "WELCOME", credits: 500n * NANOS_PER_CREDIT, max_redemptions: 100 };
  await unlessDone(createPromotion(operator, promotion, ACTOR));
}

/** A start that was cut short may have done it already. */
async function unlessDone(act: Promise<unknown>): Promise<void> {
  try {
    await act;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
