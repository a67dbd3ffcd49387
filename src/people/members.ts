/**
 * Members of accounts: listing, inviting and removing them, and their roles. See `src/spec/beyond.md`, section 16.
 *
 * Owners and operators call the same functions. For an owner, `by` is set, and the database checks under the account's
 * lock that this person is still an owner. For an operator, `by` is undefined.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { nameIn, present, unreachable } from "../lib/assert.ts";
import { type MailAddress, parseMailAddress } from "../lib/mail_address.ts";
import { oneOf, text } from "../lib/typebox.ts";
import { parseUuid } from "../lib/uuid.ts";
import {
  INVITATION_DAYS,
  INVITATION_MAILS_LIMIT,
  INVITATIONS_MAX,
  INVITATIONS_OF_ADDRESS_LIMIT,
} from "../limits.ts";
import { accountReference } from "../operator/common_shapes.ts";
import type { InputOf } from "../operator/operator.ts";
import { findAccount, findOpenAccount } from "../operator/references.ts";
import { Refused } from "../operator/refused.ts";
import type { Linking } from "../operator/sign_in_links.ts";
import type { Database } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";
import { invitationMail } from "./mail/templates.tsx";
import { memberRoleOf, ROLES } from "./person_sessions.ts";
import { findPerson, personReference } from "./persons.ts";

const role = oneOf(ROLES, {
  description:
    "owner: manages keys, members, credits and feeds, and can close the account; member: views everything, edits feeds.",
});

export const MemberShape = Type.Object(
  {
    person_id: uuid("Of the person."),
    name: Type.String({ description: "The person's display name." }),
    address: Type.String({ description: "The person's verified email address." }),
    role,
    since: time("When the person became a member."),
  },
  { $id: "Member", description: "A person who can act for an account." },
);
export type MemberOutcome = Static<typeof MemberShape>;

export const InvitationShape = Type.Object(
  {
    id: uuid("Of the invitation."),
    account_id: uuid("Of the account."),
    account_name: Type.String({ description: "Its name." }),
    address: Type.String({ description: "The invited email address." }),
    role,
    created_at: time("When it was last sent."),
    expires_at: time("When it expires."),
  },
  { $id: "Invitation", description: "An invitation to become a member of an account." },
);
export type InvitationOutcome = Static<typeof InvitationShape>;

/** Owners first, then by name. */
export async function listMembers(
  database: Database,
  accountId: string,
): Promise<readonly MemberOutcome[]> {
  const rows = await database.rows("list_members", { account_id: accountId });
  return rows.map((row) => ({ ...row, role: memberRoleOf(row.role) }));
}

/** Those that may still be accepted: to an account, or for an address. */
export async function listInvitations(
  database: Database,
  whose: { readonly accountId: string } | { readonly addressKey: string },
): Promise<readonly InvitationOutcome[]> {
  const rows = await database.rows("list_invitations", {
    account_id: "accountId" in whose ? whose.accountId : null,
    address_key: "addressKey" in whose ? whose.addressKey : null,
  });
  return rows.map(({ invitation_id: id, ...row }) => ({
    id,
    ...row,
    role: memberRoleOf(row.role),
  }));
}

/** Who acts for an account. */
export interface By {
  /** An owner; undefined for an operator. */
  readonly personId?: string | undefined;
  readonly actor: Actor;
}

export const InviteMemberInput = Type.Object({
  account_id: accountReference,
  address: text({
    minLength: 3,
    maxLength: 254,
    description: "The email address to invite.",
  }),
  role: Type.Optional(role),
});

/** Where an invitation is made. */
export interface Inviting extends Linking {
  /** Whether mail is configured. If not, the inviter has to notify the person. */
  readonly hasMail: boolean;
}

/** Invites an address. A second invitation renews the first. @throws {Refused} */
export async function inviteMember(
  { database, baseUrl, hasMail }: Inviting,
  input: InputOf<typeof InviteMemberInput>,
  { personId, actor }: By,
): Promise<InvitationOutcome> {
  const account = await findOpenAccount(database, input.account_id);
  const { address, key } = requireAddress(input.address);
  const role = input.role ?? "member";
  const mail = hasMail
    ? invitationMail({
        accountName: account.name,
        role,
        signInUrl: `${baseUrl}/console/sign-in`,
        days: INVITATION_DAYS,
      })
    : undefined;
  const invited = present(
    await database.row("invite_member", {
      account_id: account.account_id,
      person_id: personId ?? null,
      address,
      address_key: key,
      role,
      lifetime: `${INVITATION_DAYS} days`,
      invitations_max: INVITATIONS_MAX,
      address_max: INVITATIONS_OF_ADDRESS_LIMIT,
      account_max: INVITATION_MAILS_LIMIT,
      mail_subject: mail?.subject ?? null,
      mail_text: mail?.text ?? null,
      mail_html: mail?.html ?? null,
      actor,
    }),
  );
  switch (invited.outcome) {
    case "not_owner":
      throw ownerRequired();
    case "closed":
      throw new Refused("ACCOUNT_CLOSED", "the account is closed and can't have new members");
    case "is_member":
      throw new Refused("MEMBER_EXISTS", `${address} is already a member of the account`);
    case "limited":
      throw new Refused(
        "INVITATIONS_LIMIT",
        `the account has reached its limit of ${INVITATIONS_MAX} open invitations; withdraw one first`,
      );
    default:
      // As it was made: by now it may be withdrawn, or its account closed.
      return {
        id: present(invited.invitation_id),
        account_id: account.account_id,
        account_name: account.name,
        address,
        role,
        created_at: present(invited.created_at),
        expires_at: present(invited.expires_at),
      };
  }
}

/** @throws {Refused} if it is no address */
export function requireAddress(typed: string): MailAddress {
  const address = parseMailAddress(typed);
  if (address !== undefined) return address;
  throw new Refused("ADDRESS_INVALID", "enter a valid email address, such as ada@example.com");
}

/** Takes an invitation back, or declines it, if it is to the person's own address. @throws {Refused} */
export async function withdrawInvitation(
  database: Database,
  invitationId: string,
  { personId, actor }: By,
): Promise<void> {
  const withdrawn = present(
    await database.row("withdraw_invitation", {
      invitation_id: invitationIdOf(invitationId),
      person_id: personId ?? null,
      actor,
    }),
  );
  if (withdrawn.outcome === "not_found") throw invitationNotFound();
}

/** Makes a person a member of the account to which it was invited. Returns the account's id. @throws {Refused} */
export async function acceptInvitation(
  database: Database,
  { invitationId, personId }: { readonly invitationId: string; readonly personId: string },
): Promise<string> {
  const accepted = present(
    await database.row("accept_invitation", {
      invitation_id: invitationIdOf(invitationId),
      person_id: personId,
    }),
  );
  if (accepted.outcome === "not_found") throw invitationNotFound();
  return present(accepted.account_id);
}

function invitationIdOf(text: string): string {
  const invitationId = parseUuid(text);
  if (invitationId === undefined) throw invitationNotFound();
  return invitationId;
}

interface ChangedMember {
  readonly accountId: string;
  readonly personId: string;
  /** Null removes the member. */
  readonly role: string | null;
}

/** Changes a member's role, or removes the member. @throws {Refused} */
export async function changeMember(
  database: Database,
  { accountId, personId, role }: ChangedMember,
  by: By,
): Promise<void> {
  const memberId = parseUuid(personId);
  if (memberId === undefined) throw memberNotFound();
  const changed = present(
    await database.row("change_member", {
      account_id: accountId,
      person_id: memberId,
      role,
      acting_person: by.personId ?? null,
      actor: by.actor,
    }),
  );
  const outcome = nameIn(["changed", "not_owner", "not_member", "last_owner"], changed.outcome);
  switch (outcome) {
    case "changed":
      return;
    case "not_owner":
      throw ownerRequired();
    case "not_member":
      throw memberNotFound();
    case "last_owner":
      throw lastOwner();
    default:
      return unreachable(outcome);
  }
}

export const RemoveMemberInput = Type.Object({
  account_id: accountReference,
  person: personReference,
});

export const RemovedMemberShape = Type.Object(
  { account_id: uuid("Of the account."), person_id: uuid("Of the person.") },
  { $id: "RemovedMember", description: "The removed member and the account." },
);

/** An operator's removal of a member. @throws {Refused} */
export async function removeMember(
  { database }: Pick<Linking, "database">,
  { account_id: account, person }: InputOf<typeof RemoveMemberInput>,
  actor: Actor,
): Promise<Static<typeof RemovedMemberShape>> {
  const { account_id: accountId } = await findAccount(database, account);
  const { person_id: personId } = await findPerson(database, person);
  await changeMember(database, { accountId, personId, role: null }, { actor });
  return { account_id: accountId, person_id: personId };
}

export function ownerRequired(): Refused {
  return new Refused("OWNER_REQUIRED", "only an owner of the account can do that; ask an owner");
}

export function lastOwner(): Refused {
  return new Refused(
    "LAST_OWNER",
    "an account with members needs an owner; make another member an owner first",
  );
}

function memberNotFound(): Refused {
  return new Refused("MEMBER_NOT_FOUND", "the account has no member with this id or address");
}

function invitationNotFound(): Refused {
  return new Refused(
    "INVITATION_NOT_FOUND",
    "there is no such invitation; it may have expired, or been withdrawn or accepted",
  );
}
