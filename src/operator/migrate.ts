/**
 * `migrate`: applies what is missing, and says what. Every other command does the same on its way.
 * Decisions 8.
 *
 * @module
 */
import { openDatabase } from "../server.ts";
import { command } from "./command.ts";

const migrate = command({
  words: "migrate",
  about: "apply what is missing from the database's schema",
  options: {},
  run: async ({ config }) => {
    const { migrated, close } = await openDatabase(config, { statementTimeoutMs: 0 });
    await close();
    const { migrations, functions } = migrated;
    const done = [
      ...migrations.map((name) => `applied ${name}`),
      ...(functions ? ["added this version's functions"] : []),
    ];
    return {
      json: JSON.stringify({ migrations, functions }),
      text: done.length === 0 ? "nothing was missing" : done.join("\n"),
    };
  },
});

export const MIGRATE_COMMANDS = [migrate];
