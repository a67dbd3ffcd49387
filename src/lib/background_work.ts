/**
 * Background work, done by a single runner while there is any.
 *
 * @module
 */

export class BackgroundWork {
  readonly #run: () => Promise<void>;
  /** Whether there may be work that the runner has not seen. */
  #hasMore = false;
  #running: Promise<void> | undefined;

  /** @param run does all pending work. Never rejects. */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Reports that there is work. Starts the runner unless it is running. */
  start(): void {
    this.#hasMore = true;
    this.#running ??= this.#work();
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #work(): Promise<void> {
    while (this.#hasMore) {
      this.#hasMore = false;
      await this.#run();
    }
    this.#running = undefined;
  }
}
