/**
 * `migrate`: applies what is missing, and says what. Every other command does the same on its way.
 * Decisions 8. With `--distribute` it also spreads the rows of feeds over a Citus cluster.
 *
 * @module
 */
import type { Config } from "../config.ts";
import { withConnection } from "../postgres/client/connect.ts";
import { distributeRows, findObstacle } from "../postgres/migrate/distribute.ts";
import { RefusedError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { flag } from "./options.ts";

/** The command `migrate`. */
export const migrate = databaseCommand({
  words: "migrate",
  about: "apply what is missing from the database's schema",
  makesDatabase: true,
  options: {
    distribute: flag("experimental, not for use: on a Citus cluster, pushes into collections fail"),
  },
  check: async ({ config, values }) => {
    if (values.distribute === true) await refuseObstacle(config);
  },
  run: async ({ address, migrated, values }) => {
    const { migrations, functions } = migrated;
    let isDistributed = migrated.isDistributed;
    const done = [
      ...migrations.map((name) => `applied ${name}`),
      ...(functions ? ["added this version's functions"] : []),
    ];
    if (values.distribute === true && !isDistributed) {
      isDistributed = await withConnection(address, distributeRows);
      done.push("distributed the rows of feeds by feed_id");
    }
    return {
      json: JSON.stringify({ migrations, functions, distributed: isDistributed }),
      text: done.length === 0 ? "nothing was missing" : done.join("\n"),
    };
  },
});

/** Before anything is changed. @throws {RefusedError} */
async function refuseObstacle({ databaseUrl, isDatabasePooled }: Config): Promise<void> {
  if (databaseUrl === undefined) {
    throw new RefusedError(
      "--distribute needs a Citus cluster, which the embedded database is not: set DATABASE_URL to its coordinator",
    );
  }
  const address = { url: databaseUrl, isPooled: isDatabasePooled };
  const obstacle = await withConnection(address, findObstacle);
  if (obstacle !== undefined) throw new RefusedError(obstacle);
}
