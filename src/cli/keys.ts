/**
 * `key create`, `key edit`, `key rotate`, `key list`, `key find`, `key revoke`. Decisions 3, 8 and 10, beyond 1.
 *
 * @module
 */

import { issueKey, rotateKey } from "../accounts/issue_key.ts";
import { startOf } from "../accounts/key_format.ts";
import { creditsText, exactNumber } from "../accounts/money.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { command, RefusedError, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, readPage } from "./list_page.ts";
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
import { fields, shown, table } from "./output.ts";
import {
  findAccount,
  findKey,
  findLiveFeed,
  keyParameters,
  throwUnknownAccount,
  throwUnknownKey,
} from "./references.ts";

/** How long a rotated key still works where nothing is said, and at most. */
const GRACE_SECONDS = 24 * 3_600;
const GRACE_SECONDS_MAX = 365 * 24 * 3_600;
const KEEP_NOW = "Keep the key now: only its hash is stored, so it can't be shown again.";
const FEEDS = list({
  placeholder: "ID,ID",
  about: "the only feeds that it may read, by id or slug; default all",
  lengthMax: 10_000,
});

/** A stored key: all but the key itself. */
type KeyRow = Row<"list_keys">;

const keyCreate = command({
  words: "key create",
  about: "make a key; it is printed once and never again",
  isToldOnce: true,
  options: {
    account: required(ACCOUNT_OPTION),
    permission: required(
      oneOf(["read", "write"], "read: catalog, search, data; write: push and edit own feeds"),
    ),
    name: text({ placeholder: "S", about: "what it is for", lengthMax: NAME_LENGTH_MAX }),
    expires: time("when it ends; default never"),
    "daily-credits": credits("what it may spend in a UTC day; default all that the account has"),
    feeds: FEEDS,
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const { permission, name, expires: expiresAt, "daily-credits": dailyNanos } = values;
      const feedIds = values.feeds && (await feedIdsOf(database, values.feeds));
      const order = { accountId, permission, name, expiresAt, dailyNanos, feedIds };
      const issued = await issueKey(database, order);
      if (issued === undefined) return throwUnknownAccount(values.account);
      const { keyId, key } = issued;
      return {
        json: JSON.stringify({
          id: keyId,
          key,
          permission,
          account_id: accountId,
          name: name ?? null,
          expires_at: issued.expiresAt,
          daily_credits: dailyNanos === undefined ? null : exactNumber(creditsText(dailyNanos)),
          feed_ids: feedIds ?? null,
        }),
        text: [
          fields({
            key,
            id: keyId,
            permission,
            account: accountId,
            name: shown(name),
            expires: issued.expiresAt ?? "never",
            "daily credits": dailyNanos === undefined ? "all" : creditsText(dailyNanos),
            feeds: feedIds?.join(", ") ?? "all",
          }),
          KEEP_NOW,
        ].join("\n"),
      };
    }),
});

const keyEdit = command({
  words: "key edit",
  arguments: ["KEY"],
  about: "change a key, by id or beginning: its name, end, daily budget or feeds",
  options: {
    name: text({ placeholder: "S", about: "what it is for", lengthMax: NAME_LENGTH_MAX }),
    "daily-credits": orNull(credits("what it may spend in a UTC day"), "none"),
    feeds: orNull(FEEDS, "all"),
    expires: orNull(time("when it ends"), "never"),
  },
  run: ({ config, values, arguments: [given = ""] }) => {
    const { name, expires, "daily-credits": daily } = values;
    if (Object.values(values).every((value) => value === undefined)) {
      throw new UsageError(
        "nothing is to be changed: give --name, --daily-credits, --feeds or --expires",
      );
    }
    return withDatabase(config, async (database) => {
      const { key_id: keyId } = await findKey(database, given);
      const { feeds } = values;
      const fields = JSON.stringify({
        name,
        expires_at: expires,
        daily_nanos: typeof daily === "bigint" ? String(daily) : daily,
        feed_ids: feeds && (await feedIdsOf(database, feeds)),
      });
      const row = await database.row("edit_key", [keyId, fields]);
      if (row === undefined) throw keyNotUsable(given, "is revoked, and can't be changed");
      return { json: keyText(row), text: fieldsOf(row) };
    });
  },
});

const keyRotate = command({
  words: "key rotate",
  arguments: ["KEY"],
  about: "make a new key with the settings of another one, which ends after the grace",
  isToldOnce: true,
  options: { grace: duration("how long the old key still works; default 24h", GRACE_SECONDS_MAX) },
  run: ({ config, values, arguments: [given = ""] }) =>
    withDatabase(config, async (database) => {
      const { grace: graceSeconds = GRACE_SECONDS } = values;
      const { key_id: keyId, permission } = await findKey(database, given);
      const rotated = await rotateKey(database, {
        keyId,
        permission: permission === "write" ? "write" : "read",
        graceSeconds,
      });
      if (rotated === undefined) {
        throw keyNotUsable(given, "is revoked or has expired; make a new one with key create");
      }
      const { key, row } = rotated;
      return {
        json: keyText(row, { key, replaces: keyId }),
        text: [`key:  ${key}`, fieldsOf(row), `replaces:  ${keyId}`, KEEP_NOW].join("\n"),
      };
    }),
});

const keyList = command({
  words: "key list",
  about: "list an account's keys, in any state, oldest first",
  options: { account: required(ACCOUNT_OPTION), limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const afterId = await idOf(database, values.after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_keys", [accountId, afterId, limit]),
        cursorOf: (row) => row.key_id,
      });
      return {
        more,
        json: `[${rows.map((row) => keyText(row)).join(",")}]`,
        text: table(KEY_HEADER, rows.map(keyCells)),
      };
    }),
});

const keyFind = command({
  words: "key find",
  arguments: ["KEY"],
  about: "find the record of a leaked key, whole or its beginning; never the key itself",
  options: {},
  run: ({ config, arguments: [given = ""] }) => {
    const wanted = given.trim();
    if (wanted === "") throw new UsageError("KEY must not be blank");
    return withDatabase(config, async (database) => {
      const [, , beginning] = keyParameters(wanted);
      // Of a key that was cut off, as much can be compared as is stored.
      const row = await findKey(database, beginning === null ? wanted : startOf(beginning));
      const { account_name: owner, ...record } = row;
      return {
        json: keyText(record, { account_name: owner }),
        text: [fieldsOf(row), `owner:  ${shown(owner)}`].join("\n"),
      };
    });
  },
});

const keyRevoke = command({
  words: "key revoke",
  arguments: ["ID"],
  about: "end a key, by id or beginning: it reads and writes nothing from the next request on",
  options: {},
  run: ({ config, arguments: [id = ""] }) =>
    withDatabase(config, async (database) => {
      const { key_id: keyId } = await findKey(database, id);
      const row = await database.row("revoke_key", [keyId]);
      if (row === undefined) return throwUnknownKey(id);
      return { json: keyText(row), text: `key ${row.key_id} is revoked since ${row.revoked_at}` };
    }),
});

export const KEY_COMMANDS = [keyCreate, keyEdit, keyRotate, keyList, keyFind, keyRevoke];

function keyNotUsable(given: string, why: string): RefusedError {
  return new RefusedError(`key "${given}" ${why}`);
}

/** Of feeds that are there, each once. @throws {RefusedError} where one is not */
async function feedIdsOf(database: Database, references: readonly string[]): Promise<string[]> {
  const feedIds = new Set<string>();
  for (const reference of references)
    feedIds.add((await findLiveFeed(database, reference)).feed_id);
  return [...feedIds];
}

/** The id of the key that a page goes on behind. */
async function idOf(database: Database, after: string | undefined): Promise<string | null> {
  return after === undefined ? null : (await findKey(database, after)).key_id;
}

const KEY_HEADER = [
  ...["ID", "STARTS WITH", "PERMISSION", "CREATED", "EXPIRES", "REVOKED", "LAST USED"],
  ...["DAILY CREDITS", "FEEDS", "NAME"],
];

function keyCells(row: KeyRow): string[] {
  const feedIds = feedIdsIn(row);
  return [
    row.key_id,
    row.key_start,
    row.permission,
    row.created_at,
    shown(row.expires_at),
    shown(row.revoked_at),
    shown(row.last_used_at),
    row.daily_nanos === null ? "all" : creditsText(row.daily_nanos),
    feedIds === null ? "all" : String(feedIds.length),
    shown(row.name),
  ];
}

function fieldsOf(row: KeyRow): string {
  return fields({
    id: row.key_id,
    "starts with": row.key_start,
    permission: row.permission,
    account: row.account_id,
    name: shown(row.name),
    created: row.created_at,
    expires: row.expires_at ?? "never",
    revoked: shown(row.revoked_at),
    "last used": shown(row.last_used_at),
    "daily credits": row.daily_nanos === null ? "all" : creditsText(row.daily_nanos),
    feeds: feedIdsIn(row)?.join(", ") ?? "all",
  });
}

/** `more` comes behind the id. */
function keyText(row: KeyRow, more: Readonly<Record<string, string>> = {}): string {
  const { key_id: id, daily_nanos: daily, feed_ids: _, ...rest } = row;
  return JSON.stringify({
    id,
    ...more,
    ...rest,
    daily_credits: daily === null ? null : exactNumber(creditsText(daily)),
    feed_ids: feedIdsIn(row),
  });
}

function feedIdsIn({ feed_ids: list }: KeyRow): string[] | null {
  return list === null ? null : list.split(",");
}
