import { beforeEach, expect, test } from "bun:test";
import { type Account, Accounts } from "../../src/admission/known_accounts.ts";
import { loadAccount } from "../support/known_account.ts";

const US_PER_SECOND = 1_000_000;
const WINDOW_SECONDS = 60;
const READS_PER_SECOND = 10;

/** On the database's clock. */
let nowUs: number;
let accounts: Accounts;
let account: Account;

beforeEach(() => {
  nowUs = 0;
  accounts = new Accounts({ nowUs: () => nowUs });
  account = loadAccount(accounts, nowUs);
});

test("an account that reads other feeds every minute keeps at most twice the windows that count", () => {
  for (let read = 0; read < 20 * WINDOW_SECONDS * READS_PER_SECOND; read++) {
    nowUs = (read / READS_PER_SECOND) * US_PER_SECOND;
    accounts.windows.hit(accounts.window(account, `feed ${read}`), nowUs);
    expect(account.windows.length).toBeLessThanOrEqual(2 * WINDOW_SECONDS * READS_PER_SECOND + 1);
  }
  expect(accounts.windows.size).toBe(account.windows.length);
});

test("a window with a hit of the last minute, or with a reservation, is never closed", () => {
  const reserved = accounts.window(account, "reserved");
  accounts.windows.reserve(reserved);
  for (let second = 1; second <= 200; second++) {
    nowUs = second * US_PER_SECOND;
    accounts.windows.hit(accounts.window(account, `feed ${second}`), nowUs);
    accounts.windows.hit(accounts.window(account, "often"), nowUs);
    const counted = accounts.windows.used(accounts.findWindow(account, "often"), nowUs);
    expect(counted).toBe(Math.min(second, WINDOW_SECONDS));
  }
  expect(accounts.findWindow(account, "reserved")).toBe(reserved);
  expect(accounts.windows.used(reserved, nowUs)).toBe(1);
});

test("if the clock was set back, new hits count, though the log has later events", () => {
  account.loggedUs = 3_600 * US_PER_SECOND;
  for (let feed = 0; feed < 20; feed++) {
    accounts.windows.hit(accounts.window(account, `feed ${feed}`), nowUs);
  }
  for (let feed = 0; feed < 20; feed++) {
    const window = accounts.findWindow(account, `feed ${feed}`);
    expect(accounts.windows.used(window, nowUs)).toBe(1);
  }
});
