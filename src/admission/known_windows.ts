/**
 * The windows that were full a moment ago, and so still are.
 *
 * A hit leaves a window with time, and other processes add hits. So from "full until t" it follows that
 * every call before t is refused: answered here, without a database round trip. What could still change
 * is the limit itself (a free feed that becomes a paid one has a larger window), the key, or a hit that
 * another process gives back; so an entry is believed for a second at most, then one call asks the
 * database again.
 *
 * @module
 */
import type { WindowState } from "../http/rate_headers.ts";
import { BoundedPairMap } from "../lib/bounded_pair_map.ts";
import { KNOWN_WINDOWS_MAX } from "../limits.ts";
import type { Decision } from "./admission.ts";
import { type WindowClaim, windowOfAccount } from "./window_key.ts";

type Limited = Extract<Decision, { kind: "limited" }>;

interface LimitedClaim extends WindowClaim {
  readonly definitionVersion?: bigint;
}

interface FullWindow {
  readonly window: WindowState;
  /** On the process's monotonic clock, in milliseconds. */
  readonly fullUntilMs: number;
  readonly believedUntilMs: number;
  readonly definitionVersion: bigint | undefined;
}

/** How long an entry is believed without asking again, in milliseconds. */
const BELIEVED_MS = 1_000;

export class KnownWindows {
  /** By account and `windowOfAccount`. */
  readonly #full = new BoundedPairMap<FullWindow>(KNOWN_WINDOWS_MAX);

  /**
   * `sentMs` is taken before the question is sent, so `fullUntilMs` is never later than the true end. Once
   * the oldest hit has left, the window's state is another, though it may still be full where it holds more
   * than its limit.
   */
  remember(
    claim: LimitedClaim,
    known: { window: WindowState; sentMs: number; fullForMs: number; oldestForMs?: number },
  ): void {
    const { window, sentMs, fullForMs, oldestForMs = fullForMs } = known;
    this.#full.set(claim.accountId, windowOfAccount(claim), {
      window,
      fullUntilMs: sentMs + fullForMs,
      believedUntilMs: sentMs + Math.min(BELIEVED_MS, oldestForMs),
      definitionVersion: definitionOf(claim),
    });
  }

  /** A hit was given back: there is room again. */
  forget(claim: WindowClaim): void {
    this.#full.delete(claim.accountId, windowOfAccount(claim));
  }

  /** A refusal where the window is full, as far as is known; undefined where the database must say. */
  refuse(claim: LimitedClaim): Limited | undefined {
    if (this.#full.size === 0) return undefined;
    const known = this.#full.get(claim.accountId, windowOfAccount(claim));
    if (known === undefined) return undefined;
    const nowMs = performance.now();
    const isBelieved =
      nowMs < known.fullUntilMs &&
      nowMs < known.believedUntilMs &&
      known.definitionVersion === definitionOf(claim);
    if (!isBelieved) {
      this.forget(claim);
      return undefined;
    }
    return {
      kind: "limited",
      window: known.window,
      retryAfterMs: Math.ceil(known.fullUntilMs - nowMs),
    };
  }
}

/** The definition that the window's limit hangs on: that of other windows is the same for every feed. */
function definitionOf({ operation, definitionVersion }: LimitedClaim): bigint | undefined {
  return operation === "data" ? definitionVersion : undefined;
}
