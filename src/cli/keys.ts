/**
 * `key create`, `key list`, `key find`, `key revoke`. Decisions 3, 8 and 10.
 *
 * @module
 */

import { issueKey } from "../accounts/issue_key.ts";
import { startOf } from "../accounts/key_format.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { command, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, readPage } from "./list_page.ts";
import { ACCOUNT_OPTION, oneOf, required, text, time } from "./options.ts";
import { fields, shown, table } from "./output.ts";
import {
  findAccount,
  findKey,
  keyParameters,
  throwUnknownAccount,
  throwUnknownKey,
} from "./references.ts";

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
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, values.account);
      const { permission, name, expires: expiresAt } = values;
      const issued = await issueKey(database, { accountId, permission, name, expiresAt });
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
        }),
        text: [
          fields({
            key,
            id: keyId,
            permission,
            account: accountId,
            name: shown(name),
            expires: issued.expiresAt ?? "never",
          }),
          "Keep the key now: only its hash is stored, so it can't be shown again.",
        ].join("\n"),
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
        json: `[${rows.map(keyText).join(",")}]`,
        text: table(KEY_HEADER, rows.map(keyCells)),
      };
    }),
});

const keyFind = command({
  words: "key find",
  arguments: ["KEY"],
  about:
    "find the record of a leaked key, whole or its beginning; every key that begins so is listed",
  options: { limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: ({ config, values, arguments: [given = ""] }) => {
    const wanted = given.trim();
    if (wanted === "") throw new UsageError("KEY must not be blank");
    return withDatabase(config, async (database) => {
      const [keyId, keyHash, beginning] = keyParameters(wanted);
      // Of a key that was cut off, as much can be compared as is stored.
      const stored = beginning === null ? null : startOf(beginning);
      const afterId = await idOf(database, values.after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("find_keys", [keyId, keyHash, stored, afterId, limit]),
        cursorOf: (row) => row.key_id,
      });
      if (rows.length === 0 && afterId === null) return throwUnknownKey(wanted);
      return {
        more,
        json: `[${rows.map(keyText).join(",")}]`,
        text: table(
          [...KEY_HEADER, "ACCOUNT", "OWNER"],
          rows.map((row) => [...keyCells(row), row.account_id, shown(row.account_name)]),
        ),
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

export const KEY_COMMANDS = [keyCreate, keyList, keyFind, keyRevoke];

/** The id of the key that a page goes on behind. */
async function idOf(database: Database, after: string | undefined): Promise<string | null> {
  return after === undefined ? null : (await findKey(database, after)).key_id;
}

const KEY_HEADER = [
  ...["ID", "STARTS WITH", "PERMISSION", "CREATED", "EXPIRES", "REVOKED", "LAST USED", "NAME"],
];

function keyCells(row: KeyRow): string[] {
  return [
    row.key_id,
    row.key_start,
    row.permission,
    row.created_at,
    shown(row.expires_at),
    shown(row.revoked_at),
    shown(row.last_used_at),
    shown(row.name),
  ];
}

function keyText(row: KeyRow): string {
  const { key_id: id, ...rest } = row;
  return JSON.stringify({ id, ...rest });
}
