/**
 * Functions of operators on accounts: create, change, and verify them. See `src/spec/beyond.md`, sections 2 and 5.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { readEarned } from "../accounts/earnings/provider_payouts.ts";
import { present } from "../lib/assert.ts";
import { PROOF_EVENTS_UNASKED_MAX } from "../limits.ts";
import { creditsNumber, usdNumber } from "../money/money.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { exact, time, uuid } from "../shapes.ts";
import { accountReference, name, quota, reason } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findAccount, findOpenAccount, findPlace } from "./references.ts";

export const AccountShape = Type.Object(
  {
    id: uuid("Of the account."),
    name: Type.String({ description: "Display name." }),
    max_feeds_allowed: quota,
    balance_credits: exact("The remaining balance."),
    balance_usd: exact("The same in USD."),
    created_at: time("When it was created."),
    suspension_reason: Type.Optional(
      Type.String({ description: "Why the account is suspended and its keys refused." }),
    ),
    closed_at: Type.Optional(time("When it was closed.")),
    warning: Type.Optional(
      Type.String({ description: "After a create or rename: another account has the same name." }),
    ),
  },
  { $id: "OperatorAccount", description: "An account." },
);
export type AccountOutcome = Static<typeof AccountShape>;

export const ProvenAccountShape = Type.Object(
  {
    ...AccountShape.properties,
    ledger: Type.Object(
      {
        granted_credits: exact("Granted by the operator and by promotions."),
        revoked_credits: exact("Revoked."),
        charged_credits: exact("Charged, according to the usage log."),
        refunded_credits: exact("Charges that were refunded."),
        is_balanced: Type.Boolean({
          description: "Whether granted - revoked - charged + refunded = balance.",
        }),
      },
      { description: "The proof of the balance." },
    ),
    spent: Type.Object(
      {
        usd: exact("Spent on reads and feeds, minus refunds, by the ledger, however it was paid."),
        counted_usd: exact("The part that is included in providers' earnings."),
        waiting_usd: exact("The part that is not included yet; counted within a minute."),
        is_balanced: Type.Boolean({ description: "Whether counted + waiting = spent." }),
      },
      { description: "The proof that providers have earned what the account spent." },
    ),
    earned: Type.Object(
      {
        gross_usd: exact("Sales of its own feeds."),
        refunded_usd: exact("Sales that were refunded."),
        fee_usd: exact("The platform's fee."),
        earned_usd: exact("Gross minus refunds and fee."),
        paid_usd: exact("Payouts."),
        owed_usd: exact("Earned minus paid."),
      },
      { description: "Its earnings as a provider." },
    ),
  },
  { $id: "ProvenAccount", description: "An account, and the proof of its balance." },
);
export type ProvenAccountOutcome = Static<typeof ProvenAccountShape>;

export const CreateAccountInput = Type.Object({ name, max_feeds_allowed: Type.Optional(quota) });

export async function createAccount(
  { database, limits }: Operator,
  input: InputOf<typeof CreateAccountInput>,
  actor: Actor,
): Promise<AccountOutcome> {
  const { name, max_feeds_allowed: feedsMax = limits.maxFeeds } = input;
  const made = await database.row("create_account", {
    name,
    max_feeds_allowed: feedsMax,
    account_id: null,
    actor,
  });
  const row = await findAccount(database, present(made).account_id);
  return { ...outcomeOf(row), ...(await warningOf(database, name)) };
}

/** Names may repeat, but a name of several accounts refers to none of them. */
async function warningOf(
  database: Database,
  name: string | undefined,
): Promise<Pick<AccountOutcome, "warning">> {
  if (name === undefined) return {};
  const named = await database.rows("list_accounts", {
    account_id: null,
    name,
    after_account_id: null,
    limit: 2,
  });
  if (named.length < 2) return {};
  return { warning: `Another account is named "${name}". Refer to this one by its id.` };
}

export const EditAccountInput = Type.Object({
  account_id: accountReference,
  name: Type.Optional(name),
  max_feeds_allowed: Type.Optional(quota),
});

/** Changes the fields that are given. */
export async function editAccount(
  operator: Operator,
  { account_id: account, name, max_feeds_allowed }: InputOf<typeof EditAccountInput>,
  actor: Actor,
): Promise<AccountOutcome> {
  const edited = await change(operator, { account, fields: { name, max_feeds_allowed } }, actor);
  return { ...edited, ...(await warningOf(operator.database, name)) };
}

export const SuspendAccountInput = Type.Object({ account_id: accountReference, reason });

/** Every call with the account's keys is refused from the next request on. Its feeds stay readable. */
export function suspendAccount(
  operator: Operator,
  { account_id: account, reason }: InputOf<typeof SuspendAccountInput>,
  actor: Actor,
): Promise<AccountOutcome> {
  return change(operator, { account, fields: { suspension_reason: reason } }, actor);
}

export const ResumeAccountInput = Type.Object({ account_id: accountReference });

export function resumeAccount(
  operator: Operator,
  { account_id: account }: InputOf<typeof ResumeAccountInput>,
  actor: Actor,
): Promise<AccountOutcome> {
  return change(operator, { account, fields: { suspension_reason: null } }, actor);
}

interface Change {
  readonly account: string;
  /** A field that is undefined stays as it is. */
  readonly fields: object;
}

async function change(
  { database }: Operator,
  { account, fields }: Change,
  actor: Actor,
): Promise<AccountOutcome> {
  const { account_id: accountId } = await findOpenAccount(database, account);
  await database.row("edit_account", {
    account_id: accountId,
    fields: JSON.stringify(fields),
    actor,
  });
  return outcomeOf(await findAccount(database, accountId));
}

export const ListAccountsInput = Type.Object({ ...PAGE_INPUT, name: Type.Optional(name) });

/** Oldest first; only those of exactly that name, if it is given. The cursor is an account's id, and may be its name. */
export async function listAccounts(
  { database }: Operator,
  { limit, cursor, name: wanted }: InputOf<typeof ListAccountsInput>,
): Promise<Page<AccountOutcome>> {
  const after = await findPlace(database, { cursor, find: findAccount });
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_accounts", {
        account_id: null,
        name: wanted ?? null,
        after_account_id: after?.account_id ?? null,
        limit: rowsMax,
      }),
    cursorOf: (row) => row.account_id,
    entryOf: outcomeOf,
  });
}

/** Orders of a search of accounts. */
export const ACCOUNT_ORDERS = ["newest", "oldest", "name"] as const;

export interface AccountSearch {
  /** A part of the name, in any case. */
  readonly part?: string | undefined;
  readonly isSuspended?: boolean | undefined;
  readonly order: (typeof ACCOUNT_ORDERS)[number];
  readonly limit: number;
  /** An account's id. */
  readonly cursor?: string | undefined;
}

/** Accounts by a part of their name, for people who choose one. */
export async function searchAccounts(
  { database }: Operator,
  { part, isSuspended, order, limit, cursor }: AccountSearch,
): Promise<Page<AccountOutcome>> {
  const after = await findPlace(database, { cursor, find: findAccount });
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("search_accounts", {
          part: part ?? null,
          is_suspended: isSuspended ?? null,
          order,
          after_account_id: after?.account_id ?? null,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => row.account_id,
    entryOf: outcomeOf,
  });
}

export const ShowAccountInput = Type.Object({ account_id: accountReference });

/** The account as of one moment, with the proof of its balance by the ledger and the usage log. */
export async function showAccount(
  { database }: Operator,
  { account_id: account }: InputOf<typeof ShowAccountInput>,
): Promise<ProvenAccountOutcome> {
  const row = await findAccount(database, account);
  const proof = present(await inTime(database.row("prove_ledger", { account_id: row.account_id })));
  const { granted_nanos: granted, revoked_nanos: revoked, balance_nanos: balance } = proof;
  const { charged_nanos: charged, refunded_nanos: refunded } = proof;
  const { paid_nanos: paid, counted_nanos: counted, waiting_nanos: waiting } = proof;
  return {
    // The balance of the proof's snapshot, since reads go on meanwhile.
    ...outcomeOf({ ...row, balance_nanos: balance }),
    ledger: {
      granted_credits: creditsNumber(granted),
      revoked_credits: creditsNumber(revoked),
      charged_credits: creditsNumber(charged),
      refunded_credits: creditsNumber(refunded),
      is_balanced: granted - revoked - charged + refunded === balance,
    },
    spent: {
      usd: usdNumber(paid),
      counted_usd: usdNumber(counted),
      waiting_usd: usdNumber(waiting),
      is_balanced: counted + waiting === paid,
    },
    earned: await readEarned(database, row.account_id),
  };
}

export interface AccountOutline extends AccountOutcome, Pick<ProvenAccountOutcome, "earned"> {
  /** Whether the proof would read more than PROOF_EVENTS_UNASKED_MAX events of its log. */
  readonly has_long_log: boolean;
}

/** The account as it is, and what it has earned, without the proof, which reads its whole log. */
export async function outlineAccount(
  { database }: Operator,
  { account_id: account }: InputOf<typeof ShowAccountInput>,
): Promise<AccountOutline> {
  const row = await findAccount(database, account);
  const log = { account_id: row.account_id, events_max: PROOF_EVENTS_UNASKED_MAX };
  const [earned, length] = await Promise.all([
    readEarned(database, row.account_id),
    database.row("has_long_log", log),
  ]);
  return { ...outcomeOf(row), earned, has_long_log: present(length).is_long };
}

function outcomeOf(row: Row<"list_accounts">): AccountOutcome {
  return {
    id: row.account_id,
    name: row.name,
    max_feeds_allowed: row.max_feeds_allowed,
    balance_credits: creditsNumber(row.balance_nanos),
    balance_usd: usdNumber(row.balance_nanos),
    created_at: row.created_at,
    ...(row.suspension_reason !== null && { suspension_reason: row.suspension_reason }),
    ...(row.closed_at !== null && { closed_at: row.closed_at }),
  };
}
