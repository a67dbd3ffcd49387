/**
 * A local Stripe: the three calls that the gateway makes, and messages signed as by Stripe.
 *
 * Its objects have the members of Stripe's that the gateway, or a careless gateway, might read. Their names and values
 * follow the library's types. Like Stripe, it remembers requests by their Idempotency-Key.
 *
 * @module
 */
import { Stripe } from "stripe";

export const SECRET_KEY = "sk_test_51FeedgateOnLoopback";
export const WEBHOOK_SECRET = "whsec_feedgate_on_loopback";
/** Configures a gateway to accept cards. */
export const STRIPE_ENVIRONMENT = {
  FEEDGATE_STRIPE_SECRET_KEY: SECRET_KEY,
  FEEDGATE_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
};

/** A session as Stripe represents it. */
export interface SessionState
  extends Pick<
    Stripe.Checkout.Session,
    | "id"
    | "object"
    | "mode"
    | "client_reference_id"
    | "expires_at"
    | "livemode"
    | "status"
    | "payment_status"
  > {
  readonly url: string;
  currency: string;
  readonly metadata: Readonly<Record<string, string>>;
  amount_subtotal: number;
  amount_total: number;
  /** The id, or the object if the request expands it. */
  payment_intent: string | null;
}

type PaymentState = Pick<
  Stripe.PaymentIntent,
  "id" | "object" | "metadata" | "amount" | "currency" | "status"
>;

/** The messages that an operator's endpoint receives. */
export interface Message {
  readonly body: string;
  readonly signature: string;
}

export interface StripeHost {
  readonly port: number;
  /** Calls received so far: method, path, and body. */
  readonly calls: readonly { readonly line: string; readonly form: URLSearchParams }[];
  /** The sessions of a top-up. There is at most one. */
  sessionsOf(topupId: string): readonly SessionState[];
  /** The user's action on the payment page. */
  pay(topupId: string, status?: "paid" | "unpaid"): SessionState;
  /** Ends the pending payment of a completed session: it fails, or arrives. */
  settle(topupId: string, isPaid: boolean): SessionState;
  expire(topupId: string): SessionState;
  /** Sets how calls are answered from now on; undefined means as by Stripe. */
  answerWith(answer: ((honest: () => Response) => Response | Promise<Response>) | undefined): void;
  chargeOf(topupId: string, refundedCents: number): Partial<Stripe.Charge>;
  disputeOf(
    topupId: string,
    dispute: { id: string; status: Stripe.Dispute.Status; cents: number },
  ): Partial<Stripe.Dispute>;
  refundOf(
    topupId: string,
    refund: { id: string; status: string; cents: number },
  ): Partial<Stripe.Refund>;
  stop(): Promise<void>;
}

const CREATED = 1_795_000_000;

/** @param port @default any free port */
export function startStripeHost(port = 0): StripeHost {
  const sessions = new Map<string, SessionState>();
  const payments = new Map<string, PaymentState>();
  const byKey = new Map<string, string>();
  const calls: { line: string; form: URLSearchParams }[] = [];
  let special: ((honest: () => Response) => Response | Promise<Response>) | undefined;

  function create(form: URLSearchParams, key: string): Response {
    const known = sessions.get(byKey.get(key) ?? "");
    if (known !== undefined) return Response.json(known);
    const cents = Number(form.get("line_items[0][price_data][unit_amount]"));
    const number = sessions.size + 1;
    const id = `cs_test_${number}_${crypto.randomUUID().slice(0, 8)}`;
    const session: SessionState = {
      id,
      object: "checkout.session",
      url: `https://checkout.stripe.com/c/pay/${id}`,
      mode: form.get("mode") as Stripe.Checkout.Session.Mode,
      client_reference_id: form.get("client_reference_id") ?? "",
      metadata: { feedgate_topup: form.get("metadata[feedgate_topup]") ?? "" },
      expires_at: Number(form.get("expires_at")),
      livemode: false,
      status: "open",
      payment_status: "unpaid",
      amount_subtotal: cents,
      amount_total: cents,
      currency: form.get("line_items[0][price_data][currency]") ?? "",
      payment_intent: null,
    };
    sessions.set(id, session);
    byKey.set(key, id);
    return Response.json(session);
  }

  function answer(line: string, form: URLSearchParams, request: Request): Response {
    if (request.headers.get("authorization") !== `Bearer ${SECRET_KEY}`) {
      const error = { type: "invalid_request_error", message: `Invalid API Key: ${SECRET_KEY}` };
      return Response.json({ error }, { status: 401 });
    }
    const [method, path = ""] = line.split(" ");
    if (line === "POST /v1/checkout/sessions") {
      return create(form, request.headers.get("idempotency-key") ?? "");
    }
    const id = path.split("/").at(-1) ?? "";
    const session = sessions.get(id);
    if (method === "GET" && path.startsWith("/v1/checkout/sessions/") && session !== undefined) {
      // The form that `expand` requests.
      const payment = payments.get(session.payment_intent ?? "") ?? null;
      return Response.json({ ...session, payment_intent: payment });
    }
    const payment = payments.get(id);
    if (method === "GET" && path.startsWith("/v1/payment_intents/") && payment !== undefined) {
      return Response.json(payment);
    }
    const error = { type: "invalid_request_error", code: "resource_missing", message: `No ${id}` };
    return Response.json({ error }, { status: 404 });
  }

  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const line = `${request.method} ${pathname}`;
      const form = new URLSearchParams(await request.text());
      calls.push({ line, form });
      const honest = () => answer(line, form, request);
      return special === undefined ? honest() : special(honest);
    },
  });

  const sessionsOf = (topupId: string) =>
    [...sessions.values()].filter(({ metadata }) => metadata.feedgate_topup === topupId);
  function sessionOf(topupId: string): SessionState {
    const [session] = sessionsOf(topupId);
    if (session === undefined) throw new Error(`no session of ${topupId}`);
    return session;
  }
  /** The properties that objects of the same payment share. */
  function behind(topupId: string) {
    const session = sessionOf(topupId);
    return {
      amount: session.amount_total,
      currency: session.currency,
      payment_intent: session.payment_intent ?? `pi_of_${session.id}`,
      created: CREATED,
    };
  }
  return {
    port: server.port ?? 0,
    calls,
    sessionsOf,
    pay(topupId, status = "paid") {
      const session = sessionOf(topupId);
      const id = `pi_of_${session.id}`;
      payments.set(id, {
        id,
        object: "payment_intent",
        metadata: session.metadata,
        amount: session.amount_total,
        currency: session.currency,
        status: status === "paid" ? "succeeded" : "processing",
      });
      return Object.assign(session, {
        status: "complete",
        payment_status: status,
        payment_intent: id,
      } as const);
    },
    settle(topupId, isPaid) {
      const session = sessionOf(topupId);
      const payment = payments.get(session.payment_intent ?? "");
      if (payment !== undefined) payment.status = isPaid ? "succeeded" : "requires_payment_method";
      if (isPaid) session.payment_status = "paid";
      return session;
    },
    expire: (topupId) => Object.assign(sessionOf(topupId), { status: "expired" } as const),
    answerWith: (given) => {
      special = given;
    },
    chargeOf: (topupId, refundedCents) => ({
      id: `ch_of_${sessionOf(topupId).id}`,
      object: "charge",
      livemode: false,
      ...behind(topupId),
      // Stripe copies this from the payment.
      metadata: sessionOf(topupId).metadata,
      paid: true,
      status: "succeeded",
      amount_captured: behind(topupId).amount,
      amount_refunded: refundedCents,
      refunded: refundedCents === behind(topupId).amount,
    }),
    disputeOf: (topupId, { id, status, cents }) => ({
      id,
      object: "dispute",
      livemode: false,
      ...behind(topupId),
      amount: cents,
      charge: `ch_of_${sessionOf(topupId).id}`,
      metadata: {},
      reason: "fraudulent",
      status,
      is_charge_refundable: false,
    }),
    refundOf: (topupId, { id, status, cents }) => ({
      id,
      object: "refund",
      ...behind(topupId),
      amount: cents,
      charge: `ch_of_${sessionOf(topupId).id}`,
      metadata: {},
      status,
    }),
    stop: () => server.stop(true),
  };
}

let events = 0;

/** A message, signed by the library's own helper. */
export async function signMessage(
  type: string,
  object: object,
  { secret = WEBHOOK_SECRET, ageSeconds = 0, created = CREATED } = {},
): Promise<Message> {
  events += 1;
  const body = JSON.stringify(
    {
      id: `evt_${events}`,
      object: "event",
      api_version: "2026-10-28.endive",
      created,
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type,
      data: { object },
    },
    null,
    2,
  );
  const signature = await new Stripe(SECRET_KEY).webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret,
    timestamp: Math.floor(Date.now() / 1_000) - ageSeconds,
    scheme: "v1",
    signature: "",
    cryptoProvider: Stripe.createSubtleCryptoProvider(),
  });
  return { body, signature };
}

/** Sends the message to a gateway as Stripe does. */
export function deliver(baseUrl: string, { body, signature }: Message): Promise<Response> {
  return fetch(`${baseUrl}/webhooks/stripe`, {
    method: "POST",
    headers: { "Content-Type": "application/json; charset=utf-8", "Stripe-Signature": signature },
    body,
  });
}
