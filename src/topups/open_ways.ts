/**
 * The ways to pay that are configured. What a way needs is loaded when it is used first. Beyond 15.
 *
 * @module
 */
import type { Services } from "../services.ts";
import type { Ways } from "./way.ts";

export function openWays({ config }: Services): Ways {
  const { stripe, x402 } = config.topups ?? {};
  return {
    card: stripe && undefined,
    x402: x402 && undefined,
  };
}
