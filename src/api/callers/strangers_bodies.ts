/**
 * Bodies of unauthenticated callers. Their total size is limited, and a network may use as much as it leaves free for
 * others. So no network can block the messages of a payment service, or sign-ins. A caller that sends nothing uses
 * nothing.
 *
 * @module
 */
import { BodyBudget, type HoldBytes } from "../../http/load/body_budget.ts";
import { networkOf } from "../../lib/public_address.ts";
import { STRANGERS_BODIES_BYTES_MAX } from "../../limits.ts";
import type { OperatorsListener, Peer } from "./operators_listener.ts";

export class StrangersBodies {
  readonly #listener: OperatorsListener;
  readonly #budget = new BodyBudget(STRANGERS_BODIES_BYTES_MAX, { heldUnsentMax: 0 });

  constructor(listener: OperatorsListener) {
    this.#listener = listener;
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** Runs the work on the body of a request. `server` is the public listener's. */
  whileHeld<Result>(
    request: Request,
    server: Peer | null | undefined,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    return this.#budget.whileHeld(networkOf(this.#listener.addressOf(request, server)), work);
  }
}
