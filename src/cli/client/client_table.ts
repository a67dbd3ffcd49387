/**
 * The table of client commands. It is separate from the operator commands, so that client
 * commands load without the server's code.
 *
 * @module
 */
import type { Command } from "../command.ts";
import { ACCESS_CLIENT_COMMANDS } from "./ask_commands.ts";
import { feedEdit } from "./feed_edit_command.ts";
import { feedInit } from "./feed_init_command.ts";
import { FIND_COMMANDS } from "./find_commands.ts";
import { push } from "./push_command.ts";
import { read } from "./read_command.ts";
import { WEBHOOK_COMMANDS } from "./webhook_commands.ts";

export const CLIENT_COMMANDS: readonly Command[] = [
  feedInit,
  feedEdit,
  ...FIND_COMMANDS,
  ...ACCESS_CLIENT_COMMANDS,
  read,
  push,
  ...WEBHOOK_COMMANDS,
];
