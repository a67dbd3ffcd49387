/**
 * `key create`, `key edit`, `key rotate`, `key list`, `key find`, `key revoke`. Decisions 3, 8 and 10, beyond 1.
 *
 * @module
 */

import { generateKey, hashKey, startOf } from "../accounts/key_format.ts";
import { creditsNumber, creditsText } from "../accounts/money.ts";
import { present } from "../lib/assert.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { RefusedError, UsageError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import {
  ACCOUNT_OPTION,
  credits,
  duration,
  list,
  oneOf,
  orNull,
  required,
  text,
  time,
} from "./options.ts";
import { fields, shown } from "./output.ts";
import { findAccount, findKey, findLiveFeed, keyParameters } from "./references.ts";

/** How long a rotated key still works by default, and at most. */
const GRACE_SECONDS = 24 * 3_600;
const GRACE_SECONDS_MAX = 365 * 24 * 3_600;
const KEEP_NOW = "Keep the key now: only its hash is stored, so it can't be shown again.";
const NOT_FOR_READING =
  "a write key reads nothing, so it takes no daily credits and no feeds: give them to a read key";
const NAME = text("what it is for");
const FEEDS = list("the only feeds that it may read, by id or slug; default all", {
  placeholder: "ID,ID",
  lengthMax: 10_000,
});

/** A stored key: all but the key itself. */
type KeyRow = Row<"list_keys">;

const keyCreate = databaseCommand({
  words: "key create",
  about: "make a key; it is printed once and never again",
  isToldOnce: true,
  options: {
    account: required(ACCOUNT_OPTION),
    permission: required(
      oneOf(["read", "write"], "read: catalog, search, data; write: push and edit own feeds"),
    ),
    name: NAME,
    expires: time("when it ends; default never"),
    "daily-credits": credits("what it may spend in a UTC day; default all that the account has"),
    feeds: FEEDS,
  },
  run: async ({ database, values }) => {
    const { account_id: accountId } = await findAccount(database, values.account);
    const { permission, name = null, expires = null, "daily-credits": dailyNanos = null } = values;
    const feedIds = values.feeds === undefined ? null : await feedIdsOf(database, values.feeds);
    const key = generateKey(permission);
    const named = [accountId, hashKey(key), startOf(key), permission, name] as const;
    const made = await database.row("create_key", [...named, expires, dailyNanos, feedIds]);
    if (made?.outcome === "not_for_reading") throw new UsageError(NOT_FOR_READING);
    const row = await findKey(database, present(present(made).key_id));
    return {
      json: JSON.stringify({
        id: row.key_id,
        key,
        permission,
        account_id: accountId,
        name: row.name,
        expires_at: row.expires_at,
        ...limitsEntry(row),
      }),
      text: [
        fields({
          key,
          id: row.key_id,
          permission,
          account: accountId,
          name: row.name,
          expires: row.expires_at ?? "never",
          ...limitsFields(row),
        }),
        KEEP_NOW,
      ].join("\n"),
    };
  },
});

const keyEdit = databaseCommand({
  words: "key edit",
  argument: "KEY",
  about: "change a key, by id or beginning: its name, end, daily budget or feeds",
  options: {
    name: NAME,
    "daily-credits": orNull(credits("what it may spend in a UTC day"), "none"),
    feeds: orNull(FEEDS, "all"),
    expires: orNull(time("when it ends"), "never"),
  },
  check: ({ values: { name, feeds, expires, "daily-credits": daily } }) => {
    if ([name, feeds, expires, daily].every((value) => value === undefined)) {
      throw new UsageError(
        "nothing is to be changed: give --name, --daily-credits, --feeds or --expires",
      );
    }
  },
  run: async ({ database, values, argument: given }) => {
    const { key_id: keyId } = await findKey(database, given);
    const { name, feeds, expires, "daily-credits": daily } = values;
    const changes = JSON.stringify({
      name,
      expires_at: expires,
      daily_nanos: typeof daily === "bigint" ? String(daily) : daily,
      feed_ids: feeds && (await feedIdsOf(database, feeds)),
    });
    const edited = await database.row("edit_key", [keyId, changes]);
    if (edited?.outcome === "not_usable") {
      throw keyNotUsable(given, "is revoked, and can't be changed");
    }
    if (edited?.outcome === "not_for_reading") throw new RefusedError(NOT_FOR_READING);
    const row = await findKey(database, keyId);
    return { json: keyText(row), text: fieldsOf(row) };
  },
});

const keyRotate = databaseCommand({
  words: "key rotate",
  argument: "KEY",
  about: "make a new key with the settings of another one, which ends after the grace",
  isToldOnce: true,
  options: { grace: duration("how long the old key still works; default 24h", GRACE_SECONDS_MAX) },
  run: async ({ database, values, argument: given }) => {
    const { key_id: keyId, permission } = await findKey(database, given);
    const key = generateKey(permission === "write" ? "write" : "read");
    const grace = `${values.grace ?? GRACE_SECONDS} seconds`;
    const rotated = await database.row("rotate_key", [keyId, hashKey(key), startOf(key), grace]);
    if (rotated === undefined) {
      throw keyNotUsable(given, "is revoked or has expired; make a new one with key create");
    }
    const row = await findKey(database, rotated.key_id);
    return {
      json: keyText(row, { key, replaces: keyId }),
      text: [`key:  ${key}`, fieldsOf(row), `replaces:  ${keyId}`, KEEP_NOW].join("\n"),
    };
  },
});

const keyList = databaseCommand({
  words: "key list",
  about: "list an account's keys, in any state, oldest first",
  options: { account: required(ACCOUNT_OPTION), limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: async ({ database, values }) => {
    const { account_id: accountId } = await findAccount(database, values.account);
    const { after } = values;
    const afterId = after === undefined ? null : (await findKey(database, after)).key_id;
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_keys", [accountId, null, null, null, afterId, limit]),
      cursorOf: (row) => row.key_id,
      json: (row) => keyText(row),
      columns: {
        ID: (row) => row.key_id,
        "STARTS WITH": { whole: (row) => row.key_start },
        PERMISSION: (row) => row.permission,
        REVOKED: (row) => row.revoked_at,
        EXPIRES: (row) => row.expires_at,
        NAME: (row) => row.name,
        "LAST USED": (row) => row.last_used_at,
        "DAILY CREDITS": (row) => limitsFields(row)["daily credits"],
        FEEDS: (row) => feedIdsIn(row)?.length ?? "all",
        CREATED: (row) => row.created_at,
      },
    });
  },
});

const keyFind = databaseCommand({
  words: "key find",
  argument: "KEY",
  about: "find the record of a leaked key, whole or its beginning; never the key itself",
  options: {},
  check: ({ argument: given }) => {
    if (given.trim() === "") throw new UsageError("KEY must not be blank");
  },
  run: async ({ database, argument: given }) => {
    const wanted = given.trim();
    const [, , beginning] = keyParameters(wanted);
    // Of a key that was cut off, as much can be compared as is stored.
    const row = await findKey(database, beginning === null ? wanted : startOf(beginning));
    const { account_name } = row;
    return {
      json: keyText(row, { account_name }),
      text: [fieldsOf(row), `owner:  ${shown(account_name)}`].join("\n"),
    };
  },
});

const keyRevoke = databaseCommand({
  words: "key revoke",
  argument: "KEY",
  about: "end a key, by id or beginning: it reads and writes nothing from the next request on",
  options: {},
  run: async ({ database, argument: id }) => {
    const { key_id: keyId } = await findKey(database, id);
    // PostgreSQL reads "now" as the time. A key that was revoked before keeps its own.
    await database.row("edit_key", [keyId, JSON.stringify({ revoked_at: "now" })]);
    const row = await findKey(database, keyId);
    return { json: keyText(row), text: `key ${keyId} is revoked since ${row.revoked_at}` };
  },
});

export const KEY_COMMANDS = [keyCreate, keyEdit, keyRotate, keyList, keyFind, keyRevoke];

function keyNotUsable(given: string, why: string): RefusedError {
  return new RefusedError(`key "${given}" ${why}`);
}

/** Of feeds that are there, each once. @throws {RefusedError} if one is not */
async function feedIdsOf(database: Database, references: readonly string[]): Promise<string[]> {
  const feedIds = new Set<string>();
  for (const reference of references)
    feedIds.add((await findLiveFeed(database, reference)).feed_id);
  return [...feedIds];
}

function fieldsOf(row: KeyRow): string {
  return fields({
    id: row.key_id,
    "starts with": row.key_start,
    permission: row.permission,
    account: row.account_id,
    name: row.name,
    created: row.created_at,
    expires: row.expires_at ?? "never",
    revoked: row.revoked_at,
    "last used": row.last_used_at,
    ...limitsFields(row),
  });
}

/** A key's record as JSON; `more` are members to put after the id. */
function keyText(row: KeyRow, more: Readonly<Record<string, string>> = {}): string {
  return JSON.stringify({
    id: row.key_id,
    ...more,
    key_start: row.key_start,
    permission: row.permission,
    account_id: row.account_id,
    name: row.name,
    created_at: row.created_at,
    expires_at: row.expires_at,
    revoked_at: row.revoked_at,
    last_used_at: row.last_used_at,
    ...limitsEntry(row),
  });
}

/** What the key may spend and read; null: all. */
function limitsEntry(row: KeyRow) {
  return {
    daily_credits: row.daily_nanos === null ? null : creditsNumber(row.daily_nanos),
    feed_ids: feedIdsIn(row),
  };
}

function limitsFields(row: KeyRow) {
  return {
    "daily credits": row.daily_nanos === null ? "all" : creditsText(row.daily_nanos),
    feeds: feedIdsIn(row)?.join(", ") ?? "all",
  };
}

function feedIdsIn({ feed_ids: list }: KeyRow): string[] | null {
  return list === null ? null : list.split(",");
}
