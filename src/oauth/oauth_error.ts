/**
 * Errors of the endpoints that programs call: an object with `error` and `error_description`. RFC 6749, 5.2, and RFC
 * 7591, 3.2.2.
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

/** Headers for answers that must not be stored. RFC 6749, 5.1. */
export const NO_STORE = { "Cache-Control": "no-store", Pragma: "no-cache" } as const;

/** It is thrown, but is not an `Error`, because its stack is never used. */
export class OAuthError {
  constructor(
    readonly code: OAuthErrorCode,
    /** A sentence for the client's developers. */
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
