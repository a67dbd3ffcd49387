/**
 * The owner who acts on a page of an account.
 *
 * @module
 */
import { present } from "../../../lib/assert.ts";
import type { Owner } from "../../../people/account_keys.ts";
import { ownerRequired } from "../../../people/members.ts";
import type { Visit } from "../visit.ts";

/** @throws {Refused} for a member, and for whoever has signed in with a key */
export function ownerOf({ session: { account, actor, member } }: Visit): Owner {
  if (member?.role !== "owner") throw ownerRequired();
  return { accountId: present(account).id, personId: member.id, actor };
}

/** Whether the visitor is an owner who has signed in with an address. */
export function isOwner({ session }: Visit): boolean {
  return session.member?.role === "owner";
}
