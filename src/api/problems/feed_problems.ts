/**
 * The problems that a provider gets about its feeds, for the outcomes of `feeds/`.
 *
 * @module
 */
import type { SaveRefusal } from "../../feeds/save.ts";
import { Problem, type ProblemCode, unavailable } from "../../http/problem_details.ts";
import { bodyNotJson } from "../../http/read_body.ts";
import { assert, unreachable } from "../../lib/assert.ts";
import type { FieldError } from "../../lib/field_error.ts";
import { MS_PER_DAY, MS_PER_SECOND } from "../../lib/time_units.ts";
import { limitHeaders, stateHeaders } from "../callers/rate_headers.ts";
import type { BodyOutcome } from "../input/parse_body.ts";
import { keepsChanging } from "./call_refusals.ts";

/** The same refusal for an unknown id and for another account's feed. */
export function feedForbidden(): Problem {
  return new Problem("FEED_FORBIDDEN", {
    detail:
      "This key's account owns no feed with this id or endpoint_path. Check it, or use a key of the feed's owner.",
  });
}

/** For the owner. Readers get a 404 instead. */
export function feedSuspended(reason: string): Problem {
  return new Problem("FEED_SUSPENDED", {
    detail: `The operator has suspended this feed: ${reason}. Ask the operator to resume it.`,
    extras: { reason },
  });
}

/** 429: the account has reached its limit of deletions in 24 hours. */
export function tooManyDeletions(deletionsMax: number, retryAfterMs: number): Problem {
  const nowMs = Date.now();
  const retryAfterSeconds = Math.ceil(retryAfterMs / MS_PER_SECOND);
  const resetSeconds = Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND);
  const window = { limit: deletionsMax, remaining: 0, resetSeconds };
  return new Problem("RATE_LIMITED", {
    detail: `This account has reached its limit of ${deletionsMax} deleted feeds in 24 hours. Wait ${retryAfterSeconds} s, or edit a feed instead of replacing it.`,
    extras: { retry_after_ms: retryAfterMs },
    headers: {
      ...limitHeaders(window, MS_PER_DAY / MS_PER_SECOND),
      ...stateHeaders(window, nowMs, { resetInSecondsMax: retryAfterSeconds }),
      "Retry-After": String(retryAfterSeconds),
    },
  });
}

/** 413, sent immediately. The rest of the body is not read, so the connection can't be reused. */
export function saveTooLarge(bytesMax: number): Problem {
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail: `The body is larger than the limit of ${bytesMax} bytes. Shorten it.`,
    extras: { limit: "request_body", max_bytes: bytesMax },
    headers: { Connection: "close" },
  });
}

/** The problem of a body that can't be stored. */
export function problemOfBody(outcome: Exclude<BodyOutcome, { kind: "body" }>): Problem {
  return outcome.kind === "not_json"
    ? bodyNotJson(outcome.message)
    : invalid("VALIDATION_FAILED", outcome.errors, outcome.errorCount);
}

/** The problem of a create or edit that stored nothing. */
export function problemOfSave(refusal: SaveRefusal): Problem {
  switch (refusal.kind) {
    case "invalid":
      return invalid("VALIDATION_FAILED", refusal.errors, refusal.errorCount);
    case "pricing_invalid":
      return invalid("PRICING_INVALID", refusal.errors);
    case "schema_invalid":
      return invalid("SCHEMA_INVALID", refusal.errors);
    case "schema_busy":
      return unavailable("Too many schemas are waiting to be checked. Try again shortly.");
    case "forbidden":
      return feedForbidden();
    case "suspended":
      return feedSuspended(refusal.reason);
    case "schema_required": {
      const message = "schema_definition must not be empty unless status is draft";
      return invalid("SCHEMA_REQUIRED", [{ path: "/schema_definition", message }]);
    }
    case "never_pushed":
      return new Problem("FEED_NEVER_PUSHED", {
        detail:
          "The first successful push activates a feed. Push to it instead of setting status to active.",
      });
    case "schema_breaking": {
      const { changes } = refusal.comparison;
      const first = changes[0];
      const where = first === undefined ? "" : ` (${first.path || "the root"}: ${first.change})`;
      return new Problem("SCHEMA_BREAKING", {
        detail: `Nothing was saved: the new schema may break agents that read this feed${where}. If the change is intended, send a higher schema_version.`,
        extras: { changes },
      });
    }
    case "keeps_changing":
      return keepsChanging("The feed");
    case "type_locked":
      return new Problem("FEED_TYPE_LOCKED", {
        detail:
          "The feed contains data, so its feed_type can't change. Leave feed_type out, or create another feed.",
      });
    case "endpoint_path_taken":
      return new Problem("ENDPOINT_PATH_TAKEN", {
        detail: "Another feed has this endpoint_path. Choose a different one.",
      });
    case "quota_exceeded": {
      const { feedsUsed, maxFeedsAllowed } = refusal;
      return new Problem("FEED_QUOTA_EXCEEDED", {
        detail: `This account has ${feedsUsed} ${feedsUsed === 1 ? "feed" : "feeds"}, drafts included, and its limit is ${maxFeedsAllowed}. Edit an existing feed, or ask the operator for a higher limit.`,
        extras: { max_feeds_allowed: maxFeedsAllowed, feeds_used: feedsUsed },
      });
    }
    default:
      return unreachable(refusal);
  }
}

/** 422. Its `detail` names the first mistake. */
function invalid(
  code: ProblemCode,
  errors: readonly FieldError[],
  errorCount = errors.length,
): Problem {
  const first = errors[0];
  assert(first !== undefined, "a body that is refused has a mistake");
  // A message begins with the name of its field, so the path is added only for nested values.
  const where = first.path.lastIndexOf("/") > 0 ? `${first.path}: ` : "";
  return new Problem(code, {
    detail: `Nothing was saved: ${where}${first.message}. Correct the listed errors and send it again.`,
    errors,
    errorCount,
  });
}
