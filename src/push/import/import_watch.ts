/**
 * Watches a running import once a second: reports progress, renews its claim of the feed, and ends it if its client is
 * silent or gone, if it takes too long, or if the gateway drains.
 *
 * @module
 */
import { unavailable } from "../../http/problem_details.ts";
import { bodyNotJson } from "../../http/read_body.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { IMPORT_MS_MAX, IMPORT_RENEWAL_MS, IMPORT_SILENCE_MS_MAX } from "../../limits.ts";

interface WatchOptions {
  /** Milliseconds between two ticks. */
  readonly tickMs: number;
  readonly isDraining: () => boolean;
  /** Renews the claim of the feed. False if it is lost. */
  readonly renew: () => Promise<boolean>;
}

export class ImportWatch {
  /** Called at each tick. */
  onTick: () => void = () => {};
  readonly #options: WatchOptions;
  readonly #ending = new AbortController();
  readonly #startedMs = performance.now();
  readonly #timer: ReturnType<typeof setInterval>;
  #renewedMs = this.#startedMs;
  #isRenewing = false;
  /**
   * Since when the import has been waiting for the client's next bytes. Undefined while received bytes are processed.
   */
  #waitsSinceMs: number | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), options.tickMs);
  }

  /** Aborted with the problem that ends the import. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Called when the import begins or stops waiting for the client's next bytes. */
  waits(isWaiting: boolean): void {
    this.#waitsSinceMs = isWaiting ? performance.now() : undefined;
  }

  abort(problem: unknown): void {
    this.#ending.abort(problem);
  }

  /** Ends the watch. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const nowMs = performance.now();
    const silentMs = nowMs - (this.#waitsSinceMs ?? nowMs);
    if (this.#options.isDraining()) {
      this.abort(unavailable("The gateway is shutting down. Import again in a second."));
    } else if (silentMs > IMPORT_SILENCE_MS_MAX) {
      const seconds = IMPORT_SILENCE_MS_MAX / MS_PER_SECOND;
      this.abort(bodyNotJson(`no data was received for ${seconds} seconds`));
    } else if (nowMs - this.#startedMs > IMPORT_MS_MAX) {
      const hours = IMPORT_MS_MAX / MS_PER_SECOND / 3_600;
      this.abort(
        unavailable(
          `An import can take at most ${hours} hours. Send the file over a faster connection.`,
        ),
      );
    }
    if (nowMs - this.#renewedMs > IMPORT_RENEWAL_MS) this.#renew(nowMs);
    this.onTick();
  }

  #renew(nowMs: number): void {
    if (this.#isRenewing) return;
    this.#isRenewing = true;
    this.#options
      .renew()
      .then((isHeld) => {
        this.#renewedMs = nowMs;
        if (!isHeld) this.abort(claimLost());
      })
      // The next step of the import fails for the same reason, and reports it.
      .catch(() => {})
      .finally(() => {
        this.#isRenewing = false;
      });
  }
}

/** 503: another import has claimed the feed, because this one had stopped renewing its claim. */
export function claimLost() {
  return unavailable(
    "The gateway lost its lock on the feed: its database was unavailable, or the feed was deleted. Import again.",
  );
}
