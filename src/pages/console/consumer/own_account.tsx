/** @jsxImportSource preact */
/**
 * The home of a consumer: balance and budget, connected agents, the newest calls.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { endOwnAgent } from "../../../consumer/end_agent.ts";
import {
  counted,
  dollars,
  Facts,
  FigureCard,
  Money,
  Table,
  Text,
  Time,
} from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import type { Act, Form, PageRoute, View, Visit } from "../visit.ts";
import { readAccount, readCalls } from "./own_records.ts";
import { TOP_UP, TopUpForm } from "./top_up_page.tsx";
import { namesIn, UsageTable } from "./usage_table.tsx";

const CALLS_LISTED = 10;

const ACTS: Readonly<Record<string, Act>> = {
  top_up: TOP_UP,
  end_agent: {
    isForOwners: true,
    confirm: (form) =>
      `The agent ${form.text("agent_name") || "without a name"} is ended: its next call is refused. It can ask to be connected again.`,
    async run({ services, session, actor }, form) {
      const { keys, database } = services;
      const principal = await keys.identify(session.key, "read");
      await endOwnAgent(database, { principal, keyId: form.text("key_id") }, actor);
      return { kind: "go", to: "", done: "agent_ended" };
    },
  },
};

export const OWN_ACCOUNT: PageRoute = {
  path: "",
  show: (visit, form) => showAccount(visit, form, () => null),
  acts: ACTS,
};

/** The page, with what a person's has below the name. `isNew`: whether nothing was called yet. */
export async function showAccount(
  visit: Visit,
  form: Form | undefined,
  below: (isNew: boolean) => ComponentChildren,
): Promise<View> {
  const [account, { rows: usage }] = await Promise.all([
    readAccount(visit),
    readCalls(visit, CALLS_LISTED),
  ]);
  const names = await namesIn(visit, usage);
  const { budget, agents } = account;
  return {
    title: "Account",
    content: (
      <>
        <h1>
          <Text of={account.name} />
        </h1>
        {below(usage.length === 0)}
        <div class="cards">
          <FigureCard
            label="Balance"
            value={`${dollars(account.balance.usd)} USD`}
            note={counted(account.balance.credits, "credit")}
          />
          {budget !== undefined && (
            <FigureCard
              label="This key's budget today"
              value={`${dollars(budget.left.usd)} USD left`}
              note={`of ${dollars(budget.daily.usd)} USD; ${dollars(budget.spent.usd)} USD spent`}
            />
          )}
        </div>
        <Facts
          of={{
            "Account id": <code>{account.id}</code>,
            "Budget resets": budget && <Time of={budget.resets_at} />,
            "More credits": (
              <a href={`${visit.root}/billing?account_id=${account.id}`}>How to pay</a>
            ),
          }}
        />
        <TopUpForm visit={visit} form={form} />
        <h2>Connected agents</h2>
        <Table
          label="Connected agents"
          rows={agents}
          columns={[
            { head: "Agent", cell: (row) => <Text of={row.name} /> },
            {
              head: "Spent today",
              kind: "num",
              cell: (row) => <Money usd={row.spent.usd} credits={row.spent.credits} />,
            },
            { head: "Ends", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
            {
              head: "End",
              cell: (row) => (
                <ActForm
                  hidden={{ key_id: row.key_id, agent_name: row.name ?? "" }}
                  buttons={[{ act: "end_agent", text: "End", tone: "danger" }]}
                />
              ),
            },
          ]}
          empty={
            <>
              No agent is connected.{" "}
              <a href={`${visit.root}/docs/guides/connect`}>How to connect one</a>.
            </>
          }
        />
        <h2>Newest calls</h2>
        <UsageTable visit={visit} usage={usage} names={names} />
      </>
    ),
  };
}
