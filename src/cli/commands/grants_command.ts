/**
 * `grants`: prints the SQL that lets a database role serve without permission to change the schema.
 *
 * @module
 */
import { present } from "../../lib/assert.ts";
import { grantsFor } from "../../postgres/migrate/grants.ts";
import { databaseCommand } from "../database_command.ts";
import { required, text } from "../options.ts";

/** Maximum length of a PostgreSQL identifier, in bytes. */
const ROLE_LENGTH_MAX = 63;

/** The command `grants`. */
export const grants = databaseCommand({
  words: "grants",
  about: "print SQL that lets a role serve with --no-migrate, to be run by the tables' owner",
  options: {
    role: required(
      text("name of an existing role", {
        placeholder: "NAME",
        lengthMax: ROLE_LENGTH_MAX,
      }),
    ),
  },
  run: async ({ database, values }) => {
    const statements = grantsFor(values.role, present(await database.row("find_home", {})));
    return {
      json: JSON.stringify({ role: values.role, statements }),
      text: statements.join("\n"),
    };
  },
});
