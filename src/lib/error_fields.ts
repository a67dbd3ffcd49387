/**
 * The code and the message of a thrown value, which may be anything.
 *
 * @module
 */

/** The code of an error of the system, the driver, or PostgreSQL. Undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const code = fieldOf(error, "code");
  return typeof code === "string" ? code : undefined;
}

/** The error's own message. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A member of an error. Undefined if it has no such member. */
export function fieldOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, name) : undefined;
}
