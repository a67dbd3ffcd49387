/**
 * What pages of consumers read of the visitor's own account.
 *
 * @module
 */
import { pageUsage, type UsagePage } from "../../../accounts/usage_page.ts";
import type { Principal } from "../../../api/callers/callers.ts";
import {
  findUsageQuery,
  listOwnPurchases,
  readOwnAccount,
} from "../../../consumer/read_account.ts";
import type { Services } from "../../../services.ts";
import type { Figure } from "../../layout/parts.tsx";
import { parseExact } from "../own_api.ts";
import type { Visit } from "../visit.ts";

export interface Amount {
  readonly credits: Figure;
  readonly usd: Figure;
}

/** `AccountShape`, as far as pages show it. */
export interface Account {
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

/** `PurchasesShape`, as far as pages show it. */
export interface Purchases {
  readonly purchases: readonly {
    readonly purchase_id: string;
    readonly feed_id: string;
    readonly endpoint_path: string | null;
    readonly purchased_at: string;
    readonly price: Amount;
    readonly paid_from: string;
  }[];
  readonly next_cursor: string | null;
}

type Asking = Pick<Visit, "services" | "admit">;

export async function readAccount({ services, admit }: Asking): Promise<Account> {
  return parseExact<Account>(await readOwnAccount(services, await admit("account")));
}

/** A page of the account's calls, the newest first. The page's address says which. */
export async function readCalls(
  { services, admit, query }: Visit,
  limit: number,
): Promise<UsagePage> {
  const principal = await admit("usage");
  const cursor = query.get("cursor")?.trim() || undefined;
  const asked = findUsageQuery(services, principal, { cursor });
  return pageUsage(services.database.onBehalfOf(principal.accountId), { query: asked, limit });
}

/** A page of what the account has bought, the newest first. The page's address says which. */
export async function readPurchases(
  { services, admit, query }: Visit,
  limit: number,
): Promise<Purchases> {
  const cursor = query.get("cursor")?.trim() || undefined;
  return readPage(services, await admit("purchases"), { limit, cursor });
}

/** Whether the account has bought the feed. */
export async function hasBought({ services, admit }: Asking, feedId: string): Promise<boolean> {
  const page = await readPage(services, await admit("purchases"), { feedId, limit: 1 });
  return page.purchases.length > 0;
}

async function readPage(
  services: Services,
  principal: Principal,
  asked: Parameters<typeof listOwnPurchases>[2],
): Promise<Purchases> {
  const { text } = await listOwnPurchases(services, principal, asked);
  return parseExact<Purchases>(text);
}
