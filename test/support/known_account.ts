/**
 * An account in a gateway's memory, without a database.
 *
 * @module
 */
import type { Account, Accounts } from "../../src/admission/known_accounts.ts";

let lastGeneration = 0n;

/** Loads an account that has not read anything yet. Each has its own id and generation. */
export function loadAccount(accounts: Accounts, nowUs: number): Account {
  lastGeneration += 1n;
  const key = {
    keyId: crypto.randomUUID(),
    chainId: crypto.randomUUID(),
    accountId: crypto.randomUUID(),
    permission: "read",
    isAgent: false,
    endUs: null,
    dailyNanos: null,
    feedIds: null,
  } as const;
  const standing = { hasGrants: false, seesInvited: false };
  const found = {
    version: Number(lastGeneration),
    generation: lastGeneration,
    balanceNanos: 1_000_000n,
    loggedUs: nowUs,
    events: [],
    spending: [],
  };
  return accounts.load(crypto.randomUUID(), key, { found, standing, nowUs }).account;
}
