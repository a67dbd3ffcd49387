/**
 * `account create`, `edit`, `suspend`, `resume`, `list` and `show`.
 *
 * @module
 */
import { inCredits } from "../../money/money.ts";
import {
  type AccountOutcome,
  createAccount,
  editAccount,
  listAccounts,
  resumeAccount,
  showAccount,
  suspendAccount,
} from "../../operator/accounts.ts";
import { type Answer, UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { count, required, SUSPENSION_REASON, text } from "../options.ts";
import { fields } from "../output.ts";

const NAME = text("display name");

const accountCreate = databaseCommand({
  words: "account create",
  about: "create an account, which can read and own feeds",
  options: {
    name: required(NAME),
    "max-feeds": count("maximum number of feeds, drafts included; default FEEDGATE_MAX_FEEDS"),
  },
  run: async ({ operator, actor, values }) =>
    answerOf(
      await createAccount(
        operator,
        { name: values.name, max_feeds_allowed: values["max-feeds"] },
        actor,
      ),
    ),
});

const accountEdit = databaseCommand({
  words: "account edit",
  argument: "ID",
  about: "change the name or feed limit of an account, by id or name",
  options: {
    name: NAME,
    "max-feeds": count("maximum number of feeds, drafts included; existing feeds stay"),
  },
  check: ({ values }) => {
    if (values.name === undefined && values["max-feeds"] === undefined) {
      throw new UsageError("nothing to change: give --name or --max-feeds");
    }
  },
  run: async ({ operator, actor, values, argument: id }) =>
    answerOf(
      await editAccount(
        operator,
        { account_id: id, name: values.name, max_feeds_allowed: values["max-feeds"] },
        actor,
      ),
    ),
});

const accountSuspend = databaseCommand({
  words: "account suspend",
  argument: "ID",
  about: "refuse all calls with the account's keys from the next request on; its feeds stay",
  options: { reason: SUSPENSION_REASON },
  run: async ({ operator, actor, values: { reason }, argument: id }) =>
    answerOf(await suspendAccount(operator, { account_id: id, reason }, actor)),
});

const accountResume = databaseCommand({
  words: "account resume",
  argument: "ID",
  about: "end a suspension: the account's keys work again",
  options: {},
  run: async ({ operator, actor, argument: id }) =>
    answerOf(await resumeAccount(operator, { account_id: id }, actor)),
});

const accountList = databaseCommand({
  words: "account list",
  about: "list all accounts with their balance, oldest first",
  options: { limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: async ({ operator, values: { limit, after } }) =>
    listAnswer(await listAccounts(operator, { limit, cursor: after }), {
      ID: (row) => row.id,
      NAME: (row) => row.name,
      CREDITS: (row) => row.balance_credits.rawJSON,
      USD: (row) => row.balance_usd.rawJSON,
      SUSPENDED: (row) => row.suspension_reason ?? null,
      "MAX FEEDS": (row) => row.max_feeds_allowed,
      CREATED: (row) => row.created_at,
    }),
});

const accountShow = databaseCommand({
  words: "account show",
  argument: "ID",
  about: "show an account, by id or name, and check its balance against ledger and usage log",
  options: {},
  run: async ({ operator, argument: id }) => {
    const account = await showAccount(operator, { account_id: id });
    const { earned, ledger, spent } = account;
    return {
      json: JSON.stringify(account),
      text: fields({
        ...fieldsOf(account),
        granted: inCredits(ledger.granted_credits),
        revoked: inCredits(ledger.revoked_credits),
        charged: inCredits(ledger.charged_credits),
        refunded: inCredits(ledger.refunded_credits),
        ledger: ledger.is_balanced
          ? "balanced: granted - revoked - charged + refunded = balance"
          : "NOT BALANCED: granted - revoked - charged + refunded is not the balance",
        spent: spent.is_balanced
          ? `${spent.usd.rawJSON} USD, equal to what providers earned from it (counted within a minute)`
          : `${spent.usd.rawJSON} USD, NOT BALANCED: providers earned ${spent.counted_usd.rawJSON}, and ${spent.waiting_usd.rawJSON} is pending`,
        earned: `${earned.earned_usd.rawJSON} USD as a provider, ${earned.paid_usd.rawJSON} paid out, ${earned.owed_usd.rawJSON} owed`,
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

function answerOf(account: AccountOutcome): Answer {
  return { json: JSON.stringify(account), text: fields(fieldsOf(account)) };
}

function fieldsOf(account: AccountOutcome) {
  return {
    account: account.id,
    name: account.name,
    "max feeds": account.max_feeds_allowed,
    balance: `${inCredits(account.balance_credits)} (${account.balance_usd.rawJSON} USD)`,
    created: account.created_at,
    suspended: account.suspension_reason,
    note: account.warning,
  };
}
