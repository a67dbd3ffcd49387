/**
 * `migrate`: applies pending migrations and lists them. Every other command that opens the database also applies them.
 *
 * @module
 */
import { databaseCommand } from "../database_command.ts";

/** The command `migrate`. */
export const migrate = databaseCommand({
  words: "migrate",
  about: "bring the database's schema up to date",
  makesDatabase: true,
  options: {},
  run: async ({ migrated: { migrations, functions } }) => {
    const done = [
      ...migrations.map((name) => `applied ${name}`),
      ...(functions ? ["added this version's functions"] : []),
    ];
    return {
      json: JSON.stringify({ migrations, functions }),
      text: done.length === 0 ? "the schema is up to date" : done.join("\n"),
    };
  },
});
