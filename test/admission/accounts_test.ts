import { expect, test } from "bun:test";
import { Accounts } from "../../src/admission/accounts.ts";

const US_PER_SECOND = 1_000_000;
const WINDOW_SECONDS = 60;
const READS_PER_SECOND = 10;

function openAccount(accounts: Accounts) {
  const key = {
    accountId: "account",
    keyId: "key",
    permission: "read",
    endUs: null,
    dailyNanos: null,
    feedIds: null,
  } as const;
  const found = {
    version: 1,
    generation: 1n,
    balanceNanos: 0n,
    loggedUs: 0,
    events: [],
    spending: [],
  };
  return accounts.load("mark", key, { found, nowUs: 0 }).account;
}

test("an account that reads other feeds every minute keeps at most twice the windows that count", () => {
  const accounts = new Accounts();
  const account = openAccount(accounts);
  for (let read = 0; read < 20 * WINDOW_SECONDS * READS_PER_SECOND; read++) {
    account.loggedUs = (read / READS_PER_SECOND) * US_PER_SECOND;
    accounts.windows.hit(accounts.window(account, `feed ${read}`), account.loggedUs);
    expect(account.windows.length).toBeLessThanOrEqual(2 * WINDOW_SECONDS * READS_PER_SECOND + 1);
  }
  expect(accounts.windows.size).toBe(account.windows.length);
});

test("a window with a hit of the last minute, or with a reservation, is never closed", () => {
  const accounts = new Accounts();
  const account = openAccount(accounts);
  const reserved = accounts.window(account, "reserved");
  accounts.windows.reserve(reserved);
  for (let second = 1; second <= 200; second++) {
    account.loggedUs = second * US_PER_SECOND;
    accounts.windows.hit(accounts.window(account, `feed ${second}`), account.loggedUs);
    accounts.windows.hit(accounts.window(account, "often"), account.loggedUs);
    const counted = accounts.windows.used(accounts.findWindow(account, "often"), account.loggedUs);
    expect(counted).toBe(Math.min(second, WINDOW_SECONDS));
  }
  expect(accounts.findWindow(account, "reserved")).toBe(reserved);
  expect(accounts.windows.used(reserved, account.loggedUs)).toBe(1);
});
