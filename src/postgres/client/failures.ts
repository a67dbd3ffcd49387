/**
 * Interprets the errors of PostgreSQL, the driver, and the socket. Their codes are read here and nowhere else.
 *
 * SQLSTATEs: PostgreSQL manual, appendix A.
 *
 * @module
 */
import { codeOf, fieldOf } from "../../lib/error_fields.ts";

/** The server does not have the wanted role. Nothing was sent to it. */
export const WRONG_ROLE = "HOST_HAS_WRONG_ROLE";

/** The server is a primary from before a failover. Nothing was sent to it. */
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
/** Also the code of a statement timeout. */
const QUERY_CANCELED = "57014";
const ADMIN_SHUTDOWN = "57P01";
const CRASH_SHUTDOWN = "57P02";
/** The server is starting up or shutting down. */
const CANNOT_CONNECT_NOW = "57P03";

/** No session was started, so nothing was sent. */
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

/** The database can't be reached, disconnected, or is too busy. The caller may retry. */
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
  // An ERROR rolls back its statement. A FATAL ends the session, and the outcome is unknown.
  return fieldOf(reason, "severity") !== "ERROR" && !UNSENT.has(codeOf(reason));
}

/** The statement was rolled back because of concurrent statements. Manual, 13.5. */
export function isRolledBack(error: unknown): boolean {
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

export function isMisdirected(error: unknown): boolean {
  return codeOf(error) === WRONG_ROLE || isOldPrimary(error);
}

/** The server is a primary from before a failover. */
export function isOldPrimary(error: unknown): boolean {
  return codeOf(error) === OLD_PRIMARY;
}

/** Another session holds the lock for longer than the lock timeout. */
export function isLocked(error: unknown): boolean {
  return codeOf(error) === LOCK_NOT_AVAILABLE;
}

/** PostgreSQL cancelled the statement because it exceeded its time. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error instanceof Error ? (error.cause ?? error) : error) === QUERY_CANCELED;
}

/** A table definition is invalid, such as a partition that overlaps another one. */
export function isInvalidDefinition(error: unknown): boolean {
  return codeOf(error) === INVALID_OBJECT_DEFINITION;
}

/** A value does not match its type, or violates a constraint: SQLSTATE classes 22 and 23. */
export function isBadData(error: unknown): boolean {
  return /^2[23]/.test(String(codeOf(error)));
}

/** The server is a standby, or the database is read-only. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === READ_ONLY_TRANSACTION;
}

/** The role lacks the privilege. */
export function isForbidden(error: unknown): boolean {
  return codeOf(error) === INSUFFICIENT_PRIVILEGE;
}

/** The server or the role does not provide what the statement uses: SQLSTATE classes 0A, 42, and 55. */
export function isUnsupported(error: unknown): boolean {
  return /^(0A|42|55)/.test(codeOf(error) ?? "");
}

/** There is no partition for a row. Unlike a constraint error, this one names no constraint. */
export function isPartitionMissing(error: unknown): boolean {
  return codeOf(error) === CHECK_VIOLATION && fieldOf(error, "constraint_name") === undefined;
}
