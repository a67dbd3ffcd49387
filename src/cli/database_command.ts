/**
 * Commands on the database. Each joins or starts it, migrates it, and always leaves it again. Only a command that makes
 * a database makes tables beside those of something else.
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

/** One statement at a time; a few for what is looked up together. */
const CONNECTIONS_MAX = 4;

/** What a command on the database gets. */
export interface DatabaseInput<Of extends Options = Options>
  extends Input<Of>,
    Omit<OpenedDatabase, "close"> {
  readonly operator: Operator;
  /** Who runs the command. */
  readonly actor: Actor;
}

export interface DatabaseCommandSpec<Of extends Options> extends Omit<CommandSpec<Of>, "run"> {
  /** Checks before the database is opened. @throws {UsageError | RefusedError} */
  check?(input: Input<Of>): void | Promise<void>;
  run(input: DatabaseInput<Of>): Promise<Answer | undefined>;
}

/** A command that runs statements. */
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

/** The name of the operating system's account; for root, also the account that became root. */
function userName(): string {
  const { SUDO_USER } = process.env;
  const name = accountName();
  // Anybody but root may have set it to anything.
  return SUDO_USER === undefined || !IS_STARTED_BY_ROOT ? name : `${SUDO_USER} as ${name}`;
}

/** Asked from the system: Bun's `userInfo` repeats the environment, which anyone can set. */
function accountName(): string {
  // Root may be the data directory's owner by now.
  if (IS_STARTED_BY_ROOT) return "root";
  const uid = process.getuid?.();
  if (uid === undefined) return userInfo().username;
  const { status, stdout } = spawnSync("id", ["-un"], { encoding: "utf8" });
  // A container's uid may have no name.
  return status === 0 ? stdout.trim() : `uid ${uid}`;
}
