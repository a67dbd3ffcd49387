/** @jsxImportSource preact */
/**
 * The home of a consumer: balance and budget, connected agents, the newest calls.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import { budgetsResetAt, type KeyBudget } from "../../../accounts/budgets.ts";
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
import { BudgetBar } from "../budget_bar.tsx";
import type { Act, Form, PageRoute, View, Visit } from "../visit.ts";
import { readAccount, readBudgets, readCalls, readMonth } from "./own_records.ts";
import { TOP_UP, TopUpForm } from "./top_up_page.tsx";
import { newestCalls } from "./usage_table.tsx";

const CALLS_LISTED = 10;

const ACTS: Readonly<Record<string, Act>> = {
  top_up: TOP_UP,
  end_agent: {
    isForOwners: true,
    confirm: (form) =>
      `The agent ${form.text("agent_name") || "without a name"} will be disconnected, and its next call will be refused. It can ask to connect again.`,
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
  const [account, { rows: usage }, month, budgets] = await Promise.all([
    readAccount(visit),
    readCalls(visit, { limit: CALLS_LISTED, isDiscoveryHidden: true }),
    readMonth(visit),
    readBudgets(visit),
  ]);
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
          <FigureCard
            label="Spent this month"
            value={`${dollars(month.spent)} USD`}
            note={
              <a href={`${visit.root}/console/usage`}>
                about {dollars(month.forecast)} USD by the end of the month
              </a>
            }
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
            "Account ID": <code>{account.id}</code>,
            "Add credits": (
              <a href={`${visit.root}/billing?account_id=${account.id}`}>How to pay</a>
            ),
          }}
        />
        <TopUpForm visit={visit} form={form} />
        <Budgets visit={visit} budgets={budgets.filter((each) => !each.is_agent)} />
        <h2>Connected agents</h2>
        <Table
          label="Connected agents"
          rows={agents}
          columns={[
            { head: "Agent", cell: (row) => <Text of={row.name} /> },
            {
              head: "Spent today",
              cell: (row) => {
                const own = budgets.find((each) => each.key_id === row.key_id);
                return own === undefined ? (
                  <Money usd={row.spent.usd} credits={row.spent.credits} />
                ) : (
                  <BudgetBar of={own} name={row.name ?? "the agent"} />
                );
              },
            },
            { head: "Expires", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
            {
              head: "Disconnect",
              cell: (row) => (
                <ActForm
                  hidden={{ key_id: row.key_id, agent_name: row.name ?? "" }}
                  buttons={[{ act: "end_agent", text: "Disconnect", tone: "danger" }]}
                />
              ),
            },
          ]}
          empty={
            <>
              No agents are connected.{" "}
              <a href={`${visit.root}/docs/guides/connect`}>How to connect one</a>.
            </>
          }
        />
        <h2>Recent calls</h2>
        {await newestCalls(visit, usage)}
        {usage.length > 0 && (
          <p>
            <a href={`${visit.root}/console/usage#calls`}>All calls</a>
          </p>
        )}
      </>
    ),
  };
}

/** Keys with a budget that the page lists, the fullest first. */
const BUDGETS_LISTED = 5;

interface BudgetsProps {
  readonly visit: Visit;
  readonly budgets: readonly KeyBudget[];
}

function Budgets({ visit, budgets }: BudgetsProps) {
  if (budgets.length === 0) return null;
  const rest = budgets.length - BUDGETS_LISTED;
  return (
    <>
      <h2>Daily budgets</h2>
      <Table
        label="Daily budgets"
        rows={budgets.slice(0, BUDGETS_LISTED)}
        columns={[
          { head: "Key", cell: (row) => <Text of={row.name ?? `${row.key_start}…`} /> },
          {
            head: "Spent today",
            cell: (row) => <BudgetBar of={row} name={row.name ?? row.key_start} />,
          },
        ]}
        empty=""
      />
      <p class="small soft">
        Budgets are per UTC day. They reset at <Time of={budgetsResetAt(Date.now())} />.{" "}
        <a href={`${visit.root}/console/own-keys`}>
          {rest > 0 ? `${counted(rest, "more key")} with a budget` : "All keys"}
        </a>
      </p>
    </>
  );
}
