/** @jsxImportSource preact */
/**
 * The accounts of a person, one of which a session uses, and invitations to others.
 *
 * @module
 */
import type { InvitationOutcome } from "../../../people/members.ts";
import type { listMemberships, Person } from "../../../people/person_sessions.ts";
import { Badge, Table, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import type { View } from "../visit.ts";

interface Choice {
  readonly person: Person;
  readonly memberships: Awaited<ReturnType<typeof listMemberships>>;
  readonly invitations: readonly InvitationOutcome[];
  /** The account that the session acts in. */
  readonly current: string | undefined;
  /** Where to go on after the choice. */
  readonly next: string | undefined;
}

export function chooseView({ person, memberships, invitations, current, next }: Choice): View {
  const hidden = next === undefined ? {} : { next };
  return {
    title: "Your accounts",
    content: (
      <>
        <h1>Your accounts</h1>
        <p class="lead">
          Signed in as <Text of={person.address} />.
        </p>
        {invitations.length > 0 && (
          <>
            <h2>Invitations</h2>
            <Table
              label="Invitations"
              rows={invitations}
              columns={[
                { head: "Account", cell: (row) => <Text of={row.account_name} /> },
                { head: "Role", cell: (row) => row.role },
                { head: "Expires", kind: "when", cell: (row) => <Time of={row.expires_at} /> },
                {
                  head: "Answer",
                  cell: (row) => (
                    <ActForm
                      hidden={{ ...hidden, invitation_id: row.id }}
                      buttons={[
                        { act: "accept", text: "Accept" },
                        { act: "decline", text: "Decline", tone: "quiet" },
                      ]}
                    />
                  ),
                },
              ]}
              empty=""
            />
          </>
        )}
        <h2>Accounts</h2>
        <Table
          label="Accounts"
          rows={memberships}
          columns={[
            { head: "Account", cell: ({ account }) => <Text of={account.name} /> },
            { head: "Your role", cell: (row) => row.role },
            {
              head: "Open",
              cell: ({ account, suspensionReason }) =>
                suspensionReason !== undefined ? (
                  <>
                    <Badge tone="bad">suspended</Badge> <Text of={suspensionReason} />
                  </>
                ) : account.id === current ? (
                  <a href="../console">Open now</a>
                ) : (
                  <ActForm
                    hidden={{ ...hidden, account_id: account.id }}
                    buttons={[{ act: "enter", text: "Open" }]}
                  />
                ),
            },
          ]}
          empty="You are not a member of any account. Ask the owner of an account to invite your address."
        />
      </>
    ),
  };
}
