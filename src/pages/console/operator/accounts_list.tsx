/** @jsxImportSource preact */
/**
 * All accounts, and a new one.
 *
 * @module
 */
import { type AccountOutcome, CreateAccountInput } from "../../../operator/accounts.ts";
import { Badge, digits, Table, Time } from "../../layout/parts.tsx";
import { ActForm, FilterForm } from "../act_form.tsx";
import { requireInput } from "../acting.ts";
import { AccountLink, type Listed, listQuery, Next } from "../lists.tsx";
import { bodyOf } from "../own_api.ts";
import { refusalOf } from "../refusal_messages.ts";
import type { PageRoute } from "../visit.ts";

const LISTED = 50;

type AccountList = Listed<"accounts", AccountOutcome>;

export const ACCOUNTS_LIST: PageRoute = {
  path: "accounts",
  async show(visit, form) {
    const path = `/v1/operator/accounts${listQuery(visit, { limit: LISTED, names: ["name"] })}`;
    const list = bodyOf(await visit.ask<AccountList>(path));
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
            rows={list.accounts}
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
          <Next visit={visit} cursor={list.next_cursor} />
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
    create: {
      async confirm(form, visit) {
        const name = form.text("new_name");
        requireInput({ input: CreateAccountInput, body: { name } });
        const query = new URLSearchParams({ name, limit: "1" });
        const named = bodyOf(await visit.ask<AccountList>(`/v1/operator/accounts?${query}`));
        const warning =
          named.accounts.length > 0
            ? " Another account has this name, so commands and forms will need the ids of both."
            : "";
        return `An account is made for ${name}, without credits and keys.${warning}`;
      },
      async run(visit, form) {
        const body = { name: form.text("new_name") };
        const made = await visit.ask<AccountOutcome>("/v1/operator/accounts", {
          method: "POST",
          body,
        });
        return made.kind === "refused"
          ? refusalOf(made)
          : { kind: "go", to: `accounts/${made.body.id}`, done: "made" };
      },
    },
  },
};
