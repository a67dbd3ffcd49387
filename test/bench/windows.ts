/**
 * The memory of a million live windows: a program that `bench memory` runs. Prints the increase of the process's memory
 * in MB.
 *
 * @module
 */

import { DatabaseClock } from "../../src/admission/database_clock.ts";
import { Accounts } from "../../src/admission/known_accounts.ts";
import { loadAccount } from "../support/known_account.ts";
import { residentMb } from "./processes.ts";

/** All windows, and those of an account. Each belongs to one of the feeds, and has one hit. */
const WINDOWS = 1_000_000;
const WINDOWS_PER_ACCOUNT = 20;
const FEEDS = 1_000;
const SETTLE_MS = 2_000;
/** Accounts created per turn of the event loop. */
const ACCOUNTS_A_TURN = 100;

async function settledMb(): Promise<number> {
  Bun.gc(true);
  await Bun.sleep(SETTLE_MS);
  Bun.gc(true);
  return residentMb(process.pid);
}

async function fill(accounts: Accounts): Promise<void> {
  const feedIds = Array.from({ length: FEEDS }, () => crypto.randomUUID());
  const nowUs = Date.now() * 1_000;
  for (let number = 0; number < WINDOWS / WINDOWS_PER_ACCOUNT; number++) {
    if (number % ACCOUNTS_A_TURN === 0) await Bun.sleep(0);
    const account = loadAccount(accounts, nowUs);
    for (let place = 0; place < WINDOWS_PER_ACCOUNT; place++) {
      const feedId = feedIds[(number * 7 + place) % FEEDS] as string;
      accounts.windows.hit(accounts.window(account, feedId), nowUs);
    }
  }
}

if (import.meta.main) {
  const accounts = new Accounts(new DatabaseClock());
  const before = await settledMb();
  await fill(accounts);
  const more = (await settledMb()) - before;
  console.log(JSON.stringify({ windows: accounts.windows.size, mb: Math.round(more) }));
  process.exit(0);
}
