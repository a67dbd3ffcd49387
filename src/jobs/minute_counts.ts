/**
 * Keeps in the database, by minute, what a gateway counts and no log has: refusals, errors and pushes. Beyond 5.
 *
 * Nothing is counted twice on the way of a request: these are the counters of `/metrics`. At the end of each minute their
 * growth is taken, and added to the totals of all gateways by one statement. While the database can't be reached, the
 * minutes wait in memory, a bounded number of them. A statement whose answer was lost is sent again, so that after such
 * a failure a minute may be counted twice. These are figures for people; money is never counted here.
 *
 * @module
 */
import type { Log } from "../lib/log.ts";
import { MINUTES_HELD_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";

export interface MinuteCountsOptions {
  readonly database: Database;
  readonly log: Log;
  /** The counts since the start, by name. */
  readonly read: () => ReadonlyMap<string, number>;
}

/** What a minute has brought. */
interface Minute {
  /** A moment in it, by the monotonic clock. */
  readonly atMs: number;
  readonly counts: Map<string, number>;
}

const MINUTE_MS = 60_000;

export function startMinuteCounts({ database, log, read }: MinuteCountsOptions) {
  let known: ReadonlyMap<string, number> = new Map();
  let begunMs = performance.now();
  const held: Minute[] = [];
  let sending: Promise<void> | undefined;
  let timer = setTimeout(tick, msLeft());

  function tick(): void {
    timer = setTimeout(tick, msLeft());
    flush().catch((error) => log.warn("counts of a minute not written", { error }));
  }

  /** Takes what has come since the last time, and writes all that is held. */
  async function flush(): Promise<void> {
    take();
    await sending?.catch(() => {});
    sending = send();
    await sending;
  }

  function take(): void {
    const counts = read();
    const grown = new Map<string, number>();
    for (const [name, count] of counts) {
      const growth = count - (known.get(name) ?? 0);
      if (growth > 0) grown.set(name, growth);
    }
    known = counts;
    const endMs = performance.now();
    // The middle is in the minute, even if the two clocks differ by some seconds.
    if (grown.size > 0) held.push({ atMs: (begunMs + endMs) / 2, counts: grown });
    begunMs = endMs;
    while (held.length > MINUTES_HELD_MAX) join(held);
  }

  async function send(): Promise<void> {
    if (held.length === 0) return;
    const minutes = held.splice(0);
    const nowMs = performance.now();
    const rows = minutes.flatMap(({ atMs, counts }) =>
      [...counts].map(([name, amount]) => ({
        ageMs: BigInt(Math.round(nowMs - atMs)),
        name,
        amount,
      })),
    );
    try {
      await database.row("add_totals", {
        ages_ms: rows.map(({ ageMs }) => ageMs),
        names: rows.map(({ name }) => name),
        amounts: rows.map(({ amount }) => BigInt(amount)),
      });
    } catch (error) {
      held.unshift(...minutes);
      throw error;
    }
  }

  return {
    /** Writes what has come since the last minute. */
    flush,
    /** Writes the last counts, and ends. */
    async stop(): Promise<void> {
      clearTimeout(timer);
      await flush();
    },
  };
}

/** Until the next minute begins. */
function msLeft(): number {
  return MINUTE_MS - (Date.now() % MINUTE_MS);
}

/** Adds the oldest minute to the one after it. */
function join(minutes: Minute[]): void {
  const oldest = minutes.shift();
  const next = minutes[0];
  if (oldest === undefined || next === undefined) return;
  for (const [name, count] of oldest.counts) {
    next.counts.set(name, (next.counts.get(name) ?? 0) + count);
  }
}
