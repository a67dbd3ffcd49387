/**
 * Ranges of time that an operator requests, as the texts of `parseEventTime`, which sort like the times.
 *
 * @module
 */
import { Refused } from "./refused.ts";

/** RFC 3339. */
export interface Within {
  /** Inclusive. */
  readonly since?: string | undefined;
  /** Inclusive. */
  readonly until?: string | undefined;
}

/** @throws {Refused} if the range ends before it begins. */
export function requireInOrder({ since, until }: Within): void {
  if (since === undefined || until === undefined || since <= until) return;
  throw new Refused("RANGE_INVALID", `since (${since}) is later than until (${until}). Swap them.`);
}
