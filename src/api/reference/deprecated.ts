/**
 * Deprecates a route: all of its responses carry `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the policy,
 * and the OpenAPI document marks it. The route works as before. The guide "Upgrade" has the policy.
 *
 * ```ts
 * .get("/old", handler, deprecated(described({ … }), { since, sunset, replacement: "GET /v1/new", baseUrl }))
 * ```
 *
 * @module
 */
import type { TSchema } from "@sinclair/typebox";
import { assert } from "../../lib/assert.ts";
import { mapTable } from "../../lib/records.ts";
import { MS_PER_DAY, MS_PER_SECOND } from "../../lib/time_units.ts";
import type { SchemaDocs } from "./described.ts";

/** The shortest time between the two, before version 1.0.0. */
const NOTICE_MS_MIN = 90 * MS_PER_DAY;
const POLICY_PATH = "/docs/guides/upgrade#deprecation";

export interface Deprecation {
  /** Since when the route is deprecated. */
  readonly since: Date;
  /** The earliest time at which it is removed. */
  readonly sunset: Date;
  /** What to use instead, as a sentence without a period: "Use GET /v1/new". */
  readonly replacement: string;
  /** Public address, for the link to the policy. */
  readonly baseUrl: string;
}

/** What `described` returns, as far as it is changed. */
interface Route {
  readonly detail: { readonly description: string };
  readonly response: Readonly<Record<number, TSchema>>;
}

/** The headers of a deprecated route's responses. */
export function deprecationHeaders(deprecation: Deprecation): Record<string, string> {
  const { since, sunset, baseUrl } = deprecation;
  return {
    // A date of RFC 9651, 3.3.7.
    Deprecation: `@${Math.floor(since.getTime() / MS_PER_SECOND)}`,
    Sunset: sunset.toUTCString(),
    Link: `<${baseUrl}${POLICY_PATH}>; rel="deprecation"; type="text/html"`,
  };
}

/** The options of a route, with those that deprecate it. */
export function deprecated<Options extends Route>(options: Options, deprecation: Deprecation) {
  const { since, sunset, replacement } = deprecation;
  assert(sunset.getTime() - since.getTime() >= NOTICE_MS_MIN, "clients have time to change");
  const headers = Object.entries(deprecationHeaders(deprecation));
  const description = `Deprecated; will be removed after ${sunset.toISOString().slice(0, 10)}. ${replacement}. ${options.detail.description}`;
  return {
    ...options,
    detail: { ...options.detail, deprecated: true, description },
    response: mapTable(options.response, withHeaders) as Options["response"],
    mapResponse({ responseValue }: { readonly responseValue: unknown }): void {
      if (!(responseValue instanceof Response)) return;
      // Appended, because a page of a list has a link of its own.
      for (const [name, value] of headers) responseValue.headers.append(name, value);
    },
  };
}

/** Documents the headers that every response gets. */
function withHeaders(schema: TSchema): TSchema {
  const around: SchemaDocs = schema.documented;
  const headers = [...(around.headers ?? []), "Deprecation", "Sunset"] as const;
  return { ...schema, documented: { ...around, headers } };
}
