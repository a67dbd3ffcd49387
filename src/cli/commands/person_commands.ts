/**
 * `person list`, `person find`, `person remove`, `member invite`, `member remove`, `account close`. Beyond 16.
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
  about: "list everybody who has joined with an e-mail address, oldest first",
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
  about: "show a person, by id or e-mail address, and its accounts",
  options: {},
  run: async ({ operator, argument: person }) => answerOf(await showPerson(operator, { person })),
});

const personRemove = databaseCommand({
  words: "person remove",
  argument: "PERSON",
  about: "remove a person, by id or e-mail address, with all that is kept of it; its accounts stay",
  options: {},
  run: async ({ operator, actor, argument: person }) =>
    answerOf(await removePerson(operator, { person }, actor)),
});

const memberInvite = databaseCommand({
  words: "member invite",
  argument: "ADDRESS",
  about: "invite an e-mail address to an account for 7 days; again to renew it",
  options: {
    account: required(ACCOUNT_OPTION),
    role: oneOf(["owner", "member"], "what the person may do; default member"),
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
          ends: invited.expires_at,
        }),
        hasMail
          ? "A running gateway mails the invitation."
          : `Mail is not configured, so tell the person: sign in at ${baseUrl}/console/sign-in.`,
      ].join("\n"),
    };
  },
});

const memberRemove = databaseCommand({
  words: "member remove",
  argument: "PERSON",
  about: "remove a person, by id or e-mail address, from an account; it is signed out at once",
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
  about: "close an account, by id or name: keys, agents and feeds end; usage and ledger stay",
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
      "agreed to the terms": person.agreed_at ?? undefined,
      "signs in by": person.proven_by.join(", "),
      accounts: person.accounts
        .map(({ account_id: id, name, role }) => `${name} (${id}, ${role})`)
        .join("; "),
    }),
  };
}
