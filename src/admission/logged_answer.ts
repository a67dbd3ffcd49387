/**
 * The answer of catalog, search and metadata: admitted, logged at no charge, revalidated by ETag.
 *
 * The body is made first, so what can't be answered costs nothing; then the call is admitted, and only
 * then sent, with its `_origin`. A 304 or HEAD is admitted too, from its own limit. Decisions 6 and 7.
 *
 * @module
 */
import type { Call, HttpContext } from "../http/endpoint.ts";
import { matchesTag, weakTag } from "../http/etag.ts";
import { rateHeaders } from "../http/rate_headers.ts";
import type { Principal } from "../key/keys.ts";
import { REVALIDATION_LIMIT } from "../limits.ts";
import type { Admission, Operation } from "./admission.ts";
import { originText, refusalOf } from "./refusal.ts";

export interface LoggedAnswer {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: Extract<Operation, "catalog" | "search" | "metadata">;
  /** Calls in a window. */
  readonly limit: number;
  /** The members of the body's JSON object but `_origin`, as text. */
  readonly members: string;
  /** The feed that the body describes, by the definition that it shows. */
  readonly feed?: { readonly feedId: string; readonly definitionVersion: bigint };
}

export interface AnswerContext {
  readonly admission: Admission;
  readonly http: Pick<HttpContext, "metrics">;
  readonly billingUrl: () => string;
}

/** Undefined where the feed has changed since the body was made: make it again. */
export async function loggedAnswer(
  context: AnswerContext,
  answer: LoggedAnswer,
): Promise<Response | undefined> {
  const { call, principal, operation, members, feed } = answer;
  const { headers, signal } = call.request;
  const tag = weakTag(members);
  const isUnchanged = matchesTag(headers.get("if-none-match"), tag);
  const who = { keyId: principal.keyId, accountId: principal.accountId, signal };
  const decision = await context.admission.admit(
    isUnchanged || call.isHead
      ? { ...who, operation: "revalidate", limit: REVALIDATION_LIMIT }
      : { ...who, operation, limit: answer.limit, ...feed },
  );
  const nowMs = Date.now();
  if (decision.kind === "stale") return undefined;
  if (decision.kind !== "granted") {
    throw refusalOf(decision, { permission: "read", billingUrl: context.billingUrl(), nowMs });
  }
  const shared = { ETag: tag, "Cache-Control": "private, no-cache" };
  if (isUnchanged) return new Response(null, { status: 304, headers: shared });
  const json = { ...shared, "Content-Type": "application/json" };
  if (call.isHead) return new Response(null, { headers: json });
  context.http.metrics.readAnswered();
  return new Response(`{${members},"_origin":${originText(decision, feed?.feedId ?? null)}}`, {
    headers: { ...json, ...rateHeaders(decision.window, nowMs) },
  });
}
