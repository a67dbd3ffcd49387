/**
 * Requests to an OpenID Connect provider, with bounded responses and a single error for all failures to respond.
 *
 * @module
 */
import type { CustomFetchOptions } from "openid-client";
import { readBounded } from "../../http/guarded_fetch.ts";
import { messageOf } from "../../lib/error_fields.ts";
import { OPENID_ANSWER_BYTES_MAX } from "../../limits.ts";

const TOO_MANY_REQUESTS = 429;
const SERVER_ERROR = 500;
/** RFC 9110, section 6.4.1: answers with these codes have no content. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The provider can't be reached, takes too long, or says that it can't answer now. */
export class ProviderUnavailable extends Error {
  override readonly name = "ProviderUnavailable";
}

/**
 * Redirects are not followed.
 *
 * @throws {ProviderUnavailable} or an `Error` if the answer is too large
 */
export async function fetchFromProvider(
  url: string,
  request: CustomFetchOptions,
): Promise<Response> {
  const { host, pathname } = new URL(url);
  const { bytes, status, headers } = await answerOf(url, request).catch((error: unknown) => {
    throw new ProviderUnavailable(`${host}${pathname}: ${messageOf(error)}`);
  });
  if (status >= SERVER_ERROR || status === TOO_MANY_REQUESTS) {
    throw new ProviderUnavailable(`${host}${pathname}: status ${status}`);
  }
  if (bytes === undefined) {
    throw new Error(`${host}${pathname}: more than ${OPENID_ANSWER_BYTES_MAX} bytes`);
  }
  // The body is decoded already.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers });
}

async function answerOf(url: string, request: CustomFetchOptions) {
  const { method, headers, body = null, redirect, signal } = request;
  const response = await fetch(url, {
    method,
    headers,
    body,
    redirect,
    credentials: "omit",
    ...(signal !== undefined && { signal }),
  });
  const bytes = await readBounded(response, OPENID_ANSWER_BYTES_MAX);
  return { bytes, status: response.status, headers: response.headers };
}
