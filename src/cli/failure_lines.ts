/**
 * What is said of a failure of an operator's command: what was refused, what the environment has wrong, or what the
 * database or the system answered. Decisions 10.
 *
 * @module
 */
import { ConfigError } from "../config.ts";
import { type RefusalCode, Refused } from "../operator/refused.ts";
import { DatabaseUnavailableError } from "../postgres/client/database.ts";
import {
  isDiskFull,
  isFull,
  isOldPrimary,
  isReadOnly,
  isUnavailable,
} from "../postgres/client/failures.ts";
import { typed } from "./hints.ts";

/** The command that lists what there is, for refusals of what there is not. */
const LISTS: Partial<Record<RefusalCode, string>> = {
  ACCOUNT_NOT_FOUND: "account list",
  KEY_NOT_FOUND: "key list --account ID",
  FEED_NOT_FOUND: "feed list",
  PROMOTION_NOT_FOUND: "promo list",
  DELIVERY_NOT_FOUND: "notice list",
  USAGE_NOT_FOUND: "usage export --account ID",
};

/** One line; a line for each mistake in the environment. */
export function failureLines(error: unknown): readonly string[] {
  if (error instanceof Refused) {
    const list = LISTS[error.code];
    return [list === undefined ? error.message : `${error.message}; see ${typed(list)}`];
  }
  if (error instanceof ConfigError) return error.mistakes;
  // The driver's error is the cause of ours. Errors of a file system have a path. Both may have these members, and
  // anything else that is thrown has none of them.
  const reason = (error instanceof DatabaseUnavailableError ? error.cause : error) as SystemError;
  // PgBouncer's words: it takes no settings of a session.
  if (/unsupported startup parameter/.test(reason.message ?? "")) {
    return [
      "DATABASE_URL points to PgBouncer: set DATABASE_POOLED=true, or connect to PostgreSQL directly",
    ];
  }
  if (isReadOnly(reason)) {
    return ["the database is read-only: DATABASE_URL must point to the primary"];
  }
  if (isOldPrimary(reason)) return [reason.message];
  if (isDiskFull(reason)) {
    return [
      "the database's disk is full, so nothing was written: free up space, or enlarge the disk",
    ];
  }
  if (isFull(reason)) {
    return ["PostgreSQL has no free connections: raise max_connections, or close some connections"];
  }
  if (reason.path === undefined && isUnavailable(reason)) {
    return [`the database can't be reached (${reason.code}): start it, or check DATABASE_URL`];
  }
  return [reason.message ?? String(error)];
}

/** An error of the system or of the driver; `path` where it is about a file. */
type SystemError = Error & { readonly code?: string; readonly path?: string };
