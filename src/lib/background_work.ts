/**
 * Work in the background, done by one runner for as long as there is any.
 *
 * @module
 */

export interface BackgroundWorkOptions {
  /** Does what there is to do. Never rejects. */
  readonly run: () => Promise<void>;
  /** Whether there is new work that the runner has not seen. */
  readonly hasMore: () => boolean;
}

export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  #running: Promise<void> | undefined;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  /** Starts the runner, unless it runs. */
  start(): void {
    this.#running ??= this.#options.run().finally(() => {
      this.#running = undefined;
      if (this.#options.hasMore()) this.start();
    });
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }
}
