/** @jsxImportSource preact */
/**
 * The home of a consumer: balance and budget, connected agents, the newest calls.
 *
 * @module
 */
import { digits, Facts, FigureCard, Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { callThenGo } from "../acting.ts";
import { bodyOf } from "../own_api.ts";
import type { PageRoute } from "../visit.ts";
import type { Amount, Usage } from "./answers.ts";
import { TOP_UP, TopUpForm } from "./top_up_page.tsx";
import { namesIn, UsageTable } from "./usage_table.tsx";

interface Account {
  readonly id: string;
  readonly name: string;
  readonly balance: Amount;
  readonly budget?: {
    readonly daily: Amount;
    readonly spent: Amount;
    readonly left: Amount;
    readonly resets_at: string;
  };
  readonly agents?: readonly {
    readonly key_id: string;
    readonly name: string | null;
    readonly spent: Amount;
    readonly expires_at: string | null;
  }[];
}

export const OWN_ACCOUNT: PageRoute = {
  path: "",
  async show(visit, form) {
    const [shown, log] = await Promise.all([
      visit.ask<Account>("/v1/account"),
      visit.ask<Usage>("/v1/usage?limit=10"),
    ]);
    const account = bodyOf(shown);
    const { usage } = bodyOf(log);
    const names = await namesIn(visit, usage);
    const { budget, agents = [] } = account;
    return {
      title: "Account",
      content: (
        <>
          <h1>
            <Text of={account.name} />
          </h1>
          <div class="cards">
            <FigureCard
              label="Balance"
              value={digits(account.balance.credits)}
              note={`credits = ${digits(account.balance.usd)} USD`}
            />
            {budget !== undefined && (
              <FigureCard
                label="This key's budget today"
                value={`${digits(budget.left.credits)} left`}
                note={`of ${digits(budget.daily.credits)} credits; ${digits(budget.spent.credits)} spent`}
              />
            )}
          </div>
          <Facts
            of={{
              "Account id": <code>{account.id}</code>,
              "Budget begins anew": budget && <Time of={budget.resets_at} />,
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
                head: "Spent today, credits",
                kind: "num",
                cell: (row) => digits(row.spent.credits),
              },
              { head: "Ends", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
              {
                head: "End",
                cell: (row) => (
                  <ActForm
                    hidden={{ key_id: row.key_id }}
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
  },
  acts: {
    top_up: TOP_UP,
    end_agent: {
      confirm: () => "The agent's key ends. Its next call is refused.",
      run: (visit, form) =>
        callThenGo(
          visit,
          {
            method: "DELETE",
            path: `/v1/account/agents/${encodeURIComponent(form.text("key_id"))}`,
          },
          { to: "", done: "revoked" },
        ),
    },
  },
};
