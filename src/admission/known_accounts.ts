/**
 * Accounts that read through this process, in memory: balance, purchases, windows, and the version that this state
 * belongs to. Stale memory can only cause a retry, because a decision is written only if the version is still current.
 *
 * An account enters memory when one of its keys is looked up. It is evicted when anything but a read has changed it, or
 * when there are too many accounts. Its next read then looks up the key again.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { KNOWN_ACCOUNTS_MAX, KNOWN_KEYS_MAX, KNOWN_WINDOWS_MAX } from "../limits.ts";
import type { DatabaseClock } from "./database_clock.ts";
import { HIT_LIFE_US, SlidingWindows, type WindowNumber } from "./sliding_windows.ts";
import { WindowTable } from "./window_table.ts";

/** Nano-dollars that the keys of a shared budget have spent and reserved. */
export interface KeySpending {
  /** The newest UTC day with spending, in days since the Unix epoch. */
  day: number;
  spentNanos: bigint;
  reservedNanos: bigint;
}

/** Lets an account read a feed that is not open, or read a feed for nothing. */
export interface AccessGrant {
  readonly isFree: boolean;
  /** When it ends, in microseconds of the Unix epoch. Null if it does not. */
  readonly endUs: number | null;
}

/** What of an account only its grants and its invited feeds decide. */
export interface Standing {
  /** Whether it has any grant. If not, none needs to be looked up. */
  readonly hasGrants: boolean;
  /** Whether it may find invited feeds in catalog and search. */
  readonly seesInvited: boolean;
}

/** An account, as of a version. */
export class Account {
  /** False once the account was dropped. Reads that were decided by it must be decided again. */
  isCurrent = true;
  /** The reserved part of the balance, in nano-dollars. */
  reservedNanos = 0n;
  /** Reservations that are neither logged nor released. */
  reservations = 0;
  /** Increases with each update about reads of other processes. */
  newsCount = 0;
  /** Feeds that the account is known to have bought. */
  readonly purchases = new Set<string>();
  /** By feed: the account's grant. Undefined if none is known to be there, null if it is known that there is none. */
  readonly grants = new Map<string, AccessGrant | null>();
  /** Spending by chain, for chains with a budget. */
  readonly spending = new Map<string, KeySpending>();
  /** The open windows. */
  windows: WindowNumber[] = [];
  /** Index of the next window to check. It is closed if nothing counts in it. */
  lookedAt = 0;

  constructor(
    readonly id: string,
    /** Identifies the account's windows. No other account in memory has the same number. */
    readonly number: number,
    public version: number,
    readonly generation: bigint,
    /** When the newest event of the account's log was decided. */
    public loggedUs: number,
    public balanceNanos: bigint,
    readonly standing: Standing,
  ) {}

  /** The account's grant for a feed, as far as it is known and has not ended. */
  grantOf(feedId: string, nowUs: number): AccessGrant | undefined {
    const grant = this.grants.get(feedId) ?? undefined;
    return grant === undefined || (grant.endUs !== null && grant.endUs <= nowUs)
      ? undefined
      : grant;
  }

  /** Whether memory knows that the account finds this invited feed. */
  mayFind(feedId: string): boolean {
    return this.purchases.has(feedId) || Boolean(this.grants.get(feedId));
  }
}

/** The account and settings of a valid key. */
export interface Caller {
  readonly kind: "caller";
  readonly keyId: string;
  /** The first key of the chain of rotations that the key is of: all keys of the chain share one budget. */
  readonly chainId: string;
  readonly permission: "read" | "write";
  /** Whether an agent got the key by OAuth. Such a key sees and ends only itself, and has its own windows. */
  readonly isAgent: boolean;
  /** When the key expires, in microseconds of the Unix epoch. Null if it never does. */
  readonly endUs: number | null;
  /** Nano-dollars that the key may spend in a UTC day. Null if it has no budget. */
  readonly dailyNanos: bigint | null;
  /** The only feeds that the key may read. Null means all. */
  readonly feedIds: ReadonlySet<string> | null;
  readonly account: Account;
}

/** A usage event that counts: its window, as named by `windowOf`, and its time. */
type CountedEvent = readonly [window: string, timeUs: number];

/** What a chain of keys with a budget has spent on its newest day, in nano-dollars as text. */
type SpentByChain = readonly [chainId: string, day: number, spentNanos: string];

/** An account as the database reports it. */
export interface AccountNews {
  readonly version: number;
  readonly generation: bigint;
  readonly balanceNanos: bigint;
  readonly loggedUs: number;
  /** Events since the requested time. Null if the generation has moved, so that all events must be read again. */
  readonly events: readonly CountedEvent[] | null;
  /** Contains every chain of the account that has a budget. */
  readonly spending: readonly SpentByChain[];
}

/** The row format of `account_news`. */
export type NewsRow = readonly [
  version: number,
  generation: number,
  balanceNanos: string,
  loggedUs: number,
  events: readonly CountedEvent[] | null,
  spending: readonly SpentByChain[] | null,
];

/** An account as it was found at a time of the database's clock. */
interface Found {
  readonly found: AccountNews;
  readonly standing: Standing;
  readonly nowUs: number;
}

/** Windows checked for each one that is opened. With two, at most twice as many are open as are needed. */
const LOOKS_PER_WINDOW = 2;

export class Accounts {
  readonly windows = new SlidingWindows();
  readonly #windowTable = new WindowTable();
  #lastNumber = 0;
  /** In loading order. */
  readonly #accounts = new Map<string, Account>();
  /** By the hash of the key. The key itself is not stored. */
  readonly #callers = new BoundedMap<string, Caller>(KNOWN_KEYS_MAX);
  /** By account: the replays of the last minute, which no log contains. They outlive the account's entry in memory. */
  readonly #replays = new BoundedMap<string, CountedEvent[]>(KNOWN_ACCOUNTS_MAX);
  readonly #clock: Pick<DatabaseClock, "nowUs">;

  constructor(clock: Pick<DatabaseClock, "nowUs">) {
    this.#clock = clock;
  }

  /** Undefined if the key or its account must be looked up. */
  caller(keyMark: string): Caller | undefined {
    const caller = this.#callers.get(keyMark);
    return caller?.account.isCurrent === true ? caller : undefined;
  }

  /** Remembers a key that was looked up, and its account. */
  load(
    keyMark: string,
    key: Omit<Caller, "kind" | "account"> & { readonly accountId: string },
    as: Found,
  ): Caller {
    const { accountId, ...rest } = key;
    const known = this.#accounts.get(accountId);
    if (known !== undefined && !isBehind(as.found, known)) this.apply(known, as.found);
    const account = known?.isCurrent === true ? known : this.#open(accountId, as);
    const caller: Caller = { kind: "caller", ...rest, account };
    this.#callers.set(keyMark, caller);
    return caller;
  }

  /** Updates an account. If the update is not sufficient, the account is dropped. */
  apply(account: Account, news: AccountNews): void {
    if (!account.isCurrent || news.version === account.version) return;
    const { events } = news;
    const isAppended =
      events !== null && news.generation === account.generation && news.loggedUs > account.loggedUs;
    if (!isAppended) {
      this.drop(account);
      return;
    }
    for (const [window, timeUs] of events) {
      if (timeUs > account.loggedUs) this.windows.hit(this.window(account, window), timeUs);
    }
    setSpending(account, news.spending);
    account.version = news.version;
    account.balanceNanos = news.balanceNanos;
    account.loggedUs = news.loggedUs;
    account.newsCount += 1;
  }

  /** The account's window of this name, for reading. Returns the empty window if there is none. */
  findWindow({ number }: Account, name: string): WindowNumber {
    return this.#windowTable.find(number, name) ?? this.windows.empty;
  }

  /** The account's window of this name, for counting. Opens it if there is none. */
  window(account: Account, name: string): WindowNumber {
    const known = this.#windowTable.find(account.number, name);
    if (known !== undefined) return known;
    for (let looks = 0; looks < LOOKS_PER_WINDOW; looks++) this.#closeUnused(account);
    const window = this.windows.open();
    this.#windowTable.add(account.number, name, window);
    account.windows.push(window);
    return window;
  }

  /** Counts a replay, which is not logged, in the window of this name. */
  hitByReplay(account: Account, name: string, timeUs: number): void {
    this.windows.hit(this.window(account, name), timeUs);
    const replays = this.#replays.get(account.id) ?? [];
    while (replays[0] !== undefined && replays[0][1] <= timeUs - HIT_LIFE_US) replays.shift();
    replays.push([name, timeUs]);
    this.#replays.set(account.id, replays);
  }

  /** Drops the account, so that its next call looks up the key again. */
  drop(account: Account): void {
    account.isCurrent = false;
    if (this.#accounts.get(account.id) === account) this.#accounts.delete(account.id);
    this.closeDropped(account);
  }

  /** Drops all accounts. Used when the clock was set back, because hits that had left may count again. */
  dropAll(): void {
    for (const account of this.#accounts.values()) this.drop(account);
  }

  /** Closes the windows of a dropped account, once it has no reservation left. */
  closeDropped(account: Account): void {
    if (account.isCurrent || account.reservations > 0) return;
    for (const window of account.windows) this.#close(window);
    account.windows = [];
  }

  /** Checks the account's windows in turn, one a call, and closes the window if nothing counts in it. */
  #closeUnused(account: Account): void {
    const { windows } = account;
    if (account.lookedAt >= windows.length) account.lookedAt = 0;
    const window = windows[account.lookedAt];
    if (window === undefined) return;
    // Not as of `loggedUs`: if the clock was set back, that is later than new hits.
    if (this.windows.used(window, this.#clock.nowUs()) > 0) {
      account.lookedAt += 1;
      return;
    }
    this.#close(window);
    const last = windows.pop();
    if (last !== undefined && last !== window) windows[account.lookedAt] = last;
  }

  #close(window: WindowNumber): void {
    this.#windowTable.remove(window);
    this.windows.close(window);
  }

  #open(accountId: string, { found, nowUs, standing }: Found): Account {
    this.#makeRoom();
    const { version, generation, loggedUs, balanceNanos } = found;
    // Uses all 31 bits: before a number repeats, its account has been evicted.
    this.#lastNumber = (this.#lastNumber + 1) & 0x7fffffff;
    const account = new Account(
      accountId,
      this.#lastNumber,
      version,
      generation,
      loggedUs,
      balanceNanos,
      standing,
    );
    const events = [...(found.events ?? []), ...(this.#replays.get(accountId) ?? [])];
    for (const [window, timeUs] of events.sort(([, a], [, b]) => a - b)) {
      if (timeUs <= nowUs - HIT_LIFE_US) continue;
      // An event ahead of the clock was logged before the clock was set back.
      this.windows.hit(this.window(account, window), Math.min(timeUs, nowUs));
    }
    setSpending(account, found.spending);
    this.#accounts.set(accountId, account);
    return account;
  }

  #makeRoom(): void {
    for (const account of this.#accounts.values()) {
      const isRoom =
        this.#accounts.size < KNOWN_ACCOUNTS_MAX && this.windows.size < KNOWN_WINDOWS_MAX;
      if (isRoom) return;
      this.drop(account);
    }
  }
}

/** Parses news from its JSON. */
export function newsOf([
  version,
  generation,
  balance,
  loggedUs,
  events,
  spending,
]: NewsRow): AccountNews {
  return {
    version,
    generation: BigInt(generation),
    balanceNanos: BigInt(balance),
    loggedUs,
    events,
    spending: spending ?? [],
  };
}

/** The spending of a chain of keys of the account. */
export function spendingOf({ spending }: Account, chainId: string): KeySpending {
  let known = spending.get(chainId);
  if (known === undefined) {
    known = { day: 0, spentNanos: 0n, reservedNanos: 0n };
    spending.set(chainId, known);
  }
  return known;
}

/** Adds a charge of a day. If a newer day has begun, the charge counts on that day. */
export function spend(spending: KeySpending, day: number, nanos: bigint): void {
  spending.spentNanos = nanos + (spending.day >= day ? spending.spentNanos : 0n);
  spending.day = Math.max(spending.day, day);
}

function setSpending(account: Account, spending: readonly SpentByChain[]): void {
  for (const [chainId, day, spentNanos] of spending) {
    const known = spendingOf(account, chainId);
    known.day = day;
    known.spentNanos = BigInt(spentNanos);
  }
}

/** Whether the row is older than memory: another read of the account has been logged since. */
function isBehind(found: AccountNews, known: Account): boolean {
  return found.generation === known.generation && found.loggedUs <= known.loggedUs;
}
