/**
 * Parses `PAYMENT-SIGNATURE`: base64 of a payment as JSON. x402 version 2, section 5.2, and its transport over HTTP.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { X402_HEADER_LENGTH_MAX } from "../../limits.ts";

const ADDRESS = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });
/** A whole number in decimal digits, below 2^256. */
const UINT = Type.String({ pattern: "^(0|[1-9][0-9]{0,76})$" });

const PaymentShape = Type.Object({
  x402Version: Type.Literal(2),
  resource: Type.Optional(Type.Object({ url: Type.String() })),
  accepted: Type.Object({
    scheme: Type.String(),
    network: Type.String(),
    amount: Type.String(),
    asset: Type.String(),
    payTo: Type.String(),
    extra: Type.Optional(Type.Object({ offer: Type.Optional(Type.String()) })),
  }),
  payload: Type.Object({
    signature: Type.String({ pattern: "^0x([0-9a-fA-F]{2})+$" }),
    authorization: Type.Object({
      from: ADDRESS,
      to: ADDRESS,
      value: UINT,
      validAfter: UINT,
      validBefore: UINT,
      nonce: Type.String({ pattern: "^0x[0-9a-fA-F]{64}$" }),
    }),
  }),
});
const PAYMENT_CHECK = TypeCompiler.Compile(PaymentShape);

/** A payment as a client sends it. */
export type SentPayment = Static<typeof PaymentShape>;

/** `reason` completes "PAYMENT-SIGNATURE can't be read: …". */
export type PaymentRead =
  | { readonly kind: "payment"; readonly payment: SentPayment }
  | { readonly kind: "invalid"; readonly reason: string };

export function readPayment(header: string): PaymentRead {
  if (header.length > X402_HEADER_LENGTH_MAX) {
    return invalid(`it is longer than ${X402_HEADER_LENGTH_MAX} characters`);
  }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return invalid("it is not base64");
  let sent: unknown;
  try {
    sent = JSON.parse(Buffer.from(header, "base64").toString());
  } catch {
    return invalid("it is not base64-encoded JSON");
  }
  if (PAYMENT_CHECK.Check(sent)) return { kind: "payment", payment: sent };
  const [first] = PAYMENT_CHECK.Errors(sent);
  return invalid(
    `${first?.path || "it"} is not valid in x402 version 2 for the scheme exact with an authorization (EIP-3009)`,
  );
}

function invalid(reason: string): PaymentRead {
  return { kind: "invalid", reason };
}
