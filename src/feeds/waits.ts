/**
 * Readers that wait for a feed to change: followers of streams, and conditional reads with `Prefer: wait`.
 *
 * A push through this process wakes them directly. For pushes through other processes, one statement asks for the
 * versions of all feeds with waiting readers. So waiting costs no statement per reader, and none if there are no
 * readers. See `src/spec/beyond.md`, section 3.
 *
 * @module
 */
import type { Log } from "../lib/log.ts";
import { WAITS_MAX, WAITS_PER_ACCOUNT_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";

export interface Wait {
  readonly feedId: string;
  /** The data version that the reader has. */
  readonly version: bigint;
  readonly msMax: number;
}

/** Why a wait ended. */
type WaitEnd = "moved" | "time_up" | "gone" | "draining";

/** Something other than a feed that can be waited for. */
export interface Topic {
  /** Reads its version, with one statement for all that wait. */
  look(): Promise<bigint>;
  /** How often to look at most, in milliseconds. */
  readonly everyMs: number;
}

/** A reader's slot, which it can use for many waits. */
export interface WaitPlace {
  /**
   * Resolves when the feed has another version or can no longer be read, when the time is up, or when the client
   * disconnects.
   */
  until(wait: Wait): Promise<WaitEnd>;
  /** The version that ended the last wait. Undefined if the feed can't be read. */
  readonly movedTo: bigint | undefined;
  /** Total duration of its waits. */
  readonly waitedMs: number;
  leave(): void;
}

interface Waiter {
  readonly version: bigint;
  /** On the monotonic clock. */
  readonly endsMs: number;
  end(end: WaitEnd, movedTo?: bigint): void;
}

interface WaitsOptions {
  readonly database: Database;
  readonly log: Log;
  /** How often to ask for pushes through other processes while readers wait. */
  readonly pollMs: number;
}

export class Waits {
  readonly #database: Database;
  readonly #log: Log;
  readonly #pollMs: number;
  /** By account. */
  readonly #places = new Map<string, number>();
  /** By name, which takes the place of a feed's id. */
  readonly #topics = new Map<string, Topic & { lookedMs: number }>();
  /** By feed. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #open = 0;
  #isDraining = false;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isAsking = false;

  constructor({ database, log, pollMs }: WaitsOptions) {
    this.#database = database;
    this.#log = log;
    this.#pollMs = pollMs;
  }

  /** Number of readers with a slot. */
  get open(): number {
    return this.#open;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** A slot for a reader of this account, until its client disconnects (`signal`). Undefined if there are too many. */
  enter(accountId: string, signal: AbortSignal): WaitPlace | undefined {
    const ofAccount = this.#places.get(accountId) ?? 0;
    if (this.#open >= WAITS_MAX || ofAccount >= WAITS_PER_ACCOUNT_MAX) return undefined;
    this.#open += 1;
    this.#places.set(accountId, ofAccount + 1);
    let waiter: Waiter | undefined;
    // One listener for all waits of the slot, because removing one costs more than a wait.
    signal.addEventListener("abort", () => waiter?.end("gone"), { once: true });
    let isLeft = false;
    let waitedMs = 0;
    let movedTo: bigint | undefined;
    return {
      get waitedMs() {
        return waitedMs;
      },
      get movedTo() {
        return movedTo;
      },
      until: async (wait) => {
        if (this.#isDraining) return "draining";
        if (signal.aborted) return "gone";
        const { promise, resolve } = Promise.withResolvers<WaitEnd>();
        const startedMs = performance.now();
        waiter = this.#add(wait, (end, version) => {
          movedTo = version;
          resolve(end);
        });
        const end = await promise;
        waitedMs += performance.now() - startedMs;
        return end;
      },
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        this.#open -= 1;
        const left = (this.#places.get(accountId) ?? 1) - 1;
        if (left === 0) this.#places.delete(accountId);
        else this.#places.set(accountId, left);
      },
    };
  }

  /** Reports the feed's current version. Undefined if it can't be read. */
  moved(feedId: string, version: bigint | undefined): void {
    for (const waiter of this.#waiting.get(feedId) ?? []) {
      if (waiter.version !== version) waiter.end("moved", version);
    }
  }

  /** Lets readers wait for something that is no feed, under a name that is no feed's id. */
  addTopic(name: string, topic: Topic): void {
    this.#topics.set(name, { ...topic, lookedMs: -Infinity });
  }

  /** Ends all waits and refuses new ones. */
  drain(): void {
    this.#isDraining = true;
    for (const waiters of this.#waiting.values()) {
      for (const waiter of waiters) waiter.end("draining");
    }
  }

  #add(
    { feedId, version, msMax }: Wait,
    resolve: (end: WaitEnd, movedTo: bigint | undefined) => void,
  ): Waiter {
    const waiter: Waiter = {
      version,
      endsMs: performance.now() + msMax,
      end: (end, movedTo) => {
        this.#forget(feedId, waiter);
        resolve(end, movedTo);
      },
    };
    const waiters = this.#waiting.get(feedId) ?? new Set();
    this.#waiting.set(feedId, waiters.add(waiter));
    this.#timer ??= setInterval(() => this.#tick(), this.#pollMs);
    return waiter;
  }

  #forget(feedId: string, waiter: Waiter): void {
    const waiters = this.#waiting.get(feedId);
    waiters?.delete(waiter);
    if (waiters?.size === 0) this.#waiting.delete(feedId);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** One shared timer, because a timer for each of 10,000 readers would cost more. */
  #tick(): void {
    const nowMs = performance.now();
    for (const waiters of this.#waiting.values()) {
      for (const waiter of waiters) {
        if (waiter.endsMs <= nowMs) waiter.end("time_up");
      }
    }
    this.#ask();
  }

  async #ask(): Promise<void> {
    if (this.#isAsking || this.#waiting.size === 0) return;
    this.#isAsking = true;
    try {
      await this.#askFeeds();
      await this.#askTopics();
    } catch (error) {
      // Retried at the next tick. Other waiters are not affected.
      this.#log.warn("versions of feeds that are waited for could not be read", { error });
    } finally {
      this.#isAsking = false;
    }
  }

  async #askFeeds(): Promise<void> {
    const feedIds = [...this.#waiting.keys()].filter((id) => !this.#topics.has(id));
    if (feedIds.length === 0) return;
    const rows = await this.#database.rows("list_data_versions", { feed_ids: feedIds });
    const versions = new Map(rows.map((row) => [row.feed_id, row.data_version]));
    for (const feedId of feedIds) this.moved(feedId, versions.get(feedId));
  }

  async #askTopics(): Promise<void> {
    const nowMs = performance.now();
    for (const [name, topic] of this.#topics) {
      if (!this.#waiting.has(name) || nowMs - topic.lookedMs < topic.everyMs) continue;
      topic.lookedMs = nowMs;
      this.moved(name, await topic.look());
    }
  }
}
