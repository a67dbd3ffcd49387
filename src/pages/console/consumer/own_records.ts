/**
 * The records of the visitor's own account that pages of consumers read.
 *
 * @module
 */
import { type KeyBudget, listKeyBudgets } from "../../../accounts/budgets.ts";
import { monthSoFar, readPace } from "../../../accounts/earnings/forecast.ts";
import { readSpending } from "../../../accounts/earnings/spending.ts";
import { pageUsage, type UsagePage } from "../../../accounts/usage_page.ts";
import type { PurchasesPage } from "../../../consumer/list_purchases.ts";
import {
  findUsageQuery,
  listOwnPurchases,
  readOwnAccount,
} from "../../../consumer/read_account.ts";
import { present } from "../../../lib/assert.ts";
import type { Figure } from "../../layout/parts.tsx";
import { forecastOf } from "../account_usage.tsx";
import { rangeOf, type ShownRange } from "../shown_range.tsx";
import type { Visit } from "../visit.ts";

type Asking = Pick<Visit, "services" | "admit">;

export async function readAccount({ services, admit }: Asking) {
  return readOwnAccount(services, await admit("account"));
}

interface CallsAsked {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly feedId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Whether searches that cost nothing are left out. */
  readonly isDiscoveryHidden: boolean;
}

/** Bounds of a list, RFC 3339. Without them, it is of all time. */
type Bounds = Partial<Pick<ShownRange, "since" | "until">>;

/** A page of the account's calls, the newest first. */
export async function readCalls(
  { services, admit }: Asking,
  { limit, isDiscoveryHidden, ...filters }: CallsAsked,
  { since = null, until = null }: { readonly [Name in keyof Bounds]: Bounds[Name] | null } = {},
): Promise<UsagePage> {
  const principal = await admit("usage");
  // A range moves on with the time, so cursors are not bound to it.
  const query = { ...findUsageQuery(services, principal, filters), since, until };
  const database = services.database.onBehalfOf(principal.accountId);
  return pageUsage(database, { query, limit, isDiscoveryHidden });
}

/** A page of what the account has bought, the newest first. */
export async function readPurchases(
  { services, admit }: Asking,
  part: { readonly limit: number; readonly cursor?: string | undefined },
  bounds: Bounds = {},
): Promise<PurchasesPage> {
  return listOwnPurchases(services, await admit("purchases"), { ...part, ...bounds });
}

/** Whether the account has bought the feed. */
export async function hasBought({ services, admit }: Asking, feedId: string): Promise<boolean> {
  const principal = await admit("purchases");
  const { purchases } = await listOwnPurchases(services, principal, { feedId, limit: 1 });
  return purchases.length > 0;
}

/** Budgets of the account's keys. */
export function readBudgets({ services, session }: Visit): Promise<readonly KeyBudget[]> {
  const { id } = present(session.account);
  return listKeyBudgets(services.database.onBehalfOf(id), id);
}

/** What the account has spent this month, and will have spent by its end at the pace of the last days. */
export async function readMonth({ operator: { database }, session }: Visit) {
  const { id: accountId } = present(session.account);
  const nowMs = Date.now();
  const [{ totals }, pace] = await Promise.all([
    readSpending(database, { accountId, ...monthSoFar(nowMs), groupBy: "day" }),
    readPace(database, { accountId, nowMs }),
  ]);
  const spent = totals.spent_usd;
  return { spent, forecast: forecastOf(spent, pace.nanos) };
}

/** What each key has spent in the last 30 days. */
export async function readKeySpending({
  operator: { database },
  session,
}: Visit): Promise<ReadonlyMap<string | null | undefined, Figure>> {
  const { id: accountId } = present(session.account);
  const { from, to } = rangeOf({ query: new URLSearchParams() }, "30d");
  const { groups } = await readSpending(database, { accountId, from, to, groupBy: "key" });
  return new Map(groups.map((group) => [group.key_id, group.spent_usd]));
}
