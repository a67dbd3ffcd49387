/**
 * The interface of a payment method.
 *
 * The money is at the payment method, so only the method decides the state of a payment. Messages, a process's memory,
 * and payers only cause an earlier check.
 *
 * @module
 */
import type { Principal } from "../api/callers/callers.ts";
import type { Answer } from "../http/answer.ts";
import type { RoutedCall } from "../http/call.ts";
import type { Problem } from "../http/problem_details.ts";
import type { Row } from "../postgres/client/database.ts";
import type { TOPUP_WAYS } from "../shapes.ts";

/** The name in the table and in the API. */
export type WayName = (typeof TOPUP_WAYS)[number];

/** The current state of a top-up. */
export type Topup = Row<"find_topup">;

/** Money that has arrived. */
export interface Payment {
  /** The payment's own reference, such as `stripe:cs_…`. The ledger contains it once. */
  readonly reference: string;
  readonly paidNanos: bigint;
  /** The method's own id of the payment, if the top-up does not have it yet. */
  readonly paymentId?: string;
  /** Further details to store. */
  readonly details?: object;
}

/** The state of a payment. */
export type Standing =
  | { readonly kind: "paid"; readonly payment: Payment }
  /** It can still be paid, or is in progress. */
  | { readonly kind: "open" }
  /** It can no longer be paid. */
  | { readonly kind: "void" }
  /** Money may have arrived, but not the requested amount. An operator has to examine it. */
  | { readonly kind: "strange"; readonly alert: string };

interface Asked {
  /** Asks for the state of a payment. @throws if the method can't be reached; the check is then repeated later */
  ask(topup: Topup): Promise<Standing>;
}

/** Whether a granted payment is final. `open`: this is not known yet. */
export type Finality = "final" | "undone" | "open";

/** A page on which a person pays. */
export interface PayPage {
  readonly paymentId: string;
  readonly payUrl: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** A payment method with a link that an agent passes to its user. */
export interface LinkWay extends Asked {
  /** Creates the page. The same top-up gets the same page again. @throws {WayFailed} */
  begin(topup: Topup): Promise<PayPage>;
}

/** A call of `POST /v1/topups` that pays with its own headers, or asks for the terms. */
export interface DirectPay {
  readonly call: RoutedCall;
  /** Undefined if the call has no key. */
  readonly principal: Principal | undefined;
  /** The caller's network address, or "" if it is unknown. */
  readonly address: string;
  readonly amountNanos: bigint;
}

/** A payment method that uses the headers of the call itself. */
export interface DirectWay extends Asked {
  /** Verifies, settles, and grants the payment, or returns a 402 with the terms. */
  pay(order: DirectPay): Promise<Answer | Problem>;
  /** Checks whether a granted payment still exists. @throws if the chain can't be reached */
  recheck(topup: Topup): Promise<Finality>;
}

/** The configured payment methods. */
export interface Ways {
  readonly card: LinkWay | undefined;
  readonly x402: DirectWay | undefined;
}

/** The payment method is unreachable or refused. The message contains no secrets and no third-party text. */
export class WayFailed extends Error {
  override readonly name = "WayFailed";
}
