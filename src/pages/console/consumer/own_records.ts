/**
 * What pages of consumers read of the visitor's own account.
 *
 * @module
 */
import { pageUsage, type UsagePage } from "../../../accounts/usage_page.ts";
import type { PurchasesPage } from "../../../consumer/list_purchases.ts";
import {
  findUsageQuery,
  listOwnPurchases,
  readOwnAccount,
} from "../../../consumer/read_account.ts";
import type { Visit } from "../visit.ts";

type Asking = Pick<Visit, "services" | "admit">;

export async function readAccount({ services, admit }: Asking) {
  return readOwnAccount(services, await admit("account"));
}

/**
 * A page of the account's calls, the newest first. The page's address says which, and whether searches that cost nothing
 * are among them.
 */
export async function readCalls(
  { services, admit, query }: Visit,
  limit: number,
): Promise<UsagePage> {
  const principal = await admit("usage");
  const cursor = query.get("cursor")?.trim() || undefined;
  const asked = findUsageQuery(services, principal, { cursor });
  const isDiscoveryHidden = query.get("searches") !== "yes";
  const database = services.database.onBehalfOf(principal.accountId);
  return pageUsage(database, { query: asked, limit, isDiscoveryHidden });
}

/** A page of what the account has bought, the newest first. The page's address says which. */
export async function readPurchases(
  { services, admit, query }: Visit,
  limit: number,
): Promise<PurchasesPage> {
  const cursor = query.get("cursor")?.trim() || undefined;
  return listOwnPurchases(services, await admit("purchases"), { limit, cursor });
}

/** Whether the account has bought the feed. */
export async function hasBought({ services, admit }: Asking, feedId: string): Promise<boolean> {
  const principal = await admit("purchases");
  const { purchases } = await listOwnPurchases(services, principal, { feedId, limit: 1 });
  return purchases.length > 0;
}
