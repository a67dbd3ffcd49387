/** @jsxImportSource preact */
/**
 * The members of an account, as an operator sees and changes them, and closing the account.
 *
 * @module
 */
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
import { Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { type Change, type Form, idOf, type Visit } from "../visit.ts";
import { operatorAct } from "./operator_act.ts";

export interface AccountMembers {
  readonly members: readonly MemberOutcome[];
  readonly invitations: readonly InvitationOutcome[];
}

export async function readMembers(
  { operator: { database } }: Visit,
  accountId: string,
): Promise<AccountMembers> {
  const [members, invitations] = await Promise.all([
    listMembers(database, accountId),
    listInvitations(database, { accountId }),
  ]);
  return { members, invitations };
}

interface MembersPartProps {
  readonly of: AccountMembers;
  readonly form: Form | undefined;
}

export function MembersPart({ of: { members, invitations }, form }: MembersPartProps) {
  return (
    <>
      <h2>Members</h2>
      <Table
        label="Members"
        rows={members}
        columns={[
          { head: "Name", cell: (row) => <Text of={row.name} /> },
          { head: "Address", cell: (row) => <Text of={row.address} /> },
          { head: "Role", cell: (row) => row.role },
          { head: "Since", kind: "when", cell: (row) => <Time of={row.since} /> },
          {
            head: "Remove",
            cell: (row) => (
              <ActForm
                hidden={{ person: row.person_id, person_name: row.name }}
                buttons={[{ act: "remove_member", text: "Remove", tone: "danger" }]}
              />
            ),
          },
        ]}
        empty="Nobody signs in to this account with an e-mail address. It is used with keys alone."
      />
      {invitations.length > 0 && (
        <ul>
          {invitations.map(({ address, role, expires_at: end }) => (
            <li>
              <Text of={address} /> is invited as {role}, until <Time of={end} />
            </li>
          ))}
        </ul>
      )}
      <ActForm
        form={form}
        fields={[
          { name: "address", label: "E-mail address", isRequired: true },
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
    confirm: (form) =>
      `${form.text("address")} is invited as ${form.text("role")} for 7 days: whoever proves this address may act in the account.`,
    run: (operator, input, actor) => inviteMember(operator, input, { actor }),
    done: (visit) => {
      visit.services.mail?.wake();
      return { kind: "go", to: `accounts/${idOf(visit)}`, done: "invited" };
    },
  }),
  remove_member: operatorAct({
    input: RemoveMemberInput,
    given: (visit, form) => ({
      known: { account_id: idOf(visit), person: form.text("person") },
    }),
    confirm: (form) =>
      `${form.text("person_name")} is signed out of this account at once, and the agents that this person connected to it end. Keys stay.`,
    run: removeMember,
    done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}`, done: "removed" }),
  }),
  close: operatorAct({
    input: CloseAccountInput,
    given: (visit) => ({ known: { account_id: idOf(visit) } }),
    confirm: () =>
      "The account is closed for good: its keys, agents and sessions end, its feeds are deleted, its members leave, and its credits are lost. Usage, ledger and audit trail stay under its id. This can't be undone.",
    run: (operator, input, actor) => closeAccount(operator, input, { actor }),
    done: (visit) => ({ kind: "go", to: `accounts/${idOf(visit)}`, done: "closed" }),
  }),
};
