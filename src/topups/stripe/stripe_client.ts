/**
 * Stripe, as far as top-ups need it: three calls, and the check of a message's signature. Beyond 15.
 *
 * The library is loaded at the first use, so a gateway that takes no cards never loads it. An error of it is told by its
 * kind, code and request id alone, because its texts may hold parts of a key or of what a person typed.
 *
 * @module
 */
import type { Stripe } from "stripe";
import type { TopupConfig } from "../../config.ts";
import { fieldOf } from "../../lib/error_fields.ts";
import { WayFailed } from "../way.ts";

export type Session = Stripe.Checkout.Session;
export type StripeEvent = Stripe.Event;

export interface StripeClient {
  /** Makes a page to pay on. The same key gives the same page again, for a day. */
  createSession(order: Stripe.Checkout.SessionCreateParams, key: string): Promise<Session>;
  /** A page with its payment. */
  findSession(sessionId: string): Promise<Session>;
  findPayment(paymentIntentId: string): Promise<Stripe.PaymentIntent>;
  /** A message that Stripe has signed, lately; undefined if it has not. */
  openEvent(body: string, signature: string): Promise<StripeEvent | undefined>;
}

/** A call and its one repetition end before a client's connection does. */
const CALL_MS_MAX = 4_000;
const REPEATS_MAX = 1;
/** How old a message may be, in seconds: Stripe's own figure. */
const EVENT_AGE_SECONDS_MAX = 300;

type Options = Pick<TopupConfig, "stripeTrial"> & {
  readonly keys: NonNullable<TopupConfig["stripe"]>;
};

export function createStripeClient({ keys, stripeTrial: trial }: Options): StripeClient {
  let loading: Promise<Stripe> | undefined;
  const load = () => {
    loading ??= import("stripe").then(
      ({ Stripe: Client }) =>
        new Client(keys.secretKey, {
          timeout: CALL_MS_MAX,
          maxNetworkRetries: REPEATS_MAX,
          telemetry: false,
          ...(trial && { ...trial, protocol: "http" as const }),
        }),
    );
    return loading;
  };
  async function call<Result>(send: (stripe: Stripe) => Promise<Result>): Promise<Result> {
    const stripe = await load();
    try {
      return await send(stripe);
    } catch (error) {
      throw new WayFailed(describe(error));
    }
  }
  return {
    createSession: (order, idempotencyKey) =>
      call((stripe) => stripe.checkout.sessions.create(order, { idempotencyKey })),
    findSession: (sessionId) =>
      call((stripe) =>
        stripe.checkout.sessions.retrieve(sessionId, { expand: ["payment_intent"] }),
      ),
    findPayment: (paymentIntentId) =>
      call((stripe) => stripe.paymentIntents.retrieve(paymentIntentId)),
    async openEvent(body, signature) {
      const { webhooks } = await load();
      return webhooks
        .constructEventAsync(body, signature, keys.webhookSecret, EVENT_AGE_SECONDS_MAX)
        .catch(() => undefined);
    },
  };
}

const FIELDS = ["type", "code", "statusCode", "requestId"] as const;

function describe(error: unknown): string {
  const told = FIELDS.flatMap((name) => {
    const value = fieldOf(error, name);
    return typeof value === "string" || typeof value === "number" ? [`${name} ${value}`] : [];
  });
  return `Stripe failed: ${told.join(", ") || "no answer"}`;
}
