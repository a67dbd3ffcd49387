/**
 * Persons, as operators list, find and remove them, and the data that is stored about each. See `src/spec/beyond.md`,
 * section 16.
 *
 * @module
 */
import { type Static, Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { present } from "../lib/assert.ts";
import { parseMailAddress } from "../lib/mail_address.ts";
import { nullable, oneOf, text } from "../lib/typebox.ts";
import { parseUuid } from "../lib/uuid.ts";
import { PAGE_INPUT, type Page, readPage } from "../operator/keyset_page.ts";
import type { InputOf, Operator } from "../operator/operator.ts";
import { findPlace } from "../operator/references.ts";
import { Refused } from "../operator/refused.ts";
import type { Database, Row } from "../postgres/client/database.ts";
import { time, uuid } from "../shapes.ts";
import { ROLES } from "./person_sessions.ts";

export const personReference = text({
  minLength: 1,
  maxLength: 254,
  description: "The person, by id or email address.",
  examples: ["ada@example.com"],
});

export const PersonShape = Type.Object(
  {
    id: uuid("Of the person."),
    address: Type.String({ description: "The person's verified email address." }),
    name: Type.String({ description: "The person's display name." }),
    created_at: time("When the person signed up."),
    agreed_at: nullable(
      time("When the person agreed to the operator's terms. Null: there were none."),
    ),
    proven_by: Type.Array(Type.String({ description: "`mail`, or an OpenID Connect issuer." }), {
      description: "What verified the address.",
    }),
    accounts: Type.Array(
      Type.Object({
        account_id: uuid("Of the account."),
        name: Type.String({ description: "Its name." }),
        role: oneOf(ROLES, { description: "The person's role there." }),
      }),
      { description: "The accounts that the person is a member of." },
    ),
  },
  { $id: "Person", description: "A person who signs in with a verified email address." },
);
export type PersonOutcome = Static<typeof PersonShape>;

export const ListPersonsInput = Type.Object(PAGE_INPUT);

/** Oldest first. The cursor is a person's id. */
export async function listPersons(
  { database }: Operator,
  { limit, cursor }: InputOf<typeof ListPersonsInput>,
): Promise<Page<PersonOutcome>> {
  const after = await findPlace(database, { cursor, find: findPerson });
  return readPage(limit, {
    read: (rowsMax) =>
      database.rows("list_persons", {
        person_id: null,
        address_key: null,
        after_person_id: after?.person_id ?? null,
        limit: rowsMax,
      }),
    cursorOf: (row) => row.person_id,
    entryOf: outcomeOf,
  });
}

export const FindPersonInput = Type.Object({ person: personReference });

export async function showPerson(
  { database }: Operator,
  { person }: InputOf<typeof FindPersonInput>,
): Promise<PersonOutcome> {
  return outcomeOf(await findPerson(database, person));
}

/** A person by id or address. @throws {Refused} if there is none */
export async function findPerson(database: Database, given: string): Promise<Row<"list_persons">> {
  const personId = parseUuid(given);
  const address = personId === undefined ? parseMailAddress(given) : undefined;
  const row =
    personId === undefined && address === undefined
      ? undefined
      : await database.row("list_persons", {
          person_id: personId ?? null,
          address_key: address?.key ?? null,
          after_person_id: null,
          limit: 1,
        });
  if (row !== undefined) return row;
  throw new Refused("PERSON_NOT_FOUND", `there is no person "${given}"`);
}

/** Removes a person with all that is kept of it. Its accounts stay. @throws {Refused} */
export async function removePerson(
  { database }: Operator,
  { person }: InputOf<typeof FindPersonInput>,
  actor: Actor,
): Promise<PersonOutcome> {
  const row = await findPerson(database, person);
  const removed = present(await database.row("remove_person", { person_id: row.person_id, actor }));
  if (removed.outcome === "last_owner") {
    throw new Refused(
      "LAST_OWNER",
      `the person is the last owner of account ${removed.account_id}, which has other members; remove them first, or have the owner make another member an owner`,
    );
  }
  return outcomeOf(row);
}

function outcomeOf(row: Row<"list_persons">): PersonOutcome {
  return {
    id: row.person_id,
    address: row.address,
    name: row.name,
    created_at: row.created_at,
    agreed_at: row.agreed_at,
    proven_by: [
      ...(row.mail_proven_at === null ? [] : ["mail"]),
      ...row.issuers.split(" ").filter(Boolean),
    ],
    accounts: JSON.parse(row.accounts) as PersonOutcome["accounts"],
  };
}
