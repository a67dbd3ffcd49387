/** @jsxImportSource preact */
/**
 * The keys of an account, a new one, and the agents that its users have connected.
 *
 * @module
 */

import { type Agent, listAgents } from "../../../accounts/agents.ts";
import { AGENTS_MAX } from "../../../limits.ts";
import { usdNumber } from "../../../money/money.ts";
import { CreateKeyInput, createKey, type KeyOutcome, listKeys } from "../../../operator/keys.ts";
import { dollars } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { givenCredits, usdOfCredits } from "../amounts.ts";
import { KeyState, stateOfKey } from "../key_state.tsx";
import { fileOf, type ListedTable, listedTable } from "../listed_table.tsx";
import { showOnce } from "../show_once.tsx";
import { idOf, type PageRoute, type Visit } from "../visit.ts";
import { accountView, framedAccount } from "./account_frame.tsx";
import { operatorMakes } from "./operator_act.ts";

const LISTED = 50;

export const KEYS_OF_ACCOUNT: PageRoute = {
  path: "accounts/:id/keys",
  download: (visit) => fileOf(visit, [keysTable(visit), agentsTable(visit)]),
  async show(visit, form) {
    const account = await framedAccount(visit);
    return accountView({
      visit,
      account,
      part: "keys",
      children: (
        <>
          {account.closed_at === undefined && (
            <>
              <h2>New key</h2>
              <ActForm
                form={form}
                isDirect
                fields={[
                  {
                    name: "permission",
                    label: "Permission",
                    choices: [
                      ["read", "read (reads and buys)"],
                      ["write", "write (publishes)"],
                    ],
                  },
                  { name: "key_name", label: "Name" },
                  { name: "daily", label: "Daily budget (read keys only)", kind: "usd" },
                ]}
                buttons={[{ act: "key", text: "Create key" }]}
                effect="The next page shows the key, once. Without a daily budget, a read key can spend the whole balance."
              />
            </>
          )}
          <h2>Keys</h2>
          {await keysTable(visit).show()}
          <h2>Connected agents</h2>
          {await agentsTable(visit).show()}
        </>
      ),
    });
  },
  acts: {
    key: operatorMakes({
      input: CreateKeyInput,
      given(visit, form) {
        const daily = givenCredits(form, "daily");
        return {
          typed: {
            account_id: idOf(visit),
            permission: form.text("permission"),
            name: form.given("key_name"),
            ...(daily !== undefined && { daily_credits: daily }),
          },
        };
      },
      run: createKey,
      done: (_, { key }) =>
        showOnce(
          "The new key",
          key,
          "It is shown only once, because only its hash is stored. Give it to the customer now.",
        ),
    }),
  },
};

function keysTable(visit: Visit): ListedTable {
  return listedTable<KeyOutcome>(visit, {
    name: "keys",
    label: "Keys",
    rows: LISTED,
    empty: "The account has no keys yet.",
    read: (part) => listKeys(visit.operator, { account_id: idOf(visit), ...part }),
    columns: [
      {
        head: "Key",
        kind: "id",
        text: (key) => key.key_start,
        cell: (key) => (
          <a href={`${visit.root}/console/keys?key=${key.id}`}>
            <code>{key.key_start}…</code>
          </a>
        ),
      },
      { head: "Name", text: (key) => key.name },
      { head: "Permission", text: (key) => key.permission },
      {
        head: "Daily budget",
        kind: "usd",
        text: ({ daily_credits: daily }) => (daily === null ? null : usdOfCredits(daily)),
        cell: ({ daily_credits: daily }) =>
          daily === null ? "no limit" : `${dollars(usdOfCredits(daily))} USD`,
      },
      { head: "State", text: stateOfKey, cell: (key) => <KeyState of={key} /> },
      { head: "Last used", kind: "when", text: (key) => key.last_used_at },
      { head: "Created", kind: "when", text: (key) => key.created_at },
    ],
  });
}

function agentsTable(visit: Visit): ListedTable {
  const { database } = visit.operator;
  return listedTable<Agent>(visit, {
    name: "agents",
    label: "Connected agents",
    rows: AGENTS_MAX,
    by: "agents_cursor",
    empty: "No agents are connected to this account.",
    read: async () => ({
      entries: await listAgents(database, { accountId: idOf(visit), chainId: null }),
      nextCursor: null,
    }),
    columns: [
      {
        head: "Agent",
        text: (agent) => agent.name,
        cell: (agent) => (
          <a href={`${visit.root}/console/keys?key=${agent.key_id}`}>{agent.name ?? "no name"}</a>
        ),
      },
      { head: "Spent today", kind: "usd", text: (agent) => usdNumber(agent.spent_nanos) },
      {
        head: "Daily budget",
        kind: "usd",
        text: ({ daily_nanos: daily }) => (daily === null ? null : usdNumber(daily)),
      },
      { head: "Connected", kind: "when", text: (agent) => agent.created_at },
      { head: "Expires", kind: "when", text: (agent) => agent.expires_at },
    ],
  });
}
