/**
 * What an operator names: accounts, keys and feeds. What is not there is refused in one wording.
 *
 * @module
 */

import type { FeedRow } from "../feeds/feed_text.ts";
import { referenceParameters } from "../feeds/find.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database } from "../postgres/client/query.ts";
import { RefusedError } from "./command.ts";

/** The account's id in canonical form. @throws {RefusedError} where the text can be no account's id. */
export function accountIdOf(text: string): string {
  return parseUuid(text) ?? throwUnknownAccount(text);
}

/** The key's id in canonical form. @throws {RefusedError} where the text can be no key's id. */
export function keyIdOf(text: string): string {
  return parseUuid(text) ?? throwUnknownKey(text);
}

export function throwUnknownAccount(text: string): never {
  return throwUnknown("account", text, "feedgate account list");
}

export function throwUnknownKey(text: string): never {
  return throwUnknown("key", text, "feedgate key list --account ID");
}

/** @throws {RefusedError} where there is no such account. */
export async function findAccount(database: Database, text: string) {
  const row = await database.row("find_account", [accountIdOf(text)]);
  return row ?? throwUnknownAccount(text);
}

/** A feed by id or slug. @throws {RefusedError} where there is none. */
export async function findFeed(database: Database, text: string): Promise<FeedRow> {
  const row = await database.row("find_feed_row", [...referenceParameters(text), false]);
  return row ?? throwUnknown("feed", text, "feedgate feed list");
}

function throwUnknown(noun: string, text: string, list: string): never {
  throw new RefusedError(`there is no ${noun} "${text}"; see ${list}`);
}
