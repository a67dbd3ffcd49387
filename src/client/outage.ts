/**
 * Decides how long to retry while a stream is followed: until the gateway has been unreachable for a given time,
 * however many tries that takes. Pages and the live connection share one outage.
 *
 * @module
 */
import { type Failure, isPassing, type Patience, pauseMs } from "./retry.ts";

interface OutageOptions {
  /** How long to retry, in ms. */
  readonly outageMsMax: number;
  /** Limits of each wait. The number of retries is not limited. */
  readonly patience: Patience;
  /** The time, in ms. */
  readonly nowMs: () => number;
}

/** The time since the gateway was last reached. */
export class Outage {
  readonly #options: OutageOptions;
  #aliveMs: number;
  #tries = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
    this.#aliveMs = options.nowMs();
  }

  /** The gateway has been reached, or is called only now, because the caller was processing a page. */
  end(): void {
    this.#aliveMs = this.#options.nowMs();
    this.#tries = 0;
  }

  /** How long to wait before the next try, in ms. Undefined to stop. */
  pauseMs({ error, retryAfterMs }: Omit<Failure, "tries">): number | undefined {
    const { outageMsMax, patience, nowMs } = this.#options;
    if (!isPassing(error) || nowMs() - this.#aliveMs > outageMsMax) return undefined;
    this.#tries++;
    const tries = this.#tries;
    return pauseMs({ error, retryAfterMs, tries }, { ...patience, retries: tries }, Math.random());
  }
}
