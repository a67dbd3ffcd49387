/**
 * Counts failed sign-ins by network (an IPv4 address, or the /64 of an IPv6 one), so that keys can't be guessed.
 *
 * @module
 */
import { KeyedLimit } from "../../api/callers/keyed_limit.ts";
import { networkOf } from "../../lib/public_address.ts";
import { SIGN_IN_ADDRESSES_MAX, SIGN_IN_TRIES } from "../../limits.ts";

export class SignInTries {
  readonly #failed = new KeyedLimit({
    limit: SIGN_IN_TRIES,
    of: "failed sign-ins",
    keysMax: SIGN_IN_ADDRESSES_MAX,
  });

  /**
   * Begins a try, which counts as failed until it is forgiven, so that concurrent tries count. Returns a function that
   * forgives it. @throws {Problem} 429 if the address has failed too often within a minute
   */
  begin(address: string, nowMs = performance.now()): () => void {
    const network = networkOf(address);
    this.#failed.take(network, nowMs);
    return () => this.#failed.giveBack(network, nowMs);
  }
}
