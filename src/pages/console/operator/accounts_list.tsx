/** @jsxImportSource preact */
/**
 * All accounts, by a part of their name, and a new one.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import {
  ACCOUNT_ORDERS,
  type AccountOutcome,
  CreateAccountInput,
  createAccount,
  searchAccounts,
} from "../../../operator/accounts.ts";
import type { Page } from "../../../operator/keyset_page.ts";
import { Badge, digits, Money } from "../../layout/parts.tsx";
import { FilterForm, FoldedForm } from "../act_form.tsx";
import { LinkChoice } from "../link_choice.tsx";
import { fileOf, type ListedTable, type ListPart, listedTable } from "../listed_table.tsx";
import { AccountLink } from "../lists.tsx";
import type { PageRoute, Visit } from "../visit.ts";
import { operatorMakes } from "./operator_act.ts";
import { partOf } from "./picks.ts";

const LISTED = 50;
const STATES = [
  ["", "any"],
  ["open", "not suspended"],
  ["suspended", "suspended"],
] as const;

export const ACCOUNTS_LIST: PageRoute = {
  path: "accounts",
  download: (visit) => fileOf(visit, [foundAccounts(visit)]),
  async show(visit, form) {
    return {
      title: "Accounts",
      content: (
        <>
          <h1>Accounts</h1>
          <FoldedForm
            summary="New account"
            form={form}
            isDirect
            fields={[{ name: "new_name", label: "Name", isRequired: true }]}
            buttons={[{ act: "create", text: "Create account" }]}
            effect="The account starts without credits and keys. Several accounts can have the same name."
          />
          <FilterForm
            query={visit.query}
            button="Find"
            fields={[{ name: "q", label: "Part of the name", kind: "search" }]}
            keeps={["state", "sort"]}
          />
          <div class="filters">
            <LinkChoice
              query={visit.query}
              label="State"
              name="state"
              choices={STATES}
              chosen={visit.query.get("state") ?? ""}
            />
            <LinkChoice
              query={visit.query}
              label="Sort by"
              name="sort"
              choices={[
                ["", "newest"],
                ["oldest", "oldest"],
                ["name", "name"],
              ]}
              chosen={visit.query.get("sort") ?? ""}
            />
          </div>
          {await foundAccounts(visit).show()}
        </>
      ),
    };
  },
  acts: {
    create: operatorMakes({
      input: CreateAccountInput,
      given: (_, form) => ({ typed: { name: form.text("new_name") } }),
      run: createAccount,
      done: (_, { id, warning }) => ({
        kind: "go",
        to: `accounts/${id}`,
        done: warning === undefined ? "account_created" : "account_named_twice",
      }),
    }),
  },
};

function foundAccounts(visit: Visit): ListedTable {
  const part = partOf(visit);
  const state = visit.query.get("state");
  const order = ACCOUNT_ORDERS.find((each) => each === visit.query.get("sort")) ?? "newest";
  return accountsTable(visit, {
    empty:
      part === "" && !state
        ? "No accounts yet. Open “New account” above to create the first one."
        : "No accounts match. Try a shorter part of the name, or another state.",
    read: ({ limit, cursor }) =>
      searchAccounts(visit.operator, {
        ...(part !== "" && { part }),
        ...((state === "open" || state === "suspended") && { isSuspended: state === "suspended" }),
        order,
        limit,
        cursor,
      }),
  });
}

interface AccountsOfPage {
  readonly empty: ComponentChildren;
  read(part: ListPart): Promise<Page<AccountOutcome>>;
}

export function accountsTable(visit: Visit, { empty, read }: AccountsOfPage): ListedTable {
  return listedTable<AccountOutcome>(visit, {
    name: "accounts",
    label: "Accounts",
    rows: LISTED,
    empty,
    read,
    columns: [
      {
        head: "Name",
        text: (row) => row.name,
        cell: (row) => <AccountLink visit={visit} id={row.id} name={row.name} />,
      },
      {
        head: "Balance",
        kind: "usd",
        text: (row) => row.balance_usd,
        cell: (row) => <Money usd={row.balance_usd} credits={row.balance_credits} />,
      },
      {
        head: "Feed limit",
        kind: "num",
        text: (row) => row.max_feeds_allowed,
        cell: (row) => digits(row.max_feeds_allowed),
      },
      { head: "State", text: stateOf, cell: (row) => <AccountState of={row} /> },
      { head: "Created", kind: "when", text: (row) => row.created_at },
      { head: "ID", text: (row) => row.id, isInFileOnly: true },
    ],
  });
}

type InState = Pick<AccountOutcome, "closed_at" | "suspension_reason">;

function stateOf({ closed_at: closed, suspension_reason: reason }: InState): string {
  if (closed !== undefined) return "closed";
  return reason === undefined ? "active" : "suspended";
}

const STATE_TONES = { closed: "plain", suspended: "bad", active: "good" } as const;

export function AccountState({ of }: { readonly of: InState }) {
  const state = stateOf(of);
  return <Badge tone={STATE_TONES[state as keyof typeof STATE_TONES]}>{state}</Badge>;
}
