/**
 * Limits of calls that are not logged: 304s and HEAD, MCP messages that call no tool, account, usage, own feeds,
 * create, and edit. Each process counts them in memory, so a restart resets them.
 *
 * See `src/spec/decisions.md`, section 7.
 *
 * @module
 */
import { BoundedMap } from "../lib/bounded_map.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { CALL_WINDOWS_MAX, HOUSEKEEPING_LIMIT, REVALIDATION_LIMIT, WINDOW_MS } from "../limits.ts";
import type { Limited, UnloggedOperation } from "./claims.ts";

export class CallLimits {
  /**
   * Times of the calls in the last window, in Unix epoch milliseconds, by holder (an account or a key) and operation.
   */
  readonly #calls = new BoundedMap<string, number[]>(CALL_WINDOWS_MAX);

  /** Counts a call. Returns a refusal if the limit is reached, else undefined. */
  count(holder: string, operation: UnloggedOperation, nowMs: number): Limited | undefined {
    const isCheap = operation === "revalidate" || operation === "mcp";
    const limit = isCheap ? REVALIDATION_LIMIT : HOUSEKEEPING_LIMIT;
    const key = `${holder} ${operation}`;
    const calls = (this.#calls.get(key) ?? []).filter(
      (timeMs) => timeMs > nowMs - WINDOW_MS && timeMs <= nowMs,
    );
    this.#calls.set(key, calls);
    if (calls.length < limit) {
      calls.push(nowMs);
      return undefined;
    }
    const oldestMs = calls[0] ?? nowMs;
    const window = {
      limit,
      remaining: 0,
      resetSeconds: Math.ceil((oldestMs + WINDOW_MS) / MS_PER_SECOND),
    };
    return { kind: "limited", window, retryAfterMs: Math.max(1, oldestMs + WINDOW_MS - nowMs) };
  }
}
