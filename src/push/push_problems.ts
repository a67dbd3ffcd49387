/**
 * Refusals of a push, and their problem documents.
 *
 * @module
 */

import type { Limited } from "../admission/claims.ts";
import { rateLimited } from "../api/callers/rate_headers.ts";
import { keepsChanging } from "../api/problems/call_refusals.ts";
import { feedForbidden, feedSuspended } from "../api/problems/feed_problems.ts";
import { Problem, unavailable } from "../http/problem_details.ts";
import { bodyNotJson } from "../http/read_body.ts";
import { unreachable } from "../lib/assert.ts";
import type { CheckRefusal, Unreadable } from "./check_push.ts";
import type { Invalid, TooLarge } from "./parse_push.ts";

/** Refusals of pushes that count in the feed's window. */
export type CountedRefusal =
  | CheckRefusal
  | Unreadable
  | { readonly kind: "batch_closed"; readonly batchId: string | null }
  /** By an internal error. */
  | { readonly kind: "failed"; readonly problem: Problem };

/** The push was neither counted nor stored. */
export type UncountedRefusal =
  | Limited
  /** The key was revoked or has expired. */
  | { readonly kind: "key_refused" }
  | { readonly kind: "feed_deleted" }
  | { readonly kind: "feed_suspended"; readonly reason: string }
  /** The feed changed between check and store on each try. */
  | { readonly kind: "feed_keeps_changing" };

export function problemOfRefusal(refusal: CountedRefusal | UncountedRefusal): Problem {
  switch (refusal.kind) {
    case "too_large":
      return payloadTooLarge(refusal);
    case "not_json":
      return bodyNotJson(refusal.message);
    case "invalid":
      return validationFailed(refusal);
    case "lines_to_singleton":
      return linesToSingleton();
    case "batch_closed":
      return new Problem("BATCH_CLOSED", {
        detail: `The batch ${JSON.stringify(refusal.batchId)} is already finalized or retired. Push with a new batch_id.`,
      });
    case "schema_unusable":
      return new Problem("SCHEMA_INVALID", {
        detail: `The feed's locked schema_definition can't be used (${refusal.detail}). Edit it, then push again.`,
      });
    case "schema_busy":
      return unavailable("Too many pushes are waiting for their schema check. Try again shortly.");
    case "unreadable":
    case "failed":
      return refusal.problem;
    case "limited":
      return rateLimited(refusal, Date.now());
    case "key_refused":
      return unavailable(
        "The key was refused a moment ago but is valid now. Try again in a second.",
      );
    case "feed_deleted":
      return feedForbidden();
    case "feed_suspended":
      return feedSuspended(refusal.reason);
    case "feed_keeps_changing":
      return keepsChanging("The feed");
    default:
      return unreachable(refusal);
  }
}

/** 413, sent immediately. The rest of the body is not read, so the connection can't be reused. */
export function payloadTooLarge(tooLarge: TooLarge): Problem {
  const { limit, most, rowIndex } = tooLarge;
  const extras = {
    singleton_body: { max_bytes: most },
    request_body: { max_bytes: most },
    row_count: { max_rows: most },
    row_payload: { max_bytes: most, row_index: rowIndex },
  }[limit];
  const detail = {
    singleton_body: `The body is larger than the limit of ${most} bytes for a singleton. Shorten the document, or make the feed a collection.`,
    request_body: `The body is larger than the limit of ${most} bytes per push. Split it into several pushes.`,
    row_count: `The payload exceeds the limit of ${most} rows per push. Split it into several pushes.`,
    row_payload: `Row ${rowIndex} is larger than the limit of ${most} bytes per row. Shorten it.`,
  }[limit];
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail,
    extras: { limit, ...extras },
    headers: { Connection: "close" },
  });
}

/** 415: newline-delimited rows can't be a singleton's document. */
export function linesToSingleton(): Problem {
  return new Problem("UNSUPPORTED_MEDIA_TYPE", {
    detail:
      "The feed is a singleton, which is one document, not lines of rows. Push it as application/json.",
  });
}

function validationFailed({ errors, errorCount }: Invalid): Problem {
  const first = errors[0];
  const where = first === undefined ? "" : `: ${first.path || "the body"}: ${first.message}`;
  return new Problem("VALIDATION_FAILED", {
    detail: `Nothing was stored, because the body is not valid${where}. Correct the listed errors and push again.`,
    errors,
    errorCount,
  });
}
