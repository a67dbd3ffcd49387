/**
 * Saves to the database, by minute, the counts that are in no log: refusals, errors, and pushes.
 *
 * They cost the request path nothing, because they are the counters of `/metrics`. At the end of each minute, their
 * increase is added to the totals of all gateways by one statement. While the database can't be reached, a bounded
 * number of minutes stay in memory. A statement whose response was lost is sent again, so a minute may then be counted
 * twice. That is acceptable for charts; money is never counted here.
 *
 * @module
 */
import type { Log } from "../lib/log.ts";
import { MS_PER_MINUTE } from "../lib/time_units.ts";
import { MINUTES_HELD_MAX } from "../limits.ts";
import type { Database } from "../postgres/client/database.ts";

export interface MinuteCountsOptions {
  readonly database: Database;
  readonly log: Log;
  /** The counts since the start, by name. */
  readonly read: () => ReadonlyMap<string, number>;
}

/** The increase of a minute. */
interface Minute {
  /** A time within it, on the monotonic clock. */
  readonly atMs: number;
  readonly counts: Map<string, number>;
}

export function startMinuteCounts({ database, log, read }: MinuteCountsOptions) {
  let known: ReadonlyMap<string, number> = new Map();
  let begunMs = performance.now();
  const held: Minute[] = [];
  let sending: Promise<void> | undefined;
  let timer = setTimeout(tick, msLeft());

  function tick(): void {
    timer = setTimeout(tick, msLeft());
    flush().catch((error) => log.warn("counts of the last minute not written", { error }));
  }

  /** Takes the increase since the last time, and writes everything that is pending. */
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
    // The middle is within the minute, even if the two clocks differ by a few seconds.
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
    /** Writes the increase since the last minute. */
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
  return MS_PER_MINUTE - (Date.now() % MS_PER_MINUTE);
}

/** Adds the oldest minute to the next one. */
function join(minutes: Minute[]): void {
  const oldest = minutes.shift();
  const next = minutes[0];
  if (oldest === undefined || next === undefined) return;
  for (const [name, count] of oldest.counts) {
    next.counts.set(name, (next.counts.get(name) ?? 0) + count);
  }
}
