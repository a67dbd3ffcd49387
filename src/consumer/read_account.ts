/**
 * A consumer's own account: balance, limits, usage log, and purchases.
 *
 * @module
 */
import { listAgents } from "../accounts/agents.ts";
import { readUsageQuery } from "../accounts/usage_page.ts";
import { type Principal, whoseOf } from "../api/callers/callers.ts";
import { invalidParameter } from "../api/input/parameters.ts";
import { Problem } from "../http/problem_details.ts";
import { assert } from "../lib/assert.ts";
import type { Services } from "../services.ts";
import { accountOf } from "./account_answers.ts";
import { listPurchases, type PurchasesPage } from "./list_purchases.ts";

type AccountServices = Pick<Services, "database" | "config" | "cursorSecret">;

/** The account of a proven key (`AccountShape`). */
export async function readOwnAccount(
  { database, config }: AccountServices,
  principal: Principal,
): Promise<ReturnType<typeof accountOf>> {
  const { accountId, keyId } = principal;
  const ofAccount = database.onBehalfOf(accountId);
  const row = await ofAccount.row("find_account", { account_id: accountId, key_id: keyId });
  assert(row !== undefined, "an admitted key has an account");
  // Most accounts have no agents, so most calls take one statement.
  const agents = row.has_agents ? await listAgents(ofAccount, whoseOf(principal)) : [];
  return accountOf(row, agents, config.limits);
}

interface UsageFilter {
  readonly feedId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Inclusive bounds. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** Converts the caller's filter to a query for `pageUsage`. @throws {Problem} 400 */
export function findUsageQuery(
  { cursorSecret }: Pick<AccountServices, "cursorSecret">,
  principal: Principal,
  { feedId, keyId, since, until, cursor }: UsageFilter,
) {
  if (since !== undefined && until !== undefined && since > until) {
    throw invalidParameter("since is later than until. Swap them.");
  }
  const filter = {
    ...whoseOf(principal),
    feedId: feedId ?? null,
    keyId: keyId ?? null,
    since: since ?? null,
    until: until ?? null,
  };
  const query = readUsageQuery(filter, { cursor, cursorSecret });
  if (query !== undefined) return query;
  throw new Problem("CURSOR_INVALID", {
    detail:
      "This cursor was not issued for this account and these filters. Start again without it.",
  });
}

interface PurchasesAsked {
  readonly feedId?: string | undefined;
  /** Inclusive bounds. A cursor is not bound to them. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** The account's purchases, newest first. @throws {Problem} 400 for another account's cursor */
export async function listOwnPurchases(
  { database, cursorSecret }: AccountServices,
  { accountId }: Principal,
  { feedId, since, until, limit, cursor }: PurchasesAsked,
): Promise<PurchasesPage> {
  const page = await listPurchases(database.onBehalfOf(accountId), {
    accountId,
    feedId: feedId ?? null,
    since: since ?? null,
    until: until ?? null,
    limit,
    cursor,
    cursorSecret,
  });
  if (page !== undefined) return page;
  throw new Problem("CURSOR_INVALID", {
    detail: "This cursor was not issued for this account. Start again without it.",
  });
}
