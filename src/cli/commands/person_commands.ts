/**
 * `person list`, `person find`, `person remove`, `member invite`, `member remove`, `account close`.
 *
 * See `src/spec/beyond.md`, section 16.
 *
 * @module
 */
import { closeAccount } from "../../people/close_account.ts";
import { inviteMember, removeMember } from "../../people/members.ts";
import { listPersons, type PersonOutcome, removePerson, showPerson } from "../../people/persons.ts";
import type { Answer } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { AFTER_OPTION, LIMIT_OPTION, listAnswer } from "../list_page.ts";
import { ACCOUNT_OPTION, oneOf, required } from "../options.ts";
import { fields } from "../output.ts";
import { findUrls } from "./console_command.ts";

const personList = databaseCommand({
  words: "person list",
  about: "list the people who have signed up, oldest first",
  options: { limit: LIMIT_OPTION, after: AFTER_OPTION },
  run: async ({ operator, values: { limit, after } }) =>
    listAnswer(await listPersons(operator, { limit, cursor: after }), {
      ID: (row) => row.id,
      ADDRESS: (row) => row.address,
      NAME: (row) => row.name,
      ACCOUNTS: (row) => row.accounts.length,
      JOINED: (row) => row.created_at,
    }),
});

const personFind = databaseCommand({
  words: "person find",
  argument: "PERSON",
  about: "show a person, by id or email address, and their accounts",
  options: {},
  run: async ({ operator, argument: person }) => answerOf(await showPerson(operator, { person })),
});

const personRemove = databaseCommand({
  words: "person remove",
  argument: "PERSON",
  about: "remove a person, by id or email address, and all their personal data; accounts stay",
  options: {},
  run: async ({ operator, actor, argument: person }) =>
    answerOf(await removePerson(operator, { person }, actor)),
});

const memberInvite = databaseCommand({
  words: "member invite",
  argument: "ADDRESS",
  about: "invite an email address to an account for 7 days; repeat to renew the invitation",
  options: {
    account: required(ACCOUNT_OPTION),
    role: oneOf(["owner", "member"], "role in the account; default member"),
  },
  run: async ({ config, operator, actor, values: { account, role }, argument: address }) => {
    const { clients: baseUrl } = findUrls(config);
    const hasMail = config.mail !== undefined;
    const inviting = { ...operator, baseUrl, hasMail };
    const invited = await inviteMember(inviting, { account_id: account, address, role }, { actor });
    return {
      json: JSON.stringify(invited),
      text: [
        fields({
          invitation: invited.id,
          address: invited.address,
          account: `${invited.account_name} (${invited.account_id})`,
          role: invited.role,
          expires: invited.expires_at,
        }),
        hasMail
          ? "A running gateway sends the invitation by email."
          : `Mail is not configured. Ask the person to sign in at ${baseUrl}/console/sign-in.`,
      ].join("\n"),
    };
  },
});

const memberRemove = databaseCommand({
  words: "member remove",
  argument: "PERSON",
  about: "remove a person, by id or email address, from an account, and sign them out of it",
  options: { account: required(ACCOUNT_OPTION) },
  run: async ({ operator, actor, values: { account }, argument: person }) => {
    const removed = await removeMember(operator, { account_id: account, person }, actor);
    return {
      json: JSON.stringify(removed),
      text: fields({ account: removed.account_id, removed: removed.person_id }),
    };
  },
});

const accountClose = databaseCommand({
  words: "account close",
  argument: "ID",
  about: "permanently close an account, by id or name, with its keys, agents and feeds",
  options: {},
  run: async ({ operator, actor, argument: account }) => {
    const closed = await closeAccount(operator, { account_id: account }, { actor });
    return { json: JSON.stringify(closed), text: fields({ account: closed.id, closed: "yes" }) };
  },
});

export const PERSON_COMMANDS = [
  accountClose,
  personList,
  personFind,
  personRemove,
  memberInvite,
  memberRemove,
];

function answerOf(person: PersonOutcome): Answer {
  return {
    json: JSON.stringify(person),
    text: fields({
      person: person.id,
      address: person.address,
      name: person.name,
      joined: person.created_at,
      "accepted terms": person.agreed_at ?? undefined,
      "signs in with": person.proven_by.join(", "),
      accounts: person.accounts
        .map(({ account_id: id, name, role }) => `${name} (${id}, ${role})`)
        .join("; "),
    }),
  };
}
