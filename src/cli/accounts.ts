/**
 * `account create`, `account edit`, `account suspend`, `account resume`, `account list`, `account show`.
 * Decisions 8 and 10, beyond 2.
 *
 * @module
 */
import { creditsText, creditsWords, usdText } from "../accounts/money.ts";
import type { Config } from "../config.ts";
import { NAME_LENGTH_MAX } from "../limits.ts";
import type { Row } from "../postgres/client/query.ts";
import { type Answer, command, RefusedError, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, readPage } from "./list_page.ts";
import { count, required, SUSPENSION_REASON, text } from "./options.ts";
import { fields, shown, table } from "./output.ts";
import { findAccount, throwUnknownAccount } from "./references.ts";

type AccountRow = Row<"find_accounts">;

const NAME = { placeholder: "S", about: "display name", lengthMax: NAME_LENGTH_MAX } as const;

const accountCreate = command({
  words: "account create",
  about: "make an account, which may read feeds and own them",
  options: {
    name: required(text(NAME)),
    "max-feeds": count("feeds it may own, drafts included; default FEEDGATE_MAX_FEEDS"),
  },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const maxFeeds = values["max-feeds"] ?? config.limits.maxFeeds;
      const row = await database.row("create_account", [values.name, maxFeeds]);
      if (row === undefined) throw new RefusedError("the account was not made; try again");
      return { json: accountText(row), text: fields(accountFields(row)) };
    }),
});

const accountEdit = command({
  words: "account edit",
  arguments: ["ID"],
  about: "change an account, by id or name: its name, or how many feeds it may own",
  options: {
    name: text(NAME),
    "max-feeds": count("feeds it may own, drafts included; those that it has stay"),
  },
  run: ({ config, values, arguments: [id = ""] }) => {
    const { name = null, "max-feeds": maxFeeds = null } = values;
    if (name === null && maxFeeds === null) {
      throw new UsageError("nothing is to be changed: give --name or --max-feeds");
    }
    return withDatabase(config, async (database) => {
      const { account_id: accountId } = await findAccount(database, id);
      const row = await database.row("edit_account", [accountId, name, maxFeeds]);
      if (row === undefined) return throwUnknownAccount(id);
      return { json: accountText(row), text: fields(accountFields(row)) };
    });
  },
});

const accountSuspend = command({
  words: "account suspend",
  arguments: ["ID"],
  about: "refuse every call with the account's keys from the next request on; its feeds stay",
  options: { reason: SUSPENSION_REASON },
  run: ({ config, values, arguments: [id = ""] }) => setSuspended(config, id, values.reason),
});

const accountResume = command({
  words: "account resume",
  arguments: ["ID"],
  about: "end a suspension: the account's keys work again",
  options: {},
  run: ({ config, arguments: [id = ""] }) => setSuspended(config, id, null),
});

/** To do it twice is to do it once. */
function setSuspended(config: Config, id: string, reason: string | null): Promise<Answer> {
  return withDatabase(config, async (database) => {
    const { account_id: accountId } = await findAccount(database, id);
    const row = await database.row("suspend_account", [accountId, reason]);
    if (row === undefined) return throwUnknownAccount(id);
    return { json: accountText(row), text: fields(accountFields(row)) };
  });
}

const accountList = command({
  words: "account list",
  about: "list all accounts with their balance, oldest first",
  options: { limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: ({ config, values }) =>
    withDatabase(config, async (database) => {
      const { after } = values;
      const last = after === undefined ? undefined : await findAccount(database, after);
      const { rows, more } = await readPage(values.limit, {
        read: (limit) => database.rows("list_accounts", [last?.account_id ?? null, limit]),
        cursorOf: (row) => row.account_id,
      });
      return {
        more,
        json: `[${rows.map((row) => accountText(row)).join(",")}]`,
        text: table(
          ["ID", "CREDITS", "USD", "FEEDS AT MOST", "CREATED", "SUSPENDED", "NAME"],
          rows.map((row) => [
            row.account_id,
            creditsText(row.balance_nanos),
            usdText(row.balance_nanos),
            String(row.max_feeds_allowed),
            row.created_at,
            shown(row.suspension_reason),
            shown(row.name),
          ]),
        ),
      };
    }),
});

const accountShow = command({
  words: "account show",
  arguments: ["ID"],
  about: "show an account, by id or name, and prove its balance by ledger and usage log",
  options: {},
  run: ({ config, arguments: [id = ""] }) =>
    withDatabase(config, async (database) => {
      const row = await findAccount(database, id);
      const proof = await database.row("prove_ledger", [row.account_id]);
      if (proof === undefined) return throwUnknownAccount(id);
      const { granted_nanos: granted, revoked_nanos: revoked } = proof;
      const { charged_nanos: charged, refunded_nanos: refunded } = proof;
      const isBalanced = granted - revoked - charged + refunded === proof.balance_nanos;
      // The balance of the proof's snapshot: reads go on while we look.
      const account = { ...row, balance_nanos: proof.balance_nanos };
      const ledger = `{"granted_credits":${creditsText(granted)},"revoked_credits":${creditsText(revoked)},"charged_credits":${creditsText(charged)},"refunded_credits":${creditsText(refunded)},"is_balanced":${isBalanced}}`;
      return {
        json: accountText(account, `,"ledger":${ledger}`),
        text: fields({
          ...accountFields(account),
          granted: creditsWords(granted),
          revoked: creditsWords(revoked),
          charged: creditsWords(charged),
          refunded: creditsWords(refunded),
          ledger: isBalanced
            ? "balanced: granted - revoked - charged + refunded = balance"
            : "NOT BALANCED: granted - revoked - charged + refunded is not the balance",
        }),
      };
    }),
});

export const ACCOUNT_COMMANDS = [
  accountCreate,
  accountEdit,
  accountList,
  accountShow,
  accountSuspend,
  accountResume,
];

/** Money as exact numbers; `more` is further members' text. */
function accountText(row: AccountRow, more = ""): string {
  const { suspension_reason: reason } = row;
  const suspension = reason === null ? "" : `,"suspension_reason":${JSON.stringify(reason)}`;
  return `{"id":"${row.account_id}","name":${JSON.stringify(row.name)},"max_feeds_allowed":${row.max_feeds_allowed},"balance_credits":${creditsText(row.balance_nanos)},"balance_usd":${usdText(row.balance_nanos)},"created_at":"${row.created_at}"${suspension}${more}}`;
}

function accountFields(row: AccountRow): Record<string, string> {
  return {
    account: row.account_id,
    name: shown(row.name),
    "feeds at most": String(row.max_feeds_allowed),
    balance: `${creditsWords(row.balance_nanos)} (${usdText(row.balance_nanos)} USD)`,
    created: row.created_at,
    ...(row.suspension_reason !== null && { suspended: shown(row.suspension_reason) }),
  };
}
