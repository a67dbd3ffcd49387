/**
 * The ways to pay that are configured. What a way needs is loaded when it is used first. Beyond 15.
 *
 * @module
 */
import type { Services } from "../services.ts";
import { createCardWay } from "./stripe/card.ts";
import { createStripeClient, type StripeClient } from "./stripe/stripe_client.ts";
import type { Ways } from "./way.ts";

export interface OpenWays extends Ways {
  /** Whose messages are heard; undefined if cards are not taken. */
  readonly stripe: StripeClient | undefined;
}

export function openWays({ config, http }: Services): OpenWays {
  const { stripe: keys, stripeTrial } = config.topups ?? {};
  const stripe = keys && createStripeClient({ keys, stripeTrial });
  return {
    stripe,
    card: stripe && createCardWay(stripe, http.baseUrl),
    x402: undefined,
  };
}
