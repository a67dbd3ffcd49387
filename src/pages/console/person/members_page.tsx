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
          <h1>Members of this account</h1>
          <p class="lead">
            Owners make keys, invite members, spend money and close the account. Members see all of
            it, and change its feeds.
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
                ? [{ head: "Change", cell: (row: MemberOutcome) => <MemberButtons of={row} /> }]
                : []),
            ]}
            empty="Nobody."
          />
          <h2>Invitations</h2>
          <Table
            label="Invitations"
            rows={invitations}
            columns={[
              { head: "Address", cell: (row) => <Text of={row.address} /> },
              { head: "Role", cell: (row) => row.role },
              { head: "Ends", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
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
            empty="Nobody is invited at present."
          />
          {isByOwner && (
            <ActForm
              form={form}
              fields={[
                { name: "address", label: "E-mail address", isRequired: true },
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
                You lose access to this account at once, and the agents that you have connected to
                it end. Its keys stay.
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
        return `${address} is invited as ${role === "owner" ? "an owner, who can do everything you can" : "a member"}, for ${INVITATION_DAYS} days.`;
      },
      async run(visit, form) {
        await inviteMember(visit.operator, invitationOf(visit, form), ownerOf(visit));
        visit.services.mail?.wake();
        return { kind: "go", to: "members", done: "invited" };
      },
    },
    withdraw: {
      isForOwners: true,
      confirm: () => "The invitation can no longer be accepted.",
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
          ? `${form.text("name")} can do everything you can: make keys, spend credits, remove members, and close the account.`
          : `${form.text("name")} will see everything and can change feeds, and can do nothing else from the next request on.`,
      async run(visit, form) {
        const role = form.text("role") === "owner" ? "owner" : "member";
        await changed(visit, form.text("person_id"), role);
        return { kind: "go", to: "members", done: "edited" };
      },
    },
    remove: {
      isForOwners: true,
      confirm: (form) =>
        `${form.text("name")} is signed out of this account at once, on every device, and the agents that this person connected to it end. Keys stay: rotate those that the person may know.`,
      async run(visit, form) {
        await changed(visit, form.text("person_id"), null);
        return { kind: "go", to: "members", done: "removed" };
      },
    },
    leave: {
      confirm: () => "You leave this account immediately. To come back, you need a new invitation.",
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
