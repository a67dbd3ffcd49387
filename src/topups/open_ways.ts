/**
 * The configured payment methods. The code of each is loaded when it is first used.
 *
 * @module
 */
import type { X402Config } from "../config.ts";
import type { Services } from "../services.ts";
import { createCardWay } from "./stripe/card.ts";
import { createStripeClient, type StripeClient } from "./stripe/stripe_client.ts";
import type { DirectWay, Ways } from "./way.ts";

export interface OpenWays extends Ways {
  /** The client for Stripe's webhooks. Undefined if cards are not accepted. */
  readonly stripe: StripeClient | undefined;
}

export function openWays(services: Services): OpenWays {
  const { config, http } = services;
  const { stripe: keys, stripeTrial, x402 } = config.topups ?? {};
  const stripe = keys && createStripeClient({ keys, stripeTrial });
  return {
    stripe,
    card: stripe && createCardWay(stripe, http.baseUrl),
    x402: x402 && openX402(services, x402),
  };
}

function openX402(services: Services, x402: X402Config): DirectWay {
  let opened: Promise<DirectWay> | undefined;
  const open = () => {
    opened ??= import("./x402/x402_way.ts").then((loaded) => loaded.createX402Way(services, x402));
    return opened;
  };
  return {
    pay: async (order) => (await open()).pay(order),
    ask: async (topup) => (await open()).ask(topup),
    recheck: async (topup) => (await open()).recheck(topup),
  };
}
