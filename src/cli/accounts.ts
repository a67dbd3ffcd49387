/**
 * `account create`, `account edit`, `account suspend`, `account resume`, `account list`, `account show`.
 * Decisions 8 and 10, beyond 2.
 *
 * @module
 */
import { creditsNumber, creditsText, creditsWords, usdNumber, usdText } from "../accounts/money.ts";
import { present } from "../lib/assert.ts";
import type { Database, Row } from "../postgres/client/query.ts";
import { type Answer, UsageError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "./list_page.ts";
import { count, required, SUSPENSION_REASON, text } from "./options.ts";
import { fields } from "./output.ts";
import { accountIdOf, findAccount } from "./references.ts";

type AccountRow = Row<"list_accounts">;

const NAME = text("display name");

const accountCreate = databaseCommand({
  words: "account create",
  about: "make an account, which may read feeds and own them",
  options: {
    name: required(NAME),
    "max-feeds": count("feeds it may own, drafts included; default FEEDGATE_MAX_FEEDS"),
  },
  run: async ({ database, config, values }) => {
    const maxFeeds = values["max-feeds"] ?? config.limits.maxFeeds;
    const made = await database.row("create_account", [values.name, maxFeeds, null]);
    return answerOf(await findAccount(database, present(made).account_id));
  },
});

const accountEdit = databaseCommand({
  words: "account edit",
  argument: "ID",
  about: "change an account, by id or name: its name, or how many feeds it may own",
  options: {
    name: NAME,
    "max-feeds": count("feeds it may own, drafts included; those that it has stay"),
  },
  check: ({ values }) => {
    if (values.name === undefined && values["max-feeds"] === undefined) {
      throw new UsageError("nothing is to be changed: give --name or --max-feeds");
    }
  },
  run: ({ database, values, argument: id }) =>
    editAccount(database, id, { name: values.name, max_feeds_allowed: values["max-feeds"] }),
});

const accountSuspend = databaseCommand({
  words: "account suspend",
  argument: "ID",
  about: "refuse every call with the account's keys from the next request on; its feeds stay",
  options: { reason: SUSPENSION_REASON },
  run: ({ database, values, argument: id }) =>
    editAccount(database, id, { suspension_reason: values.reason }),
});

const accountResume = databaseCommand({
  words: "account resume",
  argument: "ID",
  about: "end a suspension: the account's keys work again",
  options: {},
  run: ({ database, argument: id }) => editAccount(database, id, { suspension_reason: null }),
});

/** Changes the fields that are given. A field that is undefined stays as it is. */
async function editAccount(database: Database, id: string, fields: object): Promise<Answer> {
  const { account_id: accountId } = await findAccount(database, id);
  await database.row("edit_account", [accountId, JSON.stringify(fields)]);
  return answerOf(await findAccount(database, accountId));
}

const accountList = databaseCommand({
  words: "account list",
  about: "list all accounts with their balance, oldest first",
  options: { limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: async ({ database, values }) => {
    const afterId = await accountIdOf(database, values.after);
    return listAnswer(values.limit, {
      read: (limit) => database.rows("list_accounts", [null, null, afterId, limit]),
      cursorOf: (row) => row.account_id,
      json: (row) => JSON.stringify(accountEntry(row)),
      columns: {
        ID: (row) => row.account_id,
        NAME: (row) => row.name,
        CREDITS: (row) => creditsText(row.balance_nanos),
        USD: (row) => usdText(row.balance_nanos),
        SUSPENDED: (row) => row.suspension_reason,
        "FEEDS AT MOST": (row) => row.max_feeds_allowed,
        CREATED: (row) => row.created_at,
      },
    });
  },
});

const accountShow = databaseCommand({
  words: "account show",
  argument: "ID",
  about: "show an account, by id or name, and prove its balance by ledger and usage log",
  options: {},
  run: async ({ database, argument: id }) => {
    const row = await findAccount(database, id);
    const proof = present(await database.row("prove_ledger", [row.account_id]));
    const { granted_nanos: granted, revoked_nanos: revoked } = proof;
    const { charged_nanos: charged, refunded_nanos: refunded } = proof;
    const isBalanced = granted - revoked - charged + refunded === proof.balance_nanos;
    // The balance of the proof's snapshot: reads go on while we look.
    const account = { ...row, balance_nanos: proof.balance_nanos };
    return {
      json: JSON.stringify({
        ...accountEntry(account),
        ledger: {
          granted_credits: creditsNumber(granted),
          revoked_credits: creditsNumber(revoked),
          charged_credits: creditsNumber(charged),
          refunded_credits: creditsNumber(refunded),
          is_balanced: isBalanced,
        },
      }),
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
  },
});

export const ACCOUNT_COMMANDS = [
  accountCreate,
  accountEdit,
  accountList,
  accountShow,
  accountSuspend,
  accountResume,
];

function answerOf(row: AccountRow): Answer {
  return { json: JSON.stringify(accountEntry(row)), text: fields(accountFields(row)) };
}

function accountEntry(row: AccountRow) {
  return {
    id: row.account_id,
    name: row.name,
    max_feeds_allowed: row.max_feeds_allowed,
    balance_credits: creditsNumber(row.balance_nanos),
    balance_usd: usdNumber(row.balance_nanos),
    created_at: row.created_at,
    suspension_reason: row.suspension_reason ?? undefined,
  };
}

function accountFields(row: AccountRow) {
  return {
    account: row.account_id,
    name: row.name,
    "feeds at most": row.max_feeds_allowed,
    balance: `${creditsWords(row.balance_nanos)} (${usdText(row.balance_nanos)} USD)`,
    created: row.created_at,
    suspended: row.suspension_reason ?? undefined,
  };
}
