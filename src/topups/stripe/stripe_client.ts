/**
 * The Stripe functions that top-ups need: three calls, and checking the signature of a message.
 *
 * The library is loaded on first use, so a gateway that accepts no cards never loads it. Its errors are reported only
 * by type, code, and request id, because their texts may contain parts of a key or of a person's input.
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
  /** Creates a payment page. The same key returns the same page for a day. */
  createSession(order: Stripe.Checkout.SessionCreateParams, key: string): Promise<Session>;
  /** A page with its payment. */
  findSession(sessionId: string): Promise<Session>;
  findPayment(paymentIntentId: string): Promise<Stripe.PaymentIntent>;
  /** The message, if Stripe has recently signed it. Undefined otherwise. */
  openEvent(body: string, signature: string): Promise<StripeEvent | undefined>;
}

/** Short enough that a call and its one retry end before the client's connection times out. */
const CALL_MS_MAX = 4_000;
const REPEATS_MAX = 1;
/** Maximum age of a message in seconds: Stripe's own value. */
const EVENT_AGE_SECONDS_MAX = 300;

/** The type of the library's error for a signature that is missing, wrong, or too old. */
const UNSIGNED = "StripeSignatureVerificationError";

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
      try {
        return await webhooks.constructEventAsync(
          body,
          signature,
          keys.webhookSecret,
          EVENT_AGE_SECONDS_MAX,
        );
      } catch (error) {
        if (fieldOf(error, "type") === UNSIGNED) return undefined;
        throw error;
      }
    },
  };
}

const FIELDS = ["type", "code", "statusCode", "requestId"] as const;

function describe(error: unknown): string {
  const told = FIELDS.flatMap((name) => {
    const value = fieldOf(error, name);
    return typeof value === "string" || typeof value === "number" ? [`${name} ${value}`] : [];
  });
  return `Stripe failed: ${told.join(", ") || "no response"}`;
}
