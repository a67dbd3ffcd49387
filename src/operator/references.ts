/**
 * Finds what an operator refers to: accounts by id or name, keys by id or beginning, feeds by id or slug. If several
 * match, the refusal lists them.
 *
 * @module
 */

import { hashKey, isKeyBeginning, permissionOf } from "../accounts/key_format.ts";
import type { FeedRow } from "../feeds/feed_text.ts";
import { referenceParameters } from "../feeds/find.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { cursorInvalid } from "./keyset_cursor.ts";
import { type RefusalCode, Refused } from "./refused.ts";

/** Candidates that a refusal lists. One more is read, which shows that there are more. */
const CANDIDATES_LISTED_MAX = 10;
const CANDIDATES_MAX = CANDIDATES_LISTED_MAX + 1;

/** An account by id or exact name. @throws {Refused} if there is none, or several. */
export async function findAccount(database: Database, text: string): Promise<Row<"list_accounts">> {
  const accountId = parseUuid(text) ?? null;
  const name = accountId === null ? text : null;
  const rows = await database.rows("list_accounts", {
    account_id: accountId,
    name,
    after_account_id: null,
    limit: CANDIDATES_MAX,
  });
  const candidates = rows.map((row) => `${row.account_id} (created ${row.created_at})`);
  refuseSeveral(candidates, {
    problem: `several accounts are named "${text}"`,
    advice: "use an id",
  });
  return rows[0] ?? throwUnknown("ACCOUNT_NOT_FOUND", "account", text);
}

/** The same, for what a closed account can't have any more. @throws {Refused} */
export async function findOpenAccount(
  database: Database,
  text: string,
): Promise<Row<"list_accounts">> {
  const row = await findAccount(database, text);
  if (row.closed_at === null) return row;
  throw new Refused("ACCOUNT_CLOSED", `account ${row.account_id} was closed at ${row.closed_at}`);
}

/** The id of that account; null if the option was not given. */
export async function accountIdOf(
  database: Database,
  text: string | undefined,
): Promise<string | null> {
  return text === undefined ? null : (await findAccount(database, text)).account_id;
}

/**
 * A key by id, by its beginning, or whole. The beginning must be longer than the prefix that all keys share.
 * Otherwise it would name any key that is the only one.
 *
 * @throws {Refused} if there is none, or several.
 */
export async function findKey(database: Database, text: string): Promise<Row<"list_keys">> {
  const parameters = keyParameters(text);
  const { beginning } = parameters;
  const isKey = beginning === null || isKeyBeginning(beginning);
  const asked = {
    ...parameters,
    account_id: null,
    is_admin_only: false,
    after_key_id: null,
    limit: CANDIDATES_MAX,
  };
  const rows = isKey ? await database.rows("list_keys", asked) : [];
  const candidates = rows.map(
    (row) => `${row.key_id} (${row.key_start}, of ${row.account_name ?? "an operator"})`,
  );
  refuseSeveral(candidates, {
    problem: `several keys begin with "${text}"`,
    advice: "use an id or a longer prefix",
  });
  return rows[0] ?? throwUnknown("KEY_NOT_FOUND", "key", text);
}

interface KeyParameters {
  readonly key_id: string | null;
  readonly key_hash: Uint8Array | null;
  readonly beginning: string | null;
}

/** Parameters of the look-up. Two of them are null. */
export function keyParameters(text: string): KeyParameters {
  const none = { key_id: null, key_hash: null, beginning: null };
  const keyId = parseUuid(text);
  if (keyId !== undefined) return { ...none, key_id: keyId };
  if (permissionOf(text) === undefined) return { ...none, beginning: text };
  return { ...none, key_hash: hashKey(text) };
}

/** A feed by id or slug, deleted or not. @throws {Refused} if there is none. */
export async function findFeed(database: Database, text: string): Promise<Row<"find_feed_row">> {
  const row = await database.row("find_feed_row", {
    ...referenceParameters(text),
    active_only: false,
    reader_id: null,
  });
  return row ?? throwUnknown("FEED_NOT_FOUND", "feed", text);
}

/** The id of that feed; null if the option was not given. */
export async function feedIdOf(
  database: Database,
  text: string | undefined,
): Promise<string | null> {
  return text === undefined ? null : (await findFeed(database, text)).feed_id;
}

/** A feed by id or slug. @throws {Refused} if there is none, or if it is deleted. */
export async function findLiveFeed(database: Database, text: string): Promise<FeedRow> {
  const row = await findFeed(database, text);
  if (row.deleted_at === null) return row;
  throw new Refused("FEED_DELETED", `feed "${text}" was deleted at ${row.deleted_at}`);
}

interface Place<Found> {
  readonly cursor: string | undefined;
  find(database: Database, text: string): Promise<Found>;
}

/**
 * The row after which the next page of a list begins. Undefined for the first page.
 *
 * @throws {Refused} if it names no row, or several.
 */
export async function findPlace<Found>(
  database: Database,
  { cursor, find }: Place<Found>,
): Promise<Found | undefined> {
  if (cursor === undefined) return undefined;
  try {
    return await find(database, cursor);
  } catch (error) {
    throw error instanceof Refused ? cursorInvalid(cursor) : error;
  }
}

function throwUnknown(code: RefusalCode, noun: string, text: string): never {
  throw new Refused(code, `there is no ${noun} "${text}"`);
}

/** @throws {Refused} if there is more than one, because the operator has to choose. */
function refuseSeveral(
  candidates: readonly string[],
  { problem, advice }: { readonly problem: string; readonly advice: string },
): void {
  if (candidates.length < 2) return;
  const listed = candidates.slice(0, CANDIDATES_LISTED_MAX).join(", ");
  const more = candidates.length > CANDIDATES_LISTED_MAX ? " and more" : "";
  throw new Refused("REFERENCE_AMBIGUOUS", `${problem}: ${listed}${more}; ${advice}`);
}
