/** @jsxImportSource preact */
/**
 * The members of an account, and invitations to it.
 *
 * @module
 */
import { present } from "../../../lib/assert.ts";
import { INVITATION_DAYS } from "../../../limits.ts";
import {
  changeMember,
  type InvitationOutcome,
  InviteMemberInput,
  inviteMember,
  listInvitations,
  listMembers,
  type MemberOutcome,
  withdrawInvitation,
} from "../../../people/members.ts";
import { Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { inputOf } from "../form_input.ts";
import type { Form, PageRoute, Visit } from "../visit.ts";
import { isOwner, ownerOf } from "./acting_owner.ts";

export const MEMBERS: PageRoute = {
  path: "members",
  async show(visit, form) {
    const { id: accountId } = present(visit.session.account);
    const { database } = visit.operator;
    const [members, invitations] = await Promise.all([
      listMembers(database, accountId),
      listInvitations(database, { accountId }),
    ]);
    const isByOwner = isOwner(visit);
    return {
      title: "Members",
      content: (
        <>
          <h1>Account members</h1>
          <p class="lead">
            Owners can create keys, invite members, spend credits and close the account. Members can
            view everything and edit feeds.
          </p>
          <Table
            label="Members"
            rows={members}
            columns={[
              {
                head: "Name",
                cell: (row) => (
                  <>
                    <Text of={row.name} />
                    {row.person_id === visit.session.member?.id && <span class="soft"> you</span>}
                  </>
                ),
              },
              { head: "Address", cell: (row) => <Text of={row.address} /> },
              { head: "Role", cell: (row) => row.role },
              { head: "Since", kind: "when", cell: (row) => <Time of={row.since} /> },
              ...(isByOwner
                ? [{ head: "Actions", cell: (row: MemberOutcome) => <MemberButtons of={row} /> }]
                : []),
            ]}
            empty="No members."
          />
          <h2>Invitations</h2>
          <Table
            label="Invitations"
            rows={invitations}
            columns={[
              { head: "Address", cell: (row) => <Text of={row.address} /> },
              { head: "Role", cell: (row) => row.role },
              { head: "Expires", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
              ...(isByOwner
                ? [
                    {
                      head: "Withdraw",
                      cell: ({ id }: InvitationOutcome) => (
                        <ActForm
                          hidden={{ invitation_id: id }}
                          buttons={[{ act: "withdraw", text: "Withdraw", tone: "quiet" }]}
                        />
                      ),
                    },
                  ]
                : []),
            ]}
            empty="No pending invitations."
          />
          {isByOwner && (
            <ActForm
              form={form}
              fields={[
                { name: "address", label: "Email address", isRequired: true },
                {
                  name: "role",
                  label: "Role",
                  choices: [
                    ["member", "member"],
                    ["owner", "owner"],
                  ],
                },
              ]}
              buttons={[{ act: "invite", text: "Invite" }]}
            />
          )}
          {visit.session.member !== undefined && (
            <>
              <h2>Leave</h2>
              <p class="text">
                You lose access to this account immediately, and the agents that you connected to it
                are disconnected. Its keys keep working.
              </p>
              <ActForm buttons={[{ act: "leave", text: "Leave this account", tone: "danger" }]} />
            </>
          )}
        </>
      ),
    };
  },
  acts: {
    invite: {
      isForOwners: true,
      confirm(form, visit) {
        ownerOf(visit);
        const { address, role } = invitationOf(visit, form);
        return `${address} will be invited as ${role === "owner" ? "an owner, who can do everything you can" : "a member"}. The invitation expires after ${INVITATION_DAYS} days.`;
      },
      async run(visit, form) {
        await inviteMember(visit.operator, invitationOf(visit, form), ownerOf(visit));
        visit.services.mail?.wake();
        return { kind: "go", to: "members", done: "invited" };
      },
    },
    withdraw: {
      isForOwners: true,
      confirm: () => "The invitation will be withdrawn.",
      async run(visit, form) {
        const { database } = visit.operator;
        await withdrawInvitation(database, form.text("invitation_id"), ownerOf(visit));
        return { kind: "go", to: "members", done: "withdrawn" };
      },
    },
    role: {
      isForOwners: true,
      confirm: (form) =>
        form.text("role") === "owner"
          ? `${form.text("name")} will be able to do everything you can: create keys, spend credits, remove members and close the account.`
          : `${form.text("name")} will be able to view everything and edit feeds, but nothing else. This applies from the next request.`,
      async run(visit, form) {
        const role = form.text("role") === "owner" ? "owner" : "member";
        await changed(visit, form.text("person_id"), role);
        return { kind: "go", to: "members", done: "edited" };
      },
    },
    remove: {
      isForOwners: true,
      confirm: (form) =>
        `${form.text("name")} will be signed out of this account on every device, and the agents that they connected to it will be disconnected. Keys keep working; rotate those that the person may know.`,
      async run(visit, form) {
        await changed(visit, form.text("person_id"), null);
        return { kind: "go", to: "members", done: "removed" };
      },
    },
    leave: {
      confirm: () =>
        "You will leave this account immediately. To return, you need a new invitation.",
      async run(visit) {
        const { account, member, actor } = visit.session;
        const { id: personId } = present(member);
        const left = { accountId: present(account).id, personId, role: null };
        await changeMember(visit.operator.database, left, { personId, actor });
        return { kind: "go", to: "choose", done: "left" };
      },
    },
  },
};

function MemberButtons({ of }: { readonly of: MemberOutcome }) {
  const hidden = { person_id: of.person_id, name: of.name };
  const role = of.role === "owner" ? "member" : "owner";
  return (
    <div class="row-acts">
      <ActForm
        hidden={{ ...hidden, role }}
        buttons={[{ act: "role", text: `Make ${role}`, tone: "quiet" }]}
      />
      <ActForm hidden={hidden} buttons={[{ act: "remove", text: "Remove", tone: "danger" }]} />
    </div>
  );
}

function invitationOf({ session }: Visit, form: Form) {
  return inputOf(InviteMemberInput, {
    known: { account_id: present(session.account).id },
    typed: { address: form.text("address"), role: form.text("role") },
  });
}

async function changed(visit: Visit, personId: string, role: string | null): Promise<void> {
  const { accountId, ...by } = ownerOf(visit);
  await changeMember(visit.operator.database, { accountId, personId, role }, by);
}
