/** @jsxImportSource preact */
/**
 * All accounts, and a new one.
 *
 * @module
 */
import {
  CreateAccountInput,
  createAccount,
  ListAccountsInput,
  listAccounts,
} from "../../../operator/accounts.ts";
import { Badge, digits, Table, Time } from "../../layout/parts.tsx";
import { ActForm, FilterForm } from "../act_form.tsx";
import { AccountLink, Next } from "../lists.tsx";
import type { PageRoute } from "../visit.ts";
import { listInput, operatorMakes } from "./operator_act.ts";

const LISTED = 50;

export const ACCOUNTS_LIST: PageRoute = {
  path: "accounts",
  async show(visit, form) {
    const input = listInput(visit, ListAccountsInput, { limit: LISTED, names: ["name"] });
    const { entries, nextCursor } = await listAccounts(visit.operator, input);
    return {
      title: "Accounts",
      content: (
        <>
          <h1>Accounts</h1>
          <FilterForm
            query={visit.query}
            button="Find"
            fields={[{ name: "name", label: "Exact name", kind: "search" }]}
          />
          <Table
            label="Accounts"
            rows={entries}
            columns={[
              {
                head: "Name",
                cell: (row) => <AccountLink visit={visit} id={row.id} name={row.name} />,
              },
              { head: "Balance, credits", kind: "num", cell: (row) => digits(row.balance_credits) },
              { head: "Feeds at most", kind: "num", cell: (row) => digits(row.max_feeds_allowed) },
              {
                head: "State",
                cell: (row) =>
                  row.suspension_reason === undefined ? (
                    <Badge tone="good">active</Badge>
                  ) : (
                    <Badge tone="bad">suspended</Badge>
                  ),
              },
              { head: "Made", kind: "when", cell: (row) => <Time of={row.created_at} /> },
            ]}
            empty="There is no such account. Make one below."
          />
          <Next visit={visit} cursor={nextCursor} />
          <h2>New account</h2>
          <ActForm
            form={form}
            fields={[{ name: "new_name", label: "Name", isRequired: true }]}
            buttons={[{ act: "create", text: "Make it" }]}
          />
        </>
      ),
    };
  },
  acts: {
    create: operatorMakes({
      input: CreateAccountInput,
      given: (_, form) => ({ typed: { name: form.text("new_name") } }),
      async confirm(form, { operator }) {
        const name = form.text("new_name");
        const { entries } = await listAccounts(operator, { name, limit: 1 });
        const warning =
          entries.length > 0
            ? " Another account has this name, so commands and forms will need the ids of both."
            : "";
        return `An account is made for ${name}, without credits and keys.${warning}`;
      },
      run: createAccount,
      done: (_, { id }) => ({ kind: "go", to: `accounts/${id}`, done: "made" }),
    }),
  },
};
