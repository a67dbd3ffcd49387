/**
 * People with an open page that updates itself. They wait like readers of streams (`waits.ts`), so one statement checks
 * for all of them. They have a separate limit, so they take no reader's place.
 *
 * @module
 */
import { VIEWERS_MAX } from "../limits.ts";
import type { WaitPlace, Waits } from "./waits.ts";

export class Viewers {
  readonly #waits: Waits;
  #open = 0;

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** Number of viewers. */
  get open(): number {
    return this.#open;
  }

  /**
   * A slot for a viewer, until its client disconnects (`signal`). `who` is an account or a network, which has as many
   * slots as an account has for reading. Undefined if there are too many viewers.
   */
  enter(who: string, signal: AbortSignal): WaitPlace | undefined {
    if (this.#open >= VIEWERS_MAX) return undefined;
    const place = this.#waits.enter(`viewers of ${who}`, signal);
    if (place === undefined) return undefined;
    this.#open += 1;
    let isLeft = false;
    return {
      get movedTo() {
        return place.movedTo;
      },
      get waitedMs() {
        return place.waitedMs;
      },
      until: (wait) => place.until(wait),
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        this.#open -= 1;
        place.leave();
      },
    };
  }
}
