/**
 * The answer of catalog, search and metadata: admitted, logged at no charge, revalidated by ETag.
 *
 * The body is made first, so what can't be answered costs nothing; then the call is admitted, and only
 * then sent, with its `_origin`. A 304 or HEAD is admitted too, from its own limit. Decisions 6 and 7.
 *
 * @module
 */
import type { Answer } from "../http/answer.ts";
import type { Call, HttpContext } from "../http/endpoint.ts";
import type { Problem } from "../http/errors.ts";
import { matchesTag, weakTag } from "../http/etag.ts";
import { addRateHeaders } from "../http/rate_headers.ts";
import type { Principal } from "../key/keys.ts";
import { REVALIDATION_LIMIT } from "../limits.ts";
import { type Admission, type Claim, type Operation, refundedOnFault } from "./admission.ts";
import { originText, refusalOf } from "./refusal.ts";

/** What is shown, and its weak tag. */
export interface Shown {
  /** The members of the body's JSON object but `_origin`, as text. */
  readonly members: string;
  readonly tag: string;
}

export interface LoggedAnswer {
  readonly call: Call;
  readonly principal: Principal;
  readonly operation: Extract<Operation, "catalog" | "search" | "metadata">;
  /** Calls in a window. */
  readonly limit: number;
  /** The members of the body's JSON object but `_origin`, as text. */
  readonly members: string;
  /** The weak tag of `members`, where it was made before. */
  readonly tag?: string;
  /** The feed that the body describes, by the definition that it shows. */
  readonly feed?: { readonly feedId: string; readonly definitionVersion: bigint };
  /**
   * Where the members are remembered: the same at the version that admission tells, or newer. Where it
   * throws, the call is refunded.
   */
  readonly renewed?: (version: bigint | null) => Promise<Shown>;
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
): Promise<Answer | Problem | undefined> {
  const { call, principal, operation, members, feed } = answer;
  const { headers, signal } = call.request;
  const tag = answer.tag ?? weakTag(members);
  const isUnchanged = matchesTag(headers.get("if-none-match"), tag);
  const who = { keyId: principal.keyId, accountId: principal.accountId, signal };
  const claim: Claim =
    isUnchanged || call.isHead
      ? { ...who, operation: "revalidate", limit: REVALIDATION_LIMIT }
      : { ...who, operation, limit: answer.limit, ...feed };
  const decision = await context.admission.admit(claim);
  const nowMs = Date.now();
  if (decision.kind === "stale") return undefined;
  if (decision.kind !== "granted") {
    return refusalOf(decision, { permission: "read", billingUrl: context.billingUrl(), nowMs });
  }
  if (isUnchanged) return { status: 304, headers: cachingHeaders(tag), body: null };
  if (call.isHead) return { headers: jsonHeaders(tag), body: null };
  const shown = await refundedOnFault(context.admission, { claim, grant: decision }, () =>
    answer.renewed?.(decision.dataVersion),
  );
  context.http.metrics.readAnswered();
  const origin = originText(decision, feed?.feedId ?? null);
  return {
    headers: addRateHeaders(jsonHeaders(shown?.tag ?? tag), decision.window, nowMs),
    body: `{${shown?.members ?? members},"_origin":${origin}}`,
  };
}

function jsonHeaders(tag: string): Record<string, string> {
  return { "Content-Type": "application/json", ...cachingHeaders(tag) };
}

function cachingHeaders(tag: string) {
  return { ETag: tag, "Cache-Control": "private, no-cache" };
}
