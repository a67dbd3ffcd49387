/** @jsxImportSource preact */
/**
 * The data that the gateway stores about a person: shown, changed, and downloaded.
 *
 * @module
 */
import type { AddressInvitation } from "../../../access/account_access.ts";
import type { InvitationOutcome } from "../../../people/members.ts";
import type { PersonOutcome } from "../../../people/persons.ts";
import type { Row } from "../../../postgres/client/database.ts";
import { Facts, Text, Time } from "../../layout/parts.tsx";
import { ActForm } from "../act_form.tsx";
import { SignOutEverywhere } from "../frame.tsx";
import type { Form, View } from "../visit.ts";

export function aboutYouView(person: PersonOutcome, form?: Form): View {
  return {
    title: "Your profile",
    content: (
      <>
        <h1>Your profile</h1>
        <Facts
          of={{
            "Email address": <Text of={person.address} />,
            "Sign-in methods": <Text of={person.proven_by.join(", ")} />,
            Joined: <Time of={person.created_at} />,
            "Agreed to the terms": person.agreed_at !== null && <Time of={person.agreed_at} />,
            Accounts: <a href="choose">{person.accounts.length}</a>,
          }}
        />
        <ActForm
          form={form}
          fields={[{ name: "name", label: "Name", value: person.name, isRequired: true }]}
          buttons={[{ act: "rename", text: "Save", tone: "quiet" }]}
        />
        <SignOutEverywhere root=".." tone="quiet" />
        <h2>Your data</h2>
        <p class="text">
          The gateway stores your name and address, how you sign in, when you agreed to the terms,
          your accounts, and your recent sign-ins, open sessions and invitations. It deletes this
          data when your last account is closed, or when you ask the operator to delete it.
        </p>
        <p>
          <a class="button quiet" href="?download=json">
            Download as JSON
          </a>
        </p>
      </>
    ),
  };
}

interface AlsoKept {
  readonly invitations: readonly InvitationOutcome[];
  /** To read feeds. */
  readonly feed_invitations: readonly AddressInvitation[];
  readonly sessions: readonly Row<"list_person_sessions">[];
  readonly sign_ins: readonly Row<"list_person_proofs">[];
  readonly mail_choices: readonly Row<"list_person_mail_choices">[];
}

/** All of it, as JSON. */
export function personText(person: PersonOutcome, also: AlsoKept): string {
  return `${JSON.stringify({ ...person, ...also }, undefined, 2)}\n`;
}
