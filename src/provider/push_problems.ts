/**
 * What a provider is told of a push that was refused for what it holds. Decisions 2 and 5.
 *
 * @module
 */
import { type FieldError, Problem } from "../http/errors.ts";
import type { Push, TooLarge } from "./push_body.ts";

/** The same problem with headers beside its own. */
export function withHeaders(problem: Problem, headers: Readonly<Record<string, string>>): Problem {
  const { code, options, status } = problem;
  return new Problem(code, {
    ...options,
    status,
    headers: { ...headers, ...options.headers },
  });
}

/** 413, sent at once: the rest of the body is not read, so the connection can't be used again. */
export function payloadTooLarge(tooLarge: TooLarge): Problem {
  const { limit, most, rowIndex } = tooLarge;
  const extras = {
    singleton_body: { max_bytes: most },
    request_body: { max_bytes: most },
    row_count: { max_rows: most },
    row_payload: { max_bytes: most, row_index: rowIndex },
  }[limit];
  const detail = {
    singleton_body: `The body is larger than the ${most} bytes of a singleton; trim the document or make the feed a collection.`,
    request_body: `The body is larger than the ${most} bytes of one push; split it over several.`,
    row_count: `The payload has more than the ${most} rows of one push; split it over several.`,
    row_payload: `Row ${rowIndex} is larger than the ${most} bytes of one row; trim it.`,
  }[limit];
  return new Problem("PAYLOAD_TOO_LARGE", {
    detail,
    extras: { limit, ...extras },
    headers: { Connection: "close" },
  });
}

/** 422; `errorCount` counts also those that are not listed. */
export function validationFailed(errors: readonly FieldError[], errorCount: number): Problem {
  const first = errors[0];
  const where = first === undefined ? "" : `: ${first.path || "the body"}: ${first.message}`;
  return new Problem("VALIDATION_FAILED", {
    detail: `Nothing was stored, since the body is not valid${where}; correct what is listed in errors and push again.`,
    errors,
    errorCount,
  });
}

/** 409: the batch takes no more rows. */
export function batchClosed(push: Push): Problem {
  return new Problem("BATCH_CLOSED", {
    detail: `The batch ${JSON.stringify(push.batchId)} is already finalized or retired; push under a new batch_id.`,
  });
}
