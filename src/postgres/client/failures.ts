/**
 * Says what the errors of PostgreSQL, the driver and the socket mean. Their codes are read here and nowhere else.
 *
 * SQLSTATEs: PostgreSQL manual, appendix A.
 *
 * @module
 */
import { codeOf, fieldOf } from "../../lib/error_fields.ts";

/** The server that was reached does not have the wanted role. Nothing was sent to it. */
export const WRONG_ROLE = "HOST_HAS_WRONG_ROLE";

/** The server that was reached is a primary from before a failover. Nothing was sent to it. */
export const OLD_PRIMARY = "HOST_IS_OLD_PRIMARY";

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const CHECK_VIOLATION = "23514";
const READ_ONLY_TRANSACTION = "25006";
const INSUFFICIENT_PRIVILEGE = "42501";
const DISK_FULL = "53100";
const TOO_MANY_CONNECTIONS = "53300";
const INVALID_OBJECT_DEFINITION = "42P17";
const LOCK_NOT_AVAILABLE = "55P03";
/** A statement's timeout, too. */
const QUERY_CANCELED = "57014";
const ADMIN_SHUTDOWN = "57P01";
const CRASH_SHUTDOWN = "57P02";
/** The server is starting up or shutting down. */
const CANNOT_CONNECT_NOW = "57P03";

/** No session began, so nothing was sent. */
const UNREACHED: readonly string[] = [
  "CONNECT_TIMEOUT",
  "ECONNREFUSED",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EACCES",
  WRONG_ROLE,
  OLD_PRIMARY,
  CANNOT_CONNECT_NOW,
];
const UNSENT: ReadonlySet<unknown> = new Set([...UNREACHED, TOO_MANY_CONNECTIONS]);
/** In addition to the classes 08 (connection) and 53 (resources). */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...UNREACHED,
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ERR_SOCKET_CLOSED",
  ADMIN_SHUTDOWN,
  CRASH_SHUTDOWN,
  QUERY_CANCELED,
  LOCK_NOT_AVAILABLE,
  READ_ONLY_TRANSACTION,
]);

/** The database can't be reached, went away or is too busy: the caller may try again. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  return UNAVAILABLE.has(code) || /^(08|53)/.test(code ?? "");
}

/** The server's disk is full. */
export function isDiskFull(error: unknown): boolean {
  return codeOf(error) === DISK_FULL;
}

/** The server has no room for another session. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === TOO_MANY_CONNECTIONS;
}

/** Whether a statement that failed with this error may have been committed. */
export function mayBeCommitted(error: unknown): boolean {
  const reason = error instanceof Error ? (error.cause ?? error) : {};
  // An ERROR rolls its statement back. A FATAL ends the session and does not say whether it did.
  return fieldOf(reason, "severity") !== "ERROR" && !UNSENT.has(codeOf(reason));
}

/** The statement was rolled back because of other statements at the same time. Manual, 13.5. */
export function isRolledBack(error: unknown): boolean {
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

export function isMisdirected(error: unknown): boolean {
  return codeOf(error) === WRONG_ROLE || isOldPrimary(error);
}

/** The server that was reached is a primary from before a failover. */
export function isOldPrimary(error: unknown): boolean {
  return codeOf(error) === OLD_PRIMARY;
}

/** Another session holds the lock for longer than the wait may take. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE;
}

/** PostgreSQL has ended the statement, which took longer than it may. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error instanceof Error ? (error.cause ?? error) : error) === QUERY_CANCELED;
}

/** A table can't be as it is said, as a partition that overlaps another one. */
export function isInvalidDefinition(error: unknown): boolean {
  return codeOf(error) === INVALID_OBJECT_DEFINITION;
}

/** A value is not of its type, or breaks a constraint: SQLSTATE classes 22 and 23. */
export function isBadData(error: unknown): boolean {
  return /^2[23]/.test(String(codeOf(error)));
}

/** A standby, or a database that was made read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY_TRANSACTION;
}

/** The role may not do this. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === INSUFFICIENT_PRIVILEGE;
}

/** The server, or the role, does not have what the statement calls: SQLSTATE classes 0A, 42 and 55. */
export function isUnsupported(error: unknown): boolean {
  return /^(0A|42|55)/.test(codeOf(error) ?? "");
}

/** There is no partition for a row. Unlike the error of a constraint, this one names none. */
export function isPartitionMissing(error: unknown): boolean {
  return codeOf(error) === CHECK_VIOLATION && fieldOf(error, "constraint_name") === undefined;
}
