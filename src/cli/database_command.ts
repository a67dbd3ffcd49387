/**
 * Commands that open the database. Each one connects to the database or starts it, migrates it, and always closes it
 * again. Only commands that may create a database create tables in one that has tables of another program.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { type Actor, shellActor } from "../accounts/actor.ts";
import { OPERATOR_STATEMENT_MS_MAX } from "../limits.ts";
import type { Operator } from "../operator/operator.ts";
import { IS_STARTED_BY_ROOT } from "../postgres/embedded/owner.ts";
import { type OpenedDatabase, openDatabase } from "../postgres/open_database.ts";
import {
  type Answer,
  type Command,
  type CommandSpec,
  defineCommand,
  type Input,
  type Options,
} from "./command.ts";

/** Commands run one statement at a time, except for a few lookups in parallel. */
const CONNECTIONS_MAX = 4;

/** Input of a command that opens the database. */
export interface DatabaseInput<Of extends Options = Options>
  extends Input<Of>,
    Omit<OpenedDatabase, "close"> {
  readonly operator: Operator;
  /** The person who runs the command. */
  readonly actor: Actor;
}

export interface DatabaseCommandSpec<Of extends Options> extends Omit<CommandSpec<Of>, "run"> {
  /** Checks before the database is opened. @throws {UsageError | RefusedError} */
  check?(input: Input<Of>): void | Promise<void>;
  run(input: DatabaseInput<Of>): Promise<Answer | undefined>;
}

/** Defines a command that opens the database. */
export function databaseCommand<Of extends Options>(spec: DatabaseCommandSpec<Of>): Command {
  return defineCommand<Of>({
    ...spec,
    async run(input) {
      await spec.check?.(input);
      const { open = openDatabase } = input;
      const { close, ...opened } = await open(input.config, {
        connectionsMax: CONNECTIONS_MAX,
        statementTimeoutMs: OPERATOR_STATEMENT_MS_MAX,
        refusesForeign: spec.makesDatabase !== true,
      });
      try {
        const operator = { database: opened.database, limits: input.config.limits };
        return await spec.run({ ...input, ...opened, operator, actor: shellActor(userName()) });
      } finally {
        await close();
      }
    },
  });
}

/** The operating system's user name. For root, also the user who became root. */
function userName(): string {
  const { SUDO_USER } = process.env;
  const name = accountName();
  // Only root's value is trusted: all others can set the variable to anything.
  return SUDO_USER === undefined || !IS_STARTED_BY_ROOT ? name : `${SUDO_USER} as ${name}`;
}

/** Asks the system, because Bun's `userInfo` returns what the environment says, and anyone can set that. */
function accountName(): string {
  // A process that root started may now run as the owner of the data folder.
  if (IS_STARTED_BY_ROOT) return "root";
  const uid = process.getuid?.();
  if (uid === undefined) return userInfo().username;
  const { status, stdout } = spawnSync("id", ["-un"], { encoding: "utf8" });
  // A uid in a container may have no name.
  return status === 0 ? stdout.trim() : `uid ${uid}`;
}
