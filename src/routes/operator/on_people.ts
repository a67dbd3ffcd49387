/**
 * Operator API: people, members of accounts, and closing an account.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import { ShowAccountInput } from "../../operator/accounts.ts";
import { findAccount } from "../../operator/references.ts";
import { CloseAccountInput, ClosedAccountShape, closeAccount } from "../../people/close_account.ts";
import {
  InvitationShape,
  InviteMemberInput,
  inviteMember,
  listInvitations,
  listMembers,
  MemberShape,
  RemovedMemberShape,
  RemoveMemberInput,
  removeMember,
} from "../../people/members.ts";
import {
  FindPersonInput,
  ListPersonsInput,
  listPersons,
  PersonShape,
  removePerson,
  showPerson,
} from "../../people/persons.ts";
import { ACCOUNT_PROBLEMS, defineList, defineRoute, done, made } from "./define_route.ts";
import { INVITATION, MEMBER, PERSON } from "./operator_examples.ts";

const PERSON_ANSWER = { shape: PersonShape, example: PERSON };
const BY_PERSON = { id: "person" };
const BY_ACCOUNT = { id: "account_id" };

const MembersShape = Type.Object(
  {
    members: Type.Array(MemberShape, { description: "Owners first." }),
    invitations: Type.Array(InvitationShape, { description: "Invitations that can be accepted." }),
  },
  { $id: "Members", description: "The members and open invitations of an account." },
);

export const PEOPLE_ROUTES = [
  defineList({
    path: "/persons",
    operationId: "listPersons",
    summary: "List people",
    description: "Everyone who has signed up with an email address, oldest first.",
    input: ListPersonsInput,
    name: "persons",
    $id: "PersonList",
    entry: PERSON_ANSWER,
    problems: [],
    list: listPersons,
  }),
  defineRoute({
    method: "GET",
    path: "/persons/:id",
    operationId: "showPerson",
    summary: "Find a person by id or email address",
    input: FindPersonInput,
    names: BY_PERSON,
    answers: { 200: PERSON_ANSWER },
    problems: ["PERSON_NOT_FOUND"],
    act: async ({ operator }, input) => done(await showPerson(operator, input)),
  }),
  defineRoute({
    method: "DELETE",
    path: "/persons/:id",
    operationId: "removePerson",
    summary: "Remove a person",
    description:
      "Deletes all data stored about the person and ends all of the person's sessions. Accounts and their keys are kept.",
    input: FindPersonInput,
    names: BY_PERSON,
    answers: { 200: PERSON_ANSWER },
    problems: ["PERSON_NOT_FOUND", "LAST_OWNER"],
    act: async ({ operator, actor }, input) => done(await removePerson(operator, input, actor)),
  }),
  defineRoute({
    method: "GET",
    path: "/accounts/:id/members",
    operationId: "listMembers",
    summary: "List an account's members and open invitations",
    input: ShowAccountInput,
    names: BY_ACCOUNT,
    answers: {
      200: { shape: MembersShape, example: { members: [MEMBER], invitations: [INVITATION] } },
    },
    problems: ACCOUNT_PROBLEMS,
    async act({ operator: { database } }, input) {
      const { account_id: accountId } = await findAccount(database, input.account_id);
      const [members, invitations] = await Promise.all([
        listMembers(database, accountId),
        listInvitations(database, { accountId }),
      ]);
      return done({ members, invitations });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/accounts/:id/members",
    operationId: "inviteMember",
    summary: "Invite an email address to an account",
    description:
      "For 7 days; a second invitation renews the first. Anyone who verifies the address can accept it in the console. If mail is configured, the invitation is emailed, at most once per hour.",
    input: InviteMemberInput,
    names: BY_ACCOUNT,
    example: { address: "ada@example.com", role: "owner" },
    isSafeToRepeat: true,
    answers: { 201: { shape: InvitationShape, example: INVITATION } },
    problems: [
      ...ACCOUNT_PROBLEMS,
      "ACCOUNT_CLOSED",
      "ADDRESS_INVALID",
      "MEMBER_EXISTS",
      "INVITATIONS_LIMIT",
    ],
    act: async ({ operator, actor }, input) => made(await inviteMember(operator, input, { actor })),
  }),
  defineRoute({
    method: "DELETE",
    path: "/accounts/:id/members/:person",
    operationId: "removeMember",
    summary: "Remove a member of an account",
    description:
      "The member is signed out of the account immediately, and the agents that they connected are disconnected. The last owner can be removed only as the last member.",
    input: RemoveMemberInput,
    names: { ...BY_ACCOUNT, person: "person" },
    answers: {
      200: {
        shape: RemovedMemberShape,
        example: { account_id: INVITATION.account_id, person_id: MEMBER.person_id },
      },
    },
    problems: [...ACCOUNT_PROBLEMS, "PERSON_NOT_FOUND", "MEMBER_NOT_FOUND", "LAST_OWNER"],
    act: async ({ operator, actor }, input) => done(await removeMember(operator, input, actor)),
  }),
  defineRoute({
    method: "POST",
    path: "/accounts/:id/close",
    operationId: "closeAccount",
    summary: "Close an account",
    description:
      "Its keys, agents and sessions end, its feeds are deleted, and members without another account are removed. Usage, ledger and audit trail are kept under its id, without names. This can't be undone.",
    input: CloseAccountInput,
    names: BY_ACCOUNT,
    isSafeToRepeat: true,
    answers: {
      200: {
        shape: ClosedAccountShape,
        example: { id: INVITATION.account_id, is_closed: true },
      },
    },
    problems: [...ACCOUNT_PROBLEMS, "ACCOUNT_OWED"],
    act: async ({ operator, actor }, input) => done(await closeAccount(operator, input, { actor })),
  }),
];
