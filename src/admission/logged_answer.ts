/**
 * The answer of catalog, search and metadata: admitted, logged at no charge, revalidated by ETag.
 *
 * The body is read while the call is admitted, and sent once it is, with its `_origin`; a call whose body
 * can't be read is refunded. Where reads wait for a connection, the body goes first: what would wait too
 * long is not admitted, to be refunded after. For a caller that was refused a moment ago nothing is read
 * before it is admitted. A 304 or HEAD is admitted too, from its own limit. Decisions 6 and 7.
 *
 * @module
 */

import { type Answer, CACHE_PRIVATE } from "../http/answer.ts";
import type { Call, HttpContext } from "../http/call.ts";
import type { Problem } from "../http/errors.ts";
import { matchesTag } from "../http/etag.ts";
import { limitHeaders, stateHeaders } from "../http/rate_headers.ts";
import { sharedHeaders } from "../http/shared_headers.ts";
import type { Keys, Principal } from "../key/keys.ts";
import { chain, type MaybePromise } from "../lib/maybe_promise.ts";
import { REVALIDATION_LIMIT } from "../limits.ts";
import type { Database } from "../postgres/client/query.ts";
import type { Reader } from "../postgres/replica/reader.ts";
import {
  type Admission,
  type Claim,
  type Decision,
  type Operation,
  refundedOnFault,
} from "./admission.ts";
import { originText, refusalOf } from "./refusal.ts";
import { standInGrant } from "./stand_in.ts";

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
  /** Gives what is shown; called once at most. */
  readonly read: () => MaybePromise<Shown>;
  /** The feed that the body describes, by the definition that it shows. */
  readonly feed?: { readonly feedId: string; readonly definitionVersion: bigint };
  /**
   * Where what was read is remembered: the same at the version that admission tells, or newer. Where it
   * throws, the call is refunded.
   */
  readonly renewed?: (version: bigint | null) => Promise<Shown>;
}

export interface AnswerContext {
  readonly admission: Pick<Admission, "admit" | "wasRefused" | "refund">;
  readonly database: Pick<Database, "row">;
  readonly reader: Pick<Reader, "waiting">;
  readonly http: Pick<HttpContext, "metrics">;
  readonly keys: Pick<Keys, "forget">;
  readonly billingUrl: () => string;
}

/** Undefined where the feed has changed since the body was made: make it again. */
export async function loggedAnswer(
  context: AnswerContext,
  answer: LoggedAnswer,
): Promise<Answer | Problem | undefined> {
  const { call, principal, operation, feed } = answer;
  const { admission } = context;
  const { signal } = call.request;
  const who = { keyId: principal.keyId, accountId: principal.accountId, signal };
  const read: Claim = { ...who, operation, limit: answer.limit, ...feed };
  const { claim, decision, reading, unchangedTag } = await admitAndRead(context, answer, {
    read,
    revalidate: { ...who, operation: "revalidate", limit: REVALIDATION_LIMIT },
  });
  const nowMs = Date.now();
  if (decision.kind === "stale") return undefined;
  if (decision.kind !== "granted") {
    if (decision.kind === "key_refused") context.keys.forget(principal);
    return refusalOf(decision, { permission: "read", billingUrl: context.billingUrl(), nowMs });
  }
  if (unchangedTag !== undefined) {
    return { status: 304, headers: cachingHeaders(unchangedTag), body: null };
  }
  const shown = await refundedOnFault(admission, { claim, grant: decision }, () =>
    chain(reading ?? answer.read(), (read) =>
      call.isHead
        ? read
        : chain(answer.renewed?.(decision.dataVersion), (renewed) => renewed ?? read),
    ),
  );
  const grant = call.isHead ? await standInGrant(context.database, read, decision) : decision;
  if (!call.isHead) context.http.metrics.readAnswered();
  const origin = originText(grant, feed?.feedId ?? null);
  const { limit } = grant.window;
  return {
    headers: stateHeaders(grant.window, nowMs),
    sharedHeaders: sharedHeaders(shown, String(limit), () => ({
      "Content-Type": "application/json",
      ...cachingHeaders(shown.tag),
      ...limitHeaders({ limit }),
    })),
    body: `{${shown.members},"_origin":${origin}}`,
  };
}

interface Admitted {
  readonly claim: Claim;
  readonly decision: Decision;
  /** Undefined where nothing was read. */
  readonly reading: MaybePromise<Shown> | undefined;
  /** Where the client has what is shown. */
  readonly unchangedTag?: string | undefined;
}

/** Admits one of the claims, and reads before it, beside it, or not yet. */
async function admitAndRead(
  { admission, reader }: AnswerContext,
  answer: LoggedAnswer,
  { read, revalidate }: { readonly read: Claim; readonly revalidate: Claim },
): Promise<Admitted> {
  const { isHead, request } = answer.call;
  const tags = request.headers.get("if-none-match");
  const wasRefused = admission.wasRefused(read);
  let revalidated: Decision | undefined;
  if (wasRefused && tags !== null) {
    revalidated = await admission.admit(revalidate);
    if (revalidated.kind !== "granted") {
      return { claim: revalidate, decision: revalidated, reading: undefined };
    }
  }
  // In which window the call counts is decided by its tag, so what that is compared with goes first.
  const isReadFirst = tags !== null || (!wasRefused && reader.waiting > 0);
  const known = isReadFirst ? await answer.read() : undefined;
  const isUnchanged = known !== undefined && matchesTag(tags, known.tag);
  const claim = isUnchanged || isHead ? revalidate : read;
  const admitted = (claim === revalidate && revalidated) || admission.admit(claim);
  // What memory refuses at once is not read at all.
  const isReadBeside = !wasRefused && admitted instanceof Promise;
  const reading = known ?? (isReadBeside ? startReading(answer) : undefined);
  const unchangedTag = isUnchanged ? known.tag : undefined;
  return { claim, decision: await admitted, reading, unchangedTag };
}

function startReading({ read }: LoggedAnswer): MaybePromise<Shown> {
  const reading = read();
  // Its error is told where the call is granted; where it is refused, nobody asks.
  if (reading instanceof Promise) reading.catch(() => {});
  return reading;
}

function cachingHeaders(tag: string) {
  return { ETag: tag, "Cache-Control": CACHE_PRIVATE };
}
