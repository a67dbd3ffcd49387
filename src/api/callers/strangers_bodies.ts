/**
 * Bodies of callers that may be anybody. All together are bounded, and a network holds as much as it leaves free for
 * the others, so that nobody keeps them out: not the messages of a payment service, and not those who sign in. Who sends
 * nothing holds nothing.
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

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#budget.bytes;
  }

  /** Does the work on the body of a request. `server` is the public listener's. */
  whileHeld<Result>(
    request: Request,
    server: Peer | null | undefined,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    return this.#budget.whileHeld(networkOf(this.#listener.addressOf(request, server)), work);
  }
}
