/**
 * Shared by the modules for readers, requests and invitations: lookup of an owned feed, the terms of a grant, and
 * problems.
 *
 * @module
 */
import { feedForbidden } from "../api/problems/feed_problems.ts";
import { type Feed, findOwned } from "../feeds/find.ts";
import { Problem } from "../http/problem_details.ts";
import type { InputOf } from "../operator/operator.ts";
import type { Services } from "../services.ts";
import type { SetReaderInput } from "./access_shapes.ts";

export type AccessServices = Pick<
  Services,
  "database" | "storedFeeds" | "cursorSecret" | "config" | "http" | "mail"
>;

/** A feed of the acting account. */
export interface OwnedFeed {
  readonly accountId: string;
  /** The feed's id or slug. */
  readonly reference: string;
}

export interface PageAsked {
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** Finds a feed of the account, even a suspended one. @throws {Problem} 403 */
export async function requireOwned(
  { storedFeeds }: AccessServices,
  { accountId, reference }: OwnedFeed,
): Promise<Feed> {
  const feed = await findOwned(storedFeeds, accountId, reference);
  if (feed === undefined) throw feedForbidden();
  return feed;
}

/** The terms of a grant. Omitted fields get their defaults. */
export function termsOf({
  is_free: isFree,
  expires_at: end,
  note,
}: InputOf<typeof SetReaderInput>) {
  return { is_free: isFree === true, expires_at: end ?? null, note: note ?? null };
}

export function accountUnknown(): Problem {
  return new Problem("ACCOUNT_NOT_FOUND", {
    detail: "No active account has this id. Ask the reader for it: GET /v1/account returns it.",
  });
}

export function endPassed(): Problem {
  const message = "expires_at must be later than now";
  return new Problem("VALIDATION_FAILED", {
    detail: "The grant would expire before it begins. Send a later expires_at, or none.",
    extras: { errors: [{ path: "/expires_at", message }] },
  });
}

export function cursorInvalid(list: string): Problem {
  return new Problem("CURSOR_INVALID", {
    detail: `This cursor was not issued for ${list}. Start again without it.`,
  });
}
