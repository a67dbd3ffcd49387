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
    "Names this call; the caller's own where it sent one of visible ASCII.",
    "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d",
  ),
  "X-RateLimit-Limit": whole("Calls in a window of 60 seconds.", { minimum: 1, example: 100 }),
  "X-RateLimit-Remaining": whole("Calls left in the window.", { minimum: 0, example: 99 }),
  "X-RateLimit-Reset": whole(
    "UTC epoch second at which the oldest counted call leaves the window.",
    { minimum: 0, example: 1_795_000_000 },
  ),
  RateLimit: text(
    "The same as an IETF field: r calls left, t seconds to the reset.",
    '"default";r=99;t=60',
  ),
  "RateLimit-Policy": text(
    "The limit as an IETF field: q calls in w seconds.",
    '"default";q=100;w=60',
  ),
  "Retry-After": whole("Seconds to wait.", { minimum: 0, example: 5 }),
  ETag: text(
    "Weak tag of what is shown; send it as If-None-Match.",
    'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  ),
  "Cache-Control": text("`private, no-cache` on all that needs a key.", "private, no-cache"),
  Link: text(
    'Address of the next page, as `<…>; rel="next"`; absent on the last one.',
    '<https://feeds.example.org/v1/feed/quakes?limit=20&cursor=AbsGkz4Z2>; rel="next"',
  ),
  Deprecation: text(
    "Since when the route is deprecated: seconds since 1970 (RFC 9745).",
    "@1798761600",
  ),
  Sunset: text(
    "The earliest time at which the route is removed (RFC 8594).",
    "Thu, 01 Jul 2027 00:00:00 GMT",
  ),
  Vary: text("What of the request decided the form of the answer.", "Accept-Encoding"),
  "WWW-Authenticate": text("The scheme that a key is sent in.", "Bearer"),
  "Content-Disposition": text("The file's name.", 'attachment; filename="SKILL.md"'),
  "Feedgate-Data-Version": whole(
    "The version of the feed's data that is shown; pass it as `version` to go on in it.",
    { minimum: 0, example: 417 },
  ),
  "Feedgate-Row-Count": whole("Rows that the answer has.", { minimum: 0, example: 12_480 }),
  "Feedgate-Usage-Id": text("The usage event of the call.", "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d"),
  "Feedgate-Credits-Charged": text("What the usage event was charged.", "125"),
  "Feedgate-Next-Offset": text("Where a follower goes on: pass it as `offset`.", "AW9mZnNldA"),
  Location: text(
    "Where to ask what became of it.",
    "/v1/topups/5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05",
  ),
  "PAYMENT-REQUIRED": text(
    "What a payment by x402 version 2 has to be: base64 of `PaymentRequired`.",
    "eyJ4NDAyVmVyc2lvbiI6Mn0=",
  ),
  "PAYMENT-RESPONSE": text(
    "What became of a payment by x402 version 2: base64 of `SettlementResponse`.",
    "eyJzdWNjZXNzIjp0cnVlfQ==",
  ),
  "Preference-Applied": text("`wait=N` where the answer was waited for. RFC 7240.", "wait=20"),
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
