/**
 * `key create`, `edit`, `rotate`, `list`, `find` and `revoke`.
 *
 * @module
 */
import type { KeyPermission } from "../../accounts/key_format.ts";
import {
  createAdminKey,
  createKey,
  editKey,
  findKeyRecord,
  GRACE_SECONDS_MAX,
  type KeyOutcome,
  listAdminKeys,
  listKeys,
  revokeKey,
  rotateKey,
} from "../../operator/keys.ts";
import { Refused } from "../../operator/refused.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import {
  ACCOUNT_OPTION,
  credits,
  duration,
  eitherOf,
  list,
  oneOf,
  orNull,
  required,
  text,
  time,
  usd,
} from "../options.ts";
import { fields, shown } from "../output.ts";

const KEEP_NOW = "Store the key now. Only its hash is kept, so it can't be shown again.";
const NAME = text("purpose of the key");
const FEEDS = list("limit the key to these feeds, by id or slug; default all", {
  placeholder: "ID,ID",
  lengthMax: 10_000,
});

const keyCreate = databaseCommand({
  words: "key create",
  about: "create a key, which is printed only once",
  isPrintedOnce: true,
  options: {
    account: ACCOUNT_OPTION,
    permission: required(
      oneOf(
        ["read", "write", "admin"],
        "read: catalog, search, data; write: push and edit own feeds; admin: operator API",
      ),
    ),
    name: NAME,
    expires: time("when the key expires; default never"),
    "daily-credits": credits("daily budget in credits, per UTC day; default unlimited"),
    "daily-usd": usd("daily budget in USD"),
    feeds: FEEDS,
  },
  check: ({ values }) => {
    inputOf(values);
  },
  run: async ({ operator, actor, values }) => {
    const input = inputOf(values);
    const made =
      input.permission === "admin"
        ? await createAdminKey(operator, input, actor)
        : await createKey(operator, input, actor).catch(throwUsage);
    return {
      json: JSON.stringify(made),
      text: [
        fields({
          key: made.key,
          id: made.id,
          permission: made.permission,
          account: made.account_id,
          name: made.name,
          expires: made.expires_at ?? "never",
          ...limitsOf(made),
        }),
        KEEP_NOW,
      ].join("\n"),
    };
  },
});

interface GivenKey {
  readonly account: string | undefined;
  readonly permission: KeyPermission;
  readonly name: string | undefined;
  readonly expires: string | undefined;
  readonly "daily-credits": bigint | undefined;
  readonly "daily-usd": bigint | undefined;
  readonly feeds: readonly string[] | undefined;
}

/** An operator's key has a name instead of an account. @throws {UsageError} */
function inputOf({ account, permission, name, expires, ...limits }: GivenKey) {
  const { feeds } = limits;
  const daily = dailyOf(limits);
  if (permission === "admin") {
    if (account !== undefined || daily !== undefined || feeds !== undefined) {
      throw new UsageError(
        "an admin key belongs to no account and reads nothing: omit --account, --feeds and the daily budget",
      );
    }
    if (name === undefined) {
      throw new UsageError("an admin key needs --name, which appears in the audit trail");
    }
    return { permission, name, expires_at: expires };
  }
  if (account === undefined) throw new UsageError("--account is required");
  const read = { daily_credits: daily, feed_ids: feeds };
  return { permission, account_id: account, name, expires_at: expires, ...read };
}

/** The daily budget in nano-dollars. @throws {UsageError} */
function dailyOf<Budget>({
  "daily-credits": credits,
  "daily-usd": dollars,
}: Readonly<Record<"daily-credits" | "daily-usd", Budget>>) {
  return eitherOf({ "daily-credits": credits, "daily-usd": dollars });
}

/** Reports contradictory options as a usage error. */
function throwUsage(error: unknown): never {
  const isUsage = error instanceof Refused && error.code === "KEY_NOT_FOR_READING";
  throw isUsage ? new UsageError(error.message) : error;
}

const keyEdit = databaseCommand({
  words: "key edit",
  argument: "KEY",
  about: "change the name, expiry, daily budget or feeds of a key, by id or prefix",
  options: {
    name: NAME,
    "daily-credits": orNull(credits("daily budget in credits, per UTC day"), "none"),
    "daily-usd": orNull(usd("daily budget in USD"), "none"),
    feeds: orNull(FEEDS, "all"),
    expires: orNull(time("when the key expires"), "never"),
  },
  check: ({ values }) => {
    const { name, feeds, expires } = values;
    const daily = dailyOf(values);
    if ([name, feeds, expires, daily].every((value) => value === undefined)) {
      throw new UsageError(
        "nothing to change: give --name, --daily-credits, --daily-usd, --feeds or --expires",
      );
    }
  },
  run: async ({ operator, actor, values, argument: keyId }) => {
    const { name, feeds, expires } = values;
    const daily = dailyOf(values);
    const limits = { expires_at: expires, daily_credits: daily, feed_ids: feeds };
    const edited = await editKey(operator, { key_id: keyId, name, ...limits }, actor);
    return { json: JSON.stringify(edited), text: textOf(edited) };
  },
});

const keyRotate = databaseCommand({
  words: "key rotate",
  argument: "KEY",
  about: "replace a key by a new one with the same settings; the old key works for a grace period",
  isPrintedOnce: true,
  options: {
    grace: duration(
      "grace period; default 24h; 0 also disconnects its agents at once",
      GRACE_SECONDS_MAX,
    ),
  },
  run: async ({ operator, actor, values: { grace }, argument: keyId }) => {
    const rotated = await rotateKey(operator, { key_id: keyId, grace_seconds: grace }, actor);
    const { key, replaces } = rotated;
    return {
      json: JSON.stringify(rotated),
      text: [`key:  ${key}`, textOf(rotated), `replaces:  ${replaces}`, KEEP_NOW].join("\n"),
    };
  },
});

const keyList = databaseCommand({
  words: "key list",
  about: "list an account's keys, or the operators' keys, in any state, oldest first",
  options: {
    account: ACCOUNT_OPTION,
    permission: oneOf(["admin"], "list the operators' keys instead of an account's"),
    limit: LIMIT_OPTION,
    after: AFTER_OPTION,
  },
  check: ({ values }) => {
    listedAccountOf(values);
  },
  run: async ({ operator, values }) => {
    const account = listedAccountOf(values);
    const page = { limit: values.limit, cursor: values.after };
    const keys =
      account === undefined
        ? await listAdminKeys(operator, page)
        : await listKeys(operator, { account_id: account, ...page });
    return listAnswer(keys, {
      ID: (row) => row.id,
      PREFIX: { whole: (row) => row.key_start },
      PERMISSION: (row) => row.permission,
      REVOKED: (row) => row.revoked_at,
      EXPIRES: (row) => row.expires_at,
      NAME: (row) => row.name,
      "LAST USED": (row) => row.last_used_at,
      "DAILY CREDITS": (row) => limitsOf(row)["daily credits"],
      FEEDS: (row) => row.feed_ids?.length ?? "all",
      CREATED: (row) => row.created_at,
    });
  },
});

/** The account whose keys to list. Undefined for operators' keys. @throws {UsageError} */
function listedAccountOf({
  account,
  permission,
}: {
  readonly account: string | undefined;
  readonly permission: "admin" | undefined;
}): string | undefined {
  if ((account === undefined) !== (permission === undefined)) return account;
  throw new UsageError("give --account, or --permission admin for the operators' keys");
}

const keyFind = databaseCommand({
  words: "key find",
  argument: "KEY",
  about: "find the record of a leaked key by the key or its prefix; the key is never printed",
  options: {},
  check: ({ argument: given }) => {
    if (given.trim() === "") throw new UsageError("KEY must not be blank");
  },
  run: async ({ operator, argument: key }) => {
    const found = await findKeyRecord(operator, { key });
    return {
      json: JSON.stringify(found),
      text: [textOf(found), `owner:  ${shown(found.account_name ?? "an operator")}`].join("\n"),
    };
  },
});

const keyRevoke = databaseCommand({
  words: "key revoke",
  argument: "KEY",
  about: "revoke a key, by id or prefix, and disconnect its agents, from the next request on",
  options: {},
  run: async ({ operator, actor, argument: keyId }) => {
    const revoked = await revokeKey(operator, { key_id: keyId }, actor);
    return {
      json: JSON.stringify(revoked),
      text: `key ${revoked.id} was revoked at ${revoked.revoked_at}`,
    };
  },
});

export const KEY_COMMANDS = [keyCreate, keyEdit, keyRotate, keyList, keyFind, keyRevoke];

function textOf(key: KeyOutcome): string {
  return fields({
    id: key.id,
    prefix: key.key_start,
    permission: key.permission,
    account: key.account_id,
    name: key.name,
    created: key.created_at,
    expires: key.expires_at ?? "never",
    revoked: key.revoked_at,
    "last used": key.last_used_at,
    ...limitsOf(key),
  });
}

/** The key's budget and the feeds that it may read, as readable text. */
function limitsOf({
  daily_credits: daily,
  feed_ids: feedIds,
}: Pick<KeyOutcome, "daily_credits" | "feed_ids">) {
  return { "daily credits": daily?.rawJSON ?? "unlimited", feeds: feedIds?.join(", ") ?? "all" };
}
