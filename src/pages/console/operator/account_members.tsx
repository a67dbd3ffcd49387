/** @jsxImportSource preact */
/**
 * The members of an account, as an operator sees and changes them, and closing the account.
 *
 * @module
 */

import { nanosOfCredits } from "../../../money/money.ts";
import { outlineAccount } from "../../../operator/accounts.ts";
import { CloseAccountInput, closeAccount } from "../../../people/close_account.ts";
import {
  type InvitationOutcome,
  InviteMemberInput,
  inviteMember,
  listInvitations,
  listMembers,
  type MemberOutcome,
  RemoveMemberInput,
  removeMember,
} from "../../../people/members.ts";
import { plain, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { moneyWords } from "../amounts.ts";
import { type ListedTable, listedTable } from "../listed_table.tsx";
import { type Change, type Form, idOf, type Visit } from "../visit.ts";
import { nameOfAccount } from "./account_frame.tsx";
import { operatorAct } from "./operator_act.ts";

/** Those who were invited and have not accepted yet. */
export function readInvitations(
  { operator: { database } }: Visit,
  accountId: string,
): Promise<readonly InvitationOutcome[]> {
  return listInvitations(database, { accountId });
}

export function membersTable(visit: Visit): ListedTable {
  return listedTable<MemberOutcome>(visit, {
    name: "members",
    label: "Members",
    rows: 1,
    by: "members_cursor",
    empty: "No members. This account is used only with keys.",
    read: async () => ({
      entries: await listMembers(visit.operator.database, idOf(visit)),
      nextCursor: null,
    }),
    columns: [
      { head: "Name", text: (row) => row.name },
      { head: "Address", text: (row) => row.address },
      { head: "Role", text: (row) => row.role },
      { head: "Since", kind: "when", text: (row) => row.since },
    ],
    buttons: [
      {
        head: "Remove",
        cell: (row) => (
          <ActForm
            hidden={{ person: row.person_id, person_name: row.name }}
            buttons={[{ act: "remove_member", text: "Remove", tone: "danger" }]}
          />
        ),
      },
    ],
  });
}

interface MembersPartProps {
  readonly invitations: readonly InvitationOutcome[];
  readonly form: Form | undefined;
}

/** Those who are invited, and a new invitation. */
export function MembersPart({ invitations, form }: MembersPartProps) {
  return (
    <>
      {invitations.length > 0 && (
        <ul>
          {invitations.map(({ address, role, expires_at: end }) => (
            <li>
              <Text of={address} /> is invited as {role} until <Time of={end} />
            </li>
          ))}
        </ul>
      )}
      <ActForm
        form={form}
        fields={[
          { name: "address", label: "Email address", isRequired: true },
          {
            name: "role",
            label: "Role",
            choices: [
              ["owner", "owner"],
              ["member", "member"],
            ],
          },
        ]}
        buttons={[{ act: "invite_member", text: "Invite", tone: "quiet" }]}
      />
    </>
  );
}

export const MEMBER_ACTS: Readonly<Record<string, Change>> = {
  invite_member: operatorAct({
    input: InviteMemberInput,
    given: (visit, form) => ({
      known: { account_id: idOf(visit) },
      typed: { address: form.text("address"), role: form.text("role") },
    }),
    confirm: async (form, visit) =>
      `${form.text("address")} will be invited to ${await nameOfAccount(visit)} as ${form.text("role")} for 7 days. Anyone who verifies this address can act for the account.`,
    run: (operator, input, actor) => inviteMember(operator, input, { actor }),
    done: (visit) => {
      visit.services.mail?.wake();
      return { kind: "go", to: `accounts/${idOf(visit)}/settings`, done: "invited" };
    },
  }),
  remove_member: operatorAct({
    input: RemoveMemberInput,
    given: (visit, form) => ({
      known: { account_id: idOf(visit), person: form.text("person") },
    }),
    confirm: async (form, visit) =>
      `${form.text("person_name")} will be signed out of ${await nameOfAccount(visit)}, and the agents that they connected to it will be disconnected. Keys keep working.`,
    run: removeMember,
    done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}/settings`, done: "removed" }),
  }),
  close: operatorAct({
    input: CloseAccountInput,
    given: (visit) => ({ known: { account_id: idOf(visit) } }),
    async confirm(_, visit) {
      const account = { account_id: idOf(visit) };
      const { name, balance_credits: credits } = await outlineAccount(visit.operator, account);
      const lost = moneyWords(nanosOfCredits(plain(credits)) ?? 0n);
      return `${name} will be closed permanently: its keys, agents and sessions end, its feeds are deleted, its members are removed, and its balance of ${lost} is forfeited. Usage, ledger and audit trail are kept under its ID. This can't be undone.`;
    },
    run: (operator, input, actor) => closeAccount(operator, input, { actor }),
    done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}`, done: "closed" }),
  }),
};
