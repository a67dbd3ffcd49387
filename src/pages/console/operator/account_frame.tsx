/** @jsxImportSource preact */
/**
 * The common frame of an account's pages: its name and state, and links to the parts, each of which has its own
 * address.
 *
 * @module
 */
import type { ComponentChildren } from "preact";
import type { AccountOutcome } from "../../../operator/accounts.ts";
import { findAccount } from "../../../operator/references.ts";
import { Message, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { idOf, type View, type Visit } from "../visit.ts";
import { AccountState } from "./accounts_list.tsx";

const PARTS = [
  ["", "Overview"],
  ["keys", "Keys"],
  ["usage", "Usage"],
  ["money", "Money"],
  ["settings", "Settings"],
] as const;
export type AccountPart = (typeof PARTS)[number][0];

/** An account as its pages name it. */
export type FramedAccount = Pick<AccountOutcome, "id" | "name" | "suspension_reason" | "closed_at">;

/** The account of a page's address. @throws {Refused} if there is none */
export async function framedAccount(visit: Visit): Promise<FramedAccount> {
  const row = await findAccount(visit.operator.database, idOf(visit));
  return {
    id: row.account_id,
    name: row.name,
    ...(row.suspension_reason !== null && { suspension_reason: row.suspension_reason }),
    ...(row.closed_at !== null && { closed_at: row.closed_at }),
  };
}

/** What a confirmation calls the account of the page. */
export async function nameOfAccount(visit: Visit): Promise<string> {
  return (await framedAccount(visit)).name;
}

interface Framed {
  readonly visit: Visit;
  readonly account: FramedAccount;
  readonly part: AccountPart;
  readonly hasCharts?: boolean;
  readonly children: ComponentChildren;
}

/** A part of an account's pages. */
export function accountView({ visit, account, part, hasCharts = false, children }: Framed): View {
  const { name, suspension_reason: reason, closed_at: closedAt } = account;
  const partName = PARTS.find(([each]) => each === part)?.[1] ?? "";
  const base = `${visit.root}/console/accounts`;
  return {
    title: part === "" ? name : `${name}, ${partName.toLowerCase()}`,
    hasCharts,
    content: (
      <>
        <p class="crumbs">
          <a href={base}>Accounts</a>
        </p>
        <h1>
          <Text of={name} /> <AccountState of={account} />
        </h1>
        <nav class="parts" aria-label="Account sections">
          {PARTS.map(([path, text]) => (
            <a
              href={`${base}/${account.id}${path === "" ? "" : `/${path}`}`}
              aria-current={path === part ? "page" : undefined}
            >
              {text}
            </a>
          ))}
        </nav>
        {closedAt !== undefined && (
          <Message tone="plain">
            <p>
              Closed at <Time of={closedAt} />. Its usage and ledger are kept under its ID.
            </p>
          </Message>
        )}
        {reason !== undefined && closedAt === undefined && (
          <Message tone="bad">
            <p>
              Suspended: <Text of={reason} />
            </p>
            {part === "" && (
              <ActForm
                isDirect
                buttons={[{ act: "resume", text: "Resume", tone: "quiet" }]}
                effect="Its keys will work again from the next request."
              />
            )}
          </Message>
        )}
        {children}
      </>
    ),
  };
}
