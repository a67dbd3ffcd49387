/**
 * Work that one runner does in the background, as long as there is some.
 *
 * @module
 */

export interface BackgroundWorkOptions {
  /** Does what there is to do. Never rejects. */
  readonly run: () => Promise<void>;
  /** Whether something came behind the runner's last look. */
  readonly hasMore: () => boolean;
}

export class BackgroundWork {
  readonly #options: BackgroundWorkOptions;
  #running: Promise<void> | undefined;

  constructor(options: BackgroundWorkOptions) {
    this.#options = options;
  }

  /** Begins, where nothing runs. */
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
