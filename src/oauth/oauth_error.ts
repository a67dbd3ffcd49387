/**
 * Refusals of the endpoints that programs call: an object with `error` and `error_description`. RFC 6749, 5.2, and
 * RFC 7591, 3.2.2.
 *
 * @module
 */
import type { Answer } from "../http/answer.ts";

export type OAuthErrorCode =
  | "invalid_request"
  | "invalid_grant"
  | "invalid_target"
  | "unsupported_grant_type"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "temporarily_unavailable";

/** What may be kept by nobody. RFC 6749, 5.1. */
export const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" } as const;

/** It is thrown, and it is no `Error`, because nobody reads its stack. */
export class OAuthError {
  constructor(
    readonly code: OAuthErrorCode,
    /** A sentence for the people who made the client. */
    readonly description: string,
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
}

export function oauthErrorAnswer({ code, description, status, headers }: OAuthError): Answer {
  return {
    status,
    headers: { "Content-Type": "application/json", ...NO_STORE, ...headers },
    body: JSON.stringify({ error: code, error_description: description }),
  };
}
