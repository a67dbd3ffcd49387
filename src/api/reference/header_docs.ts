/**
 * The response headers of the OpenAPI document, by name.
 *
 * @module
 */
import { type TSchema, Type } from "@sinclair/typebox";

interface HeaderDoc {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: unknown;
}

export const HEADERS = {
  "X-Request-Id": text(
    "The id of the call; the caller's own, if it sent one in visible ASCII.",
    "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d",
  ),
  "X-RateLimit-Limit": whole("Calls in a window of 60 seconds.", { minimum: 1, example: 100 }),
  "X-RateLimit-Remaining": whole("Calls left in the window.", { minimum: 0, example: 99 }),
  "X-RateLimit-Reset": whole(
    "UTC epoch second at which the oldest counted call leaves the window.",
    { minimum: 0, example: 1_795_000_000 },
  ),
  RateLimit: text(
    "The same as an IETF header: r calls left, t seconds to the reset.",
    '"default";r=99;t=60',
  ),
  "RateLimit-Policy": text(
    "The limit as an IETF header: q calls in w seconds.",
    '"default";q=100;w=60',
  ),
  "Retry-After": whole("Seconds to wait.", { minimum: 0, example: 5 }),
  ETag: text(
    "Weak tag of the returned content; send it as If-None-Match.",
    'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  "Cache-Control": text(
    "`private, no-cache` on all responses that require a key.",
    "private, no-cache",
  ),
  Link: text(
    'Address of the next page, as `<…>; rel="next"`; absent on the last one.',
    '<https://feeds.example.org/v1/feed/quakes?limit=20&cursor=AbsGkz4Z2>; rel="next"',
  ),
  Deprecation: text(
    "The time since which the route is deprecated, in seconds since 1970 (RFC 9745).",
    "@1798761600",
  ),
  Sunset: text(
    "The earliest time at which the route is removed (RFC 8594).",
    "Thu, 01 Jul 2027 00:00:00 GMT",
  ),
  Vary: text("The request headers that determined the form of the response.", "Accept-Encoding"),
  "WWW-Authenticate": text("The scheme for sending a key.", "Bearer"),
  "Content-Disposition": text("The file's name.", 'attachment; filename="SKILL.md"'),
  "Feedgate-Data-Version": whole(
    "The returned version of the feed's data; pass it as `version` to resume an export of it.",
    { minimum: 0, example: 417 },
  ),
  "Feedgate-Row-Count": whole("Rows in the response.", { minimum: 0, example: 12_480 }),
  "Feedgate-Usage-Id": text("The usage event of the call.", "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d"),
  "Feedgate-Credits-Charged": text("Credits charged for the usage event.", "125"),
  "Feedgate-Next-Offset": text("Where a follower continues: pass it as `offset`.", "AW9mZnNldA"),
  Location: text(
    "The address of the top-up's status.",
    "/v1/topups/5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05",
  ),
  "PAYMENT-REQUIRED": text(
    "The required x402 version 2 payment: base64 of `PaymentRequired`.",
    "eyJ4NDAyVmVyc2lvbiI6Mn0=",
  ),
  "PAYMENT-RESPONSE": text(
    "The result of an x402 version 2 payment: base64 of `SettlementResponse`.",
    "eyJzdWNjZXNzIjp0cnVlfQ==",
  ),
  "Preference-Applied": text("`wait=N` if the preference was applied (RFC 7240).", "wait=20"),
};

export type HeaderName = keyof typeof HEADERS;

/** The state of a window. */
export const RATE_HEADERS: readonly HeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
];

function text(description: string, example: string): HeaderDoc {
  return { description, schema: Type.String(), example };
}

function whole(description: string, of: { minimum: number; example: number }): HeaderDoc {
  const { minimum, example } = of;
  return { description, schema: Type.Integer({ minimum }), example };
}
