/**
 * Applies the messages of Stripe. They may arrive late, repeatedly, and in any order (docs.stripe.com/webhooks, "Event
 * ordering").
 *
 * Events of other payments are ignored, because a Stripe account may have other uses. A refund or dispute reports its
 * current state, and a charge reports the total of its refunds at the time of the message, so an old message changes
 * nothing.
 *
 * @module
 */
import type { Stripe } from "stripe";
import { NANOS_PER_CENT } from "../../money/money_units.ts";
import {
  alertTopup,
  type Book,
  expireTopup,
  findTopup,
  grantTopup,
  type TakeBack,
  takeBackTopup,
} from "../store_topup.ts";
import { standingOf, topupIdOf } from "./card.ts";
import type { Session, StripeClient, StripeEvent } from "./stripe_client.ts";

/** @throws if the database or Stripe can't be reached, so that Stripe sends the message again */
export async function hearEvent(book: Book, stripe: StripeClient, event: StripeEvent) {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return hearPaid(book, event.data.object);
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired":
      return hearUnpaid(book, event.data.object);
    case "charge.refunded":
      return hearRefunded(book, stripe, event);
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
      return hearRefund(book, stripe, event);
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
    case "charge.dispute.closed":
      return hearDispute(book, stripe, event.data.object);
    default:
      return;
  }
}

async function hearPaid(book: Book, session: Session): Promise<void> {
  const topupId = topupIdOf(session);
  if (topupId === undefined) return;
  const known = await findTopup(book.database, topupId);
  if (known !== undefined && known.payment_id !== null && known.payment_id !== session.id) {
    await alertTopup(book, topupId, `${session.id} also claims to be for this top-up`);
    return;
  }
  const standing = standingOf(session);
  if (standing.kind === "paid") await grantTopup(book, topupId, standing.payment);
  else if (standing.kind === "strange") await alertTopup(book, topupId, standing.alert);
}

async function hearUnpaid(book: Book, session: Session): Promise<void> {
  const topupId = topupIdOf(session);
  if (topupId !== undefined) await expireTopup(book, topupId);
}

async function hearRefunded(
  book: Book,
  stripe: StripeClient,
  { created, data: { object: charge } }: Stripe.ChargeRefundedEvent,
) {
  const topupId = topupIdOf(charge) ?? (await findTopupId(stripe, charge));
  if (topupId === undefined) return;
  const totalNanos = BigInt(charge.amount_refunded) * NANOS_PER_CENT;
  await takeBackTopup(book, topupId, { source: "refunds", rank: created, totalNanos });
}

async function hearRefund(
  book: Book,
  stripe: StripeClient,
  { created, data: { object: refund } }: RefundEvent,
) {
  const topupId = await findTopupId(stripe, refund);
  if (topupId === undefined) return;
  const { id, status, amount } = refund;
  const source = `refund ${id}`;
  const nanos = BigInt(amount) * NANOS_PER_CENT;
  // A refund in progress takes the credits immediately, because they could be spent before it completes.
  const hasEnded = status === "failed" || status === "canceled";
  const takeBack = hasEnded
    ? { source, rank: created, totalNanos: 0n, endedNanos: nanos }
    : { source, rank: 0, totalNanos: nanos };
  const alert =
    status === "failed"
      ? `refund ${id} failed, so its credits were granted again; refund the payer by other means, and revoke the credits`
      : undefined;
  await takeBackTopup(book, topupId, { ...takeBack, alert });
}

type RefundEvent = Stripe.RefundCreatedEvent | Stripe.RefundUpdatedEvent | Stripe.RefundFailedEvent;

async function hearDispute(book: Book, stripe: StripeClient, dispute: Stripe.Dispute) {
  const topupId = await findTopupId(stripe, dispute);
  if (topupId === undefined) return;
  await takeBackTopup(book, topupId, takeBackOf(dispute));
  const { id, status } = dispute;
  if (status !== "appeal_needs_response" && status !== "appeal_under_review") return;
  // A lost dispute outranks one that is won later, because messages arrive in any order.
  await alertTopup(
    book,
    topupId,
    `dispute ${id} was lost and is appealed; its credits were revoked, so grant them again if the appeal succeeds`,
  );
}

/** The amount returned to the payer according to a dispute. */
export function takeBackOf({
  id: source,
  status,
  amount,
}: Pick<Stripe.Dispute, "id" | "status" | "amount">): TakeBack {
  const totalNanos = BigInt(amount) * NANOS_PER_CENT;
  switch (status) {
    // An inquiry moves no money.
    case "warning_needs_response":
    case "warning_under_review":
    case "warning_closed":
      return { source, rank: 0, totalNanos: 0n };
    case "won":
    case "prevented":
      return { source, rank: 2, totalNanos: 0n };
    case "lost":
      return { source, rank: 2, totalNanos };
    default:
      return { source, rank: 1, totalNanos };
  }
}

/** The top-up of a payment, looked up at Stripe, because a dispute does not include it. */
async function findTopupId(
  stripe: StripeClient,
  { payment_intent: intent }: { readonly payment_intent: string | { readonly id: string } | null },
): Promise<string | undefined> {
  if (intent === null) return undefined;
  return topupIdOf(await stripe.findPayment(typeof intent === "string" ? intent : intent.id));
}
