/**
 * The OpenAPI document's description of the API as a whole.
 *
 * @module
 */
import { VERSION } from "../../lib/program_version.ts";
import type { Limits } from "../../limits.ts";

export const TAGS = [
  { name: "discovery", description: "Find and inspect feeds. Free." },
  { name: "data", description: "Read a feed's data." },
  { name: "account", description: "Your balance, limits and logged calls." },
  { name: "provider", description: "Create, edit and fill your own feeds." },
  {
    name: "operator",
    description: "Accounts, keys, credits and feeds, for operators of the gateway.",
  },
  { name: "skills", description: "Feeds as skills for agent frameworks. No key needed." },
  { name: "operations", description: "For operators of the gateway. No key needed." },
] as const;

export const SECURITY_SCHEMES = {
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-KEY",
    description: "A read key, `fg_read_…`. It takes precedence if both headers are sent.",
  },
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "A read key on consumer routes, a write key, `fg_write_…`, on provider routes, an admin key, `fg_admin_…`, on operator routes.",
  },
} as const;

export interface DocumentContext {
  /** Public address without a trailing slash. */
  readonly baseUrl: string;
  readonly limits: Limits;
}

export function documentInfo({ baseUrl, limits }: DocumentContext) {
  return {
    title: "Feedgate",
    // The version of the API, not of the program.
    version: "1.1.0",
    "x-feedgate-version": VERSION,
    description: [
      "Providers push JSON data into feeds; agents find the feeds, read them over HTTP and pay per call.",
      "Every `/v1/…` address is also available at `/api/v1/…`. `HEAD` works wherever `GET` does and is never charged.",
      `Limits are exact sliding windows of 60 seconds: ${limits.readsFree} reads of a free feed and ${limits.readsPaid} of a paid one, ${limits.discovery} calls each of catalog, search and metadata, ${limits.pushes} pushes to a feed.`,
      `One credit is 0.000001 USD. Errors are RFC 9457 problem details; each \`code\` is explained [on the docs page](${baseUrl}/docs#errors).`,
      `A route that will be removed is marked as deprecated, and its responses carry \`Deprecation\` and \`Sunset\` for months before ([policy](${baseUrl}/docs/guides/upgrade#deprecation)).`,
    ].join("\n\n"),
    license: { name: "MIT", identifier: "MIT" },
    contact: { name: "The operator of this gateway", url: `${baseUrl}/docs` },
  };
}
