/**
 * `POST /webhooks/stripe`: receives Stripe's messages about payments.
 *
 * The route exists only if cards are configured, on the public listener. Anyone may call it, so the body is limited,
 * and its signature is checked before it is parsed.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { respondOutcome } from "../../api/problems/problems.ts";
import { callPlugin } from "../../http/call.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { bodyTextOf, receiveBody } from "../../http/read_body.ts";
import { STRIPE_EVENT_BYTES_MAX } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { WayFailed } from "../way.ts";
import { hearEvent } from "./hear_event.ts";
import type { StripeClient, StripeEvent } from "./stripe_client.ts";

export const WEBHOOK_PATH = "/webhooks/stripe";

export function stripeWebhook(services: Services, stripe: StripeClient) {
  const { http, strangersBodies } = services;
  return new Elysia({ name: "stripe webhook" }).use(callPlugin()).post(
    WEBHOOK_PATH,
    // There is no rate limit, because others could exhaust it, and Stripe's messages would then be refused.
    async ({ call, server }) => {
      const { request } = call;
      const signature = request.headers.get("stripe-signature");
      if (signature === null) throw unsigned();
      const event = await strangersBodies.whileHeld(request, server, async (hold) => {
        const bytesMax = STRIPE_EVENT_BYTES_MAX;
        const body = bodyTextOf(await receiveBody(request, { bytesMax, tooLarge, hold }));
        return stripe.openEvent(body, signature);
      });
      if (event === undefined) throw unsigned();
      await hear(services, stripe, event);
      return respondOutcome(http, call, {
        headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
        body: '{"received":true}',
      });
    },
    {
      parse: "none",
      query: Type.Object({}, { additionalProperties: true }),
      detail: { hide: true },
    },
  );
}

/** @throws {Problem} 503 if it can't be done now, so that Stripe sends it again */
async function hear(services: Services, stripe: StripeClient, event: StripeEvent): Promise<void> {
  try {
    await hearEvent(services, stripe, event);
  } catch (error) {
    if (!(error instanceof WayFailed)) throw error;
    services.log.error("an event from Stripe could not be read", { reason: error.message });
    throw unavailable(
      "The payment of this message can't be looked up at the moment. Send the message again later.",
    );
  }
}

/** 400 */
function unsigned(): Problem {
  return new Problem("SIGNATURE_INVALID", {
    detail:
      "This message was not recently signed with FEEDGATE_STRIPE_WEBHOOK_SECRET. Compare the secret with the endpoint's signing secret at Stripe.",
  });
}

/** 413 */
function tooLarge(): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `A message can have at most ${STRIPE_EVENT_BYTES_MAX} bytes. Send it as Stripe does.`,
    extras: { limit: "request_body", max_bytes: STRIPE_EVENT_BYTES_MAX },
    headers: { Connection: "close" },
  });
}
