/**
 * A way to pay for credits: what it has to do, whatever it is. Beyond 15.
 *
 * The money is at the way, so the way alone says what became of a payment. What a message, a process's memory or a
 * payer says of it only makes somebody ask earlier.
 *
 * @module
 */
import type { Principal } from "../api/callers/callers.ts";
import type { Answer } from "../http/answer.ts";
import type { RoutedCall } from "../http/call.ts";
import type { Problem } from "../http/problem_details.ts";
import type { Row } from "../postgres/client/database.ts";

/** As the table and the API name it. */
export type WayName = "card" | "x402";

/** A top-up as it is now. */
export type Topup = Row<"find_topup">;

/** Money that has come in. */
export interface Payment {
  /** The payment's own, such as `stripe:cs_…`. The ledger has it once. */
  readonly reference: string;
  readonly paidNanos: bigint;
  /** The payment's id at the way, if the top-up does not have it yet. */
  readonly paymentId?: string;
  /** What is to be kept of it beside what is known. */
  readonly details?: object;
}

/** What became of a payment. */
export type Standing =
  | { readonly kind: "paid"; readonly payment: Payment }
  /** It can still be paid, or is on its way. */
  | { readonly kind: "open" }
  /** It never will be paid. */
  | { readonly kind: "void" }
  /** Money may have come in, but not what was asked for. An operator has to look at it. */
  | { readonly kind: "strange"; readonly alert: string };

interface Asked {
  /** Asks what became of a payment. @throws if the way can't be reached; it is asked again later */
  ask(topup: Topup): Promise<Standing>;
}

/** Whether a payment that was granted stays. `open`: nobody knows yet. */
export type Finality = "final" | "undone" | "open";

/** A page on which a person pays. */
export interface PayPage {
  readonly paymentId: string;
  readonly payUrl: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** A way by a link that an agent hands to its person. */
export interface LinkWay extends Asked {
  /** Makes the page. The same top-up gets the same page again. @throws {WayFailed} */
  begin(topup: Topup): Promise<PayPage>;
}

/** A call of `POST /v1/topups` that pays with its own headers, or is told how. */
export interface DirectPay {
  readonly call: RoutedCall;
  /** Undefined: it came without a key. */
  readonly principal: Principal | undefined;
  /** Of the caller, in the network; "" if nobody knows it. */
  readonly address: string;
  readonly amountNanos: bigint;
}

/** A way by the headers of the call itself. */
export interface DirectWay extends Asked {
  /** Verifies, settles and grants; or says with a 402 what it takes. */
  pay(order: DirectPay): Promise<Answer | Problem>;
  /** Asks whether a payment that was granted is still there. @throws if the chain can't be reached */
  recheck(topup: Topup): Promise<Finality>;
}

/** The ways that are configured. */
export interface Ways {
  readonly card: LinkWay | undefined;
  readonly x402: DirectWay | undefined;
}

/** The way can't be reached, or refuses. Its message holds no secret and no text of a stranger. */
export class WayFailed extends Error {
  override readonly name = "WayFailed";
}
