/**
 * Admission decides whether an account may make a read, and records each read in the usage log.
 *
 * **The idea.** A gateway decides in memory, and PostgreSQL verifies and records. The gateway remembers the accounts
 * that read through it: balance, purchases, and the exact windows of the last minute (`known_accounts.ts`). Deciding a
 * read takes a microsecond (`decide.ts`). One statement, `log_reads`, then writes the granted read together with all
 * other pending reads. The statement compares the version of each account with the one that the gateway knows. The
 * version is a random token that every change of the account renews: its balance, its log, its keys, its purchases. If
 * the versions match, the decision is valid: the account is charged, the events are logged, and the version is renewed,
 * all in one commit. If they differ, the statement writes nothing for that account and returns its current state, and
 * the gateway decides again. Stale memory therefore costs only a retry, and gateways need neither messages nor leases.
 *
 * **A read** goes `reserve → build the page → log`. Nothing is charged before the page is ready.
 *
 * 1. `reserve` decides in memory. It takes a slot in the window, and the price from the balance. "Limited" is final,
 *    because more hits may exist than the gateway knows of, never fewer. Every other refusal is first confirmed by
 *    reading the account again (`proofs.ts`), because a grant, a purchase, or a new key may have arrived since.
 * 2. The caller builds the page. If that fails, it calls `release`, and nothing is charged or counted.
 * 3. `log` sends the reservation with the next batch (`read_log.ts`). There is no timer: if no batch is in flight, a
 *    read is sent immediately, and reads that arrive during a batch are sent together in the next one. Only one batch
 *    at a time contains an account's reads, so a gateway never competes with itself.
 *
 * **The clock** is the database's (`database_clock.ts`). A hit leaves its window only when a lower bound of that clock
 * is 60 seconds past it. If the clock was set back, `log_reads` detects that and writes nothing, and the gateway reads
 * its accounts again. A hit whose time is now in the future then counts as a hit of the present.
 *
 * **A lost response:** if the connection dies before the response to a batch arrives, the gateway does not know whether
 * the batch was committed. Its reads get 503. A background step finds their events by the batch's token, which is the
 * suffix of their usage ids, and refunds them (`refunds.ts`).
 *
 * **An Idempotency-Key** is looked up before the read is decided, and written with the read. Another process can't have
 * used it in between, because that would have renewed the account's version.
 *
 * See `src/spec/decisions.md`, section 7.
 *
 * @module
 */

import { assert } from "../lib/assert.ts";
import { JoinedRuns } from "../lib/joined_runs.ts";
import type { Log } from "../lib/log.ts";
import { LOG_TRIES_MAX, WINDOW_US } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";
import { CallLimits } from "./call_limits.ts";
import type { Claim, Grant, Refusal, Suspended, UnloggedOperation, WindowState } from "./claims.ts";
import { DatabaseClock } from "./database_clock.ts";
import {
  type AccountView,
  type DecideOptions,
  dayOf,
  decide,
  describeWindow,
  type KeyBudget,
  timestampOf,
} from "./decide.ts";
import { Accounts, type Caller, newsOf, spendingOf } from "./known_accounts.ts";
import type { LogOptions, LogOutcome } from "./log_batch.ts";
import { createProofs, type Proof, type Proofs, type Remembered } from "./proofs.ts";
import { ReadLog, type ReadLogOptions } from "./read_log.ts";
import { Refunds } from "./refunds.ts";
import { type Reservation, release, reserve, without } from "./reservation.ts";
import { limitOf, priceOf, windowOf } from "./terms.ts";

/** Receives admission's events, for the metrics of a server. */
export interface AdmissionObserver {
  batchSent(size: number): void;
  decided(decision: {
    readonly operation: string;
    readonly outcome: string;
    readonly isLogged: boolean;
    readonly credits: number;
  }): void;
}

export interface AdmissionOptions {
  readonly database: Database;
  /** Batch sizes that override `ADMISSION_BATCHES`. */
  readonly batches?: ReadLogOptions["batches"];
  readonly observer?: AdmissionObserver;
  readonly log?: Log;
}

/** The feed or the key has changed since it was looked up: look up both, and decide again. */
export interface Changed {
  readonly kind: "changed";
}

/** The data is newer than the page: build the page at this version, and log again. The reservation stays valid. */
export interface DataMoved {
  readonly kind: "data_moved";
  readonly version: bigint;
}

const CHANGED: Changed = { kind: "changed" };
const OVERLOADED: Refusal = { kind: "overloaded" };
const GRANTED: DecideOptions = { isWindowed: true, isPriced: true };
const NANOS_PER_CREDIT = 1_000;
const IDLE_LOOK_MS = 5;

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #clock = new DatabaseClock();
  readonly #accounts = new Accounts(this.#clock);
  readonly #callLimits = new CallLimits();
  readonly #refunds: Refunds;
  readonly #proofs: Proofs;
  /** Look-ups of keys in progress, by key mark. */
  readonly #lookups = new JoinedRuns<Caller | Suspended | undefined>();
  readonly #readLog: ReadLog;
  /** Reservations that their callers have not released yet. */
  readonly #open = new Set<Reservation>();

  constructor(options: AdmissionOptions) {
    const { database, log } = options;
    this.#options = options;
    this.#refunds = new Refunds({ database, ...(log && { log }) });
    this.#proofs = createProofs(database);
    this.#readLog = new ReadLog({
      database,
      accounts: this.#accounts,
      clock: this.#clock,
      refunds: this.#refunds,
      batches: options.batches,
      onSent: (reads) => options.observer?.batchSent(reads),
      onLogged: ({ claim, priceNanos }) =>
        this.#observe(claim.operation, "granted", Number(priceNanos) / NANOS_PER_CREDIT, true),
    });
  }

  /** The caller of a key, if the key is in memory. If it is not, look it up with `identify`. */
  remembered(keyMark: string): Caller | undefined {
    return this.#accounts.caller(keyMark);
  }

  /** Looks up a key and its account. Returns undefined if the key is unknown, revoked, or expired. */
  async identify(keyMark: string, keyHash: Uint8Array): Promise<Caller | Suspended | undefined> {
    // Concurrent calls share one look-up. If one that began earlier found nothing, the key is looked up again.
    const shared = await this.#lookups.underWay(keyMark);
    if (shared?.kind === "caller" && shared.account.isCurrent) return shared;
    return this.#lookups.join(keyMark, () => this.#lookUp(keyMark, keyHash));
  }

  /** Reads key, account, feed, and Idempotency-Key from the database, and updates the account in memory. */
  async prove(caller: Caller, claim?: Claim): Promise<Proof | Refusal> {
    const { account } = caller;
    const { version } = account;
    const feedId = claim?.feed?.feedId;
    const proof = await this.#proofs.submit({
      caller,
      feedId,
      idempotencyKey: claim?.idempotency?.key,
    });
    if (proof === undefined) return OVERLOADED;
    if (!proof.isKeyUsable) return { kind: "key_refused" };
    const { suspensionReason } = proof;
    if (suspensionReason !== null) return { kind: "suspended", reason: suspensionReason };
    // If a batch of this process has changed the account since, the proof may be older than memory.
    const isOlder = account.version !== version && proof.news.loggedUs <= account.loggedUs;
    if (!isOlder) this.#accounts.apply(account, proof.news);
    if (feedId !== undefined) {
      if (proof.isPurchased) account.purchases.add(feedId);
      // A purchase may be undone.
      else account.purchases.delete(feedId);
      account.grants.set(feedId, proof.grant ?? null);
    }
    return proof;
  }

  /** Decides in memory. A repeat of the `remembered` read reserves a slot in the window, but no price. */
  reserve(caller: Caller, claim: Claim, remembered?: Remembered): Reservation | Refusal {
    const isPriced = remembered === undefined;
    const refusal = this.judge(caller, claim, { isWindowed: true, isPriced });
    if (refusal !== undefined) return refusal;
    const decidedUs = this.#clock.nowUs();
    const { account } = caller;
    const grant = claim.feed && account.grantOf(claim.feed.feedId, decidedUs);
    const priceNanos = isPriced ? priceOf(claim, { accountId: account.id, grant }) : 0n;
    const options = { caller, claim, grant, priceNanos, remembered, decidedUs };
    const reservation = reserve(this.#accounts, options);
    this.#open.add(reservation);
    return reservation;
  }

  /** Replaces a reservation by one for the read's cost, once that is known. */
  reserveAgain(reservation: Reservation, units: bigint): Reservation | Refusal {
    const { caller, claim } = reservation;
    this.release(reservation);
    return this.reserve(caller, { ...claim, units });
  }

  /** Why the read would be refused according to memory, or undefined if it would not. Reserves nothing. */
  judge(caller: Caller, claim: Claim, options: DecideOptions): Refusal | undefined {
    const { endUs, feedIds } = caller;
    const nowUs = this.#clock.nowUs();
    if (endUs !== null && endUs <= nowUs) return { kind: "key_refused" };
    const { feed } = claim;
    if (feedIds !== null && feed !== undefined && !feedIds.has(feed.feedId)) {
      return { kind: "out_of_scope" };
    }
    // It may be free to the account, or closed to it from now on.
    const { account } = caller;
    if (feed !== undefined && account.standing.hasGrants && !account.grants.has(feed.feedId)) {
      return { kind: "grant_unknown" };
    }
    return decide(this.#view(caller, claim, nowUs), claim, { ...options, nowUs });
  }

  /** The current state of the window that counts the claim. */
  windowOf(caller: Caller, claim: Claim): WindowState {
    return describeWindow(this.#view(caller, claim, this.#clock.nowUs()), limitOf(claim));
  }

  /**
   * Counts a call that is not logged, or refuses it. The key must have been proven, except for MCP messages: they are
   * counted by key, so an expired key fills no window but its own, and no statement is needed.
   */
  countUnlogged(caller: Caller, operation: UnloggedOperation): Refusal | undefined {
    // An agent that calls in a loop must not use up its user's limit.
    const isOwn = caller.isAgent || operation === "mcp";
    const holder = isOwn ? caller.chainId : caller.account.id;
    const refusal = this.#callLimits.count(holder, operation, Date.now());
    this.#observe(operation, refusal?.kind ?? "granted");
    return refusal;
  }

  /** Ends the reservation. Unless the read was logged, what it reserved becomes available again. */
  release(reservation: Reservation): void {
    this.#open.delete(reservation);
    release(this.#accounts, reservation);
  }

  /**
   * Charges and logs the read. After every outcome, the caller must release the reservation once it has answered or
   * refunded the read.
   * @throws {DatabaseUnavailableError} if it is unknown whether the read was logged; the read is then refunded
   */
  async log(
    reservation: Reservation,
    options: LogOptions = {},
  ): Promise<Grant | Refusal | Changed | DataMoved> {
    const { remembered } = reservation;
    if (remembered !== undefined) return this.#replay(reservation, remembered);
    const read = { ...options, reservation };
    for (let tries = 1; tries <= LOG_TRIES_MAX; tries++) {
      const outcome = await this.#readLog.log(read);
      if (outcome === undefined) break;
      if (outcome.kind === "logged") return this.#granted(reservation, outcome);
      if (outcome.kind === "data_moved") return outcome;
      const refusal = this.#decideAgain(reservation, outcome.kind);
      if (refusal === undefined) continue;
      // Released here, because the account's next read of the batch is decided before the caller gets this outcome.
      this.release(reservation);
      return refusal;
    }
    return OVERLOADED;
  }

  /** Refunds a read that was logged but can't be answered. */
  async refund({ account }: Caller, { receipt }: Grant): Promise<void> {
    await this.#refunds.refundRead(account.id, receipt.usageId);
    this.#accounts.drop(account);
  }

  /** Counts a refusal in the metrics. */
  noteRefused(operation: string, { kind }: Refusal): void {
    this.#observe(operation, kind);
  }

  /** Resolves when every read is answered or refunded, including reads whose client has disconnected. */
  async idle(): Promise<void> {
    while (this.#open.size > 0) await Bun.sleep(IDLE_LOOK_MS);
    await this.#refunds.idle();
  }

  get waiting(): number {
    return this.#readLog.waiting;
  }

  async #lookUp(keyMark: string, keyHash: Uint8Array): Promise<Caller | Suspended | undefined> {
    const askedUs = this.#clock.nowUs();
    const row = await this.#options.database.row("find_key", {
      key_hash: keyHash,
      window_us: WINDOW_US,
    });
    if (row === undefined) return undefined;
    const nowUs = Number(row.now_us);
    // The clock was set back, or belongs to another server: hits that had left their windows may count again.
    if (nowUs < askedUs) this.#accounts.dropAll();
    this.#clock.set(nowUs);
    const { suspension_reason: reason } = row;
    if (reason !== null) return { kind: "suspended", reason };
    const key = {
      keyId: row.key_id,
      chainId: row.chain_id,
      accountId: row.account_id,
      permission: row.permission === "write" ? ("write" as const) : ("read" as const),
      isAgent: row.is_agent,
      endUs: row.key_end_us === null ? null : Number(row.key_end_us),
      dailyNanos: row.daily_nanos,
      feedIds: row.feed_ids === null ? null : new Set(row.feed_ids.split(",")),
    };
    const standing = { hasGrants: row.has_grants, seesInvited: row.sees_invited };
    const found = newsOf(JSON.parse(row.news));
    return this.#accounts.load(keyMark, key, { found, standing, nowUs });
  }

  #view(caller: Caller, claim: Claim, nowUs: number): AccountView {
    const { windows } = this.#accounts;
    const { account } = caller;
    const window = this.#accounts.findWindow(account, windowOf(claim.operation, claim.feed));
    const used = windows.used(window, nowUs);
    const limit = limitOf(claim);
    return {
      accountId: account.id,
      freeNanos: account.balanceNanos - account.reservedNanos,
      budget: budgetOf(caller, nowUs),
      isPurchased: claim.feed !== undefined && account.purchases.has(claim.feed.feedId),
      grant: claim.feed && account.grantOf(claim.feed.feedId, nowUs),
      used,
      resetUs: windows.resetUs(window, nowUs),
      freesAtUs: used < limit ? nowUs : windows.freesAtUs(window, limit, nowUs),
    };
  }

  /** Why a read that was not written is refused or must be planned again. Undefined means: send it again. */
  #decideAgain(
    reservation: Reservation,
    kind: "changed" | "account_moved" | "held_back",
  ): Refusal | Changed | undefined {
    const { account, caller, claim } = reservation;
    if (kind === "held_back") return undefined;
    // Another process may have used the Idempotency-Key, so it must be proven again.
    if (kind === "changed" || !account.isCurrent || claim.idempotency !== undefined) return CHANGED;
    const refusal = without(this.#accounts, reservation, () => this.judge(caller, claim, GRANTED));
    reservation.decidedUs = this.#clock.nowUs();
    reservation.newsCount = account.newsCount;
    // The caller must prove any other refusal first.
    return refusal === undefined || refusal.kind === "limited" ? refusal : CHANGED;
  }

  /** Answers a read with the usage event that its Idempotency-Key paid for. */
  async #replay(
    reservation: Reservation,
    { receipt, isReplayed }: Remembered,
  ): Promise<Grant | Changed> {
    const { account, caller, claim } = reservation;
    const key = claim.idempotency?.key;
    assert(key !== undefined, "what is replayed has a key");
    if (!isReplayed) {
      const marked = await this.#options.database.row("replay_read", {
        account_id: account.id,
        idempotency_key: key,
        usage_id: receipt.usageId,
      });
      if (marked === undefined) return CHANGED;
    }
    if (account.isCurrent) {
      this.release(reservation);
      const name = windowOf(claim.operation, claim.feed);
      this.#accounts.hitByReplay(account, name, this.#clock.nowUs());
    }
    this.#observe(claim.operation, "replayed");
    return { kind: "granted", receipt, isReplay: true, window: this.windowOf(caller, claim) };
  }

  #granted(
    reservation: Reservation,
    { usageId, decidedUs }: Extract<LogOutcome, { kind: "logged" }>,
  ): Grant {
    const { caller, claim, priceNanos } = reservation;
    // A purchase renews the version a second time, so the account must be looked up again.
    if (claim.operation === "purchase") this.#accounts.drop(caller.account);
    return {
      kind: "granted",
      isReplay: false,
      receipt: { usageId, timestamp: timestampOf(decidedUs), chargeNanos: priceNanos },
      window: this.windowOf(caller, claim),
    };
  }

  #observe(operation: string, outcome: string, credits = 0, isLogged = false): void {
    this.#options.observer?.decided({ operation, outcome, isLogged, credits });
  }
}

/** What the caller's key may spend today. A reservation counts on the day it is logged, or earlier. */
function budgetOf({ account, chainId, dailyNanos }: Caller, nowUs: number): KeyBudget | undefined {
  if (dailyNanos === null) return undefined;
  const { day, spentNanos, reservedNanos } = spendingOf(account, chainId);
  const spentToday = day >= dayOf(nowUs) ? spentNanos : 0n;
  return { budgetNanos: dailyNanos, spentNanos: spentToday + reservedNanos };
}
