/**
 * Messages for the failure of an operator's command: a refusal, mistakes in the environment, or an error of the
 * database or the system.
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

/** For refusals about something that does not exist: the command that lists what does. */
const LISTS: Partial<Record<RefusalCode, string>> = {
  ACCOUNT_NOT_FOUND: "account list",
  KEY_NOT_FOUND: "key list --account ID",
  FEED_NOT_FOUND: "feed list",
  PROMOTION_NOT_FOUND: "promo list",
  DELIVERY_NOT_FOUND: "notice list",
  USAGE_NOT_FOUND: "usage export --account ID",
};

/** One line, or one line per mistake in the environment. */
export function failureLines(error: unknown): readonly string[] {
  if (error instanceof Refused) {
    const list = LISTS[error.code];
    if (list === undefined) return [error.message];
    return [`${error.message.replace(/\.$/, "")}; see ${typed(list)}`];
  }
  if (error instanceof ConfigError) return error.mistakes;
  // The driver's error is the cause of DatabaseUnavailableError. File system errors have a path. Other thrown values
  // have neither member.
  const reason = (error instanceof DatabaseUnavailableError ? error.cause : error) as SystemError;
  // PgBouncer refuses session settings with this message.
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

/** An error of the system or the driver. `path` is set for errors about a file. */
type SystemError = Error & { readonly code?: string; readonly path?: string };
