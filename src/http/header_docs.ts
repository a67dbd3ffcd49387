/**
 * The response headers of the document, by name. Interface 8.1, decisions 2, 3, 6 and 10.
 *
 * @module
 */
import { type TSchema, Type } from "@sinclair/typebox";

interface HeaderDoc {
  readonly description: string;
  readonly schema: TSchema;
  readonly example: unknown;
}

export type HeaderName =
  | "X-Request-Id"
  | "X-RateLimit-Limit"
  | "X-RateLimit-Remaining"
  | "X-RateLimit-Reset"
  | "RateLimit"
  | "RateLimit-Policy"
  | "Retry-After"
  | "ETag"
  | "Cache-Control"
  | "Link"
  | "Vary"
  | "WWW-Authenticate"
  | "Content-Disposition"
  | "Feedgate-Next-Offset"
  | "Preference-Applied";

/** The state of a window. */
export const RATE_HEADERS: readonly HeaderName[] = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit",
  "RateLimit-Policy",
];

export const HEADERS: Readonly<Record<HeaderName, HeaderDoc>> = {
  "X-Request-Id": {
    description: "Names this call; the caller's own where it sent one of visible ASCII.",
    schema: Type.String(),
    example: "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d",
  },
  "X-RateLimit-Limit": {
    description: "Calls in a window of 60 seconds.",
    schema: Type.Integer({ minimum: 1 }),
    example: 100,
  },
  "X-RateLimit-Remaining": {
    description: "Calls left in the window.",
    schema: Type.Integer({ minimum: 0 }),
    example: 99,
  },
  "X-RateLimit-Reset": {
    description: "UTC epoch second at which the oldest counted call leaves the window.",
    schema: Type.Integer({ minimum: 0 }),
    example: 1_795_000_000,
  },
  RateLimit: {
    description: "The same as an IETF field: r calls left, t seconds to the reset.",
    schema: Type.String(),
    example: '"default";r=99;t=60',
  },
  "RateLimit-Policy": {
    description: "The limit as an IETF field: q calls in w seconds.",
    schema: Type.String(),
    example: '"default";q=100;w=60',
  },
  "Retry-After": {
    description: "Seconds to wait.",
    schema: Type.Integer({ minimum: 0 }),
    example: 5,
  },
  ETag: {
    description: "Weak tag of what is shown; send it as If-None-Match.",
    schema: Type.String(),
    example: 'W/"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  },
  "Cache-Control": {
    description: "`private, no-cache` on all that needs a key.",
    schema: Type.String(),
    example: "private, no-cache",
  },
  Link: {
    description: 'Address of the next page, as `<…>; rel="next"`; absent on the last one.',
    schema: Type.String(),
    example: '<https://feeds.example.org/v1/feed/quakes?limit=20&cursor=AbsGkz4Z2>; rel="next"',
  },
  Vary: {
    description: "What of the request decided the form of the answer.",
    schema: Type.String(),
    example: "Accept-Encoding",
  },
  "WWW-Authenticate": {
    description: "The scheme that a key is sent in.",
    schema: Type.String(),
    example: "Bearer",
  },
  "Content-Disposition": {
    description: "The file's name.",
    schema: Type.String(),
    example: 'attachment; filename="SKILL.md"',
  },
  "Feedgate-Next-Offset": {
    description: "Where a follower goes on: pass it as `offset`.",
    schema: Type.String(),
    example: "AW9mZnNldA",
  },
  "Preference-Applied": {
    description: "`wait=N` where the answer was waited for. RFC 7240.",
    schema: Type.String(),
    example: "wait=20",
  },
};
