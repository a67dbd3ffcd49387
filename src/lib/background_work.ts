/**
 * Work in the background, done by one runner for as long as there is any.
 *
 * @module
 */

export class BackgroundWork {
  readonly #run: () => Promise<void>;
  /** Whether there may be work that the runner has not seen. */
  #hasMore = false;
  #running: Promise<void> | undefined;

  /** @param run does what there is to do. Never rejects. */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** Says that there is work. Starts the runner, unless it runs. */
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
