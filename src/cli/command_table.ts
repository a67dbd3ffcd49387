/**
 * The table of commands, in the order of the help. Decisions 8.
 *
 * @module
 */
import { ACCOUNT_COMMANDS } from "./account_commands.ts";
import { audit } from "./audit_command.ts";
import { BACKUP_COMMANDS } from "./backup_command.ts";
import { feedEdit } from "./client/feed_edit_command.ts";
import { feedInit } from "./client/feed_init_command.ts";
import { FIND_COMMANDS } from "./client/find_commands.ts";
import { push } from "./client/push_command.ts";
import { read } from "./client/read_command.ts";
import type { Command } from "./command.ts";
import { consoleCommand } from "./console_command.ts";
import { CREDIT_COMMANDS } from "./credit_commands.ts";
import { demo } from "./demo/demo.ts";
import { doctor } from "./doctor_command.ts";
import { FEED_COMMANDS } from "./feed_commands.ts";
import { grants } from "./grants_command.ts";
import { KEY_COMMANDS } from "./key_commands.ts";
import { licenses } from "./licenses_command.ts";
import { migrate } from "./migrate_command.ts";
import { PAYOUT_COMMANDS } from "./payout_commands.ts";
import { PROMOTION_COMMANDS } from "./promotion_commands.ts";
import { PURCHASE_COMMANDS } from "./purchase_commands.ts";
import { REPORT_COMMANDS } from "./report_commands.ts";
import { serve } from "./serve_command.ts";
import { stop } from "./stop.ts";
import { TOPUP_COMMANDS } from "./topup_commands.ts";
import { USAGE_COMMANDS } from "./usage_commands.ts";

export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  stop,
  migrate,
  grants,
  consoleCommand,
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDIT_COMMANDS,
  ...PROMOTION_COMMANDS,
  ...PURCHASE_COMMANDS,
  ...PAYOUT_COMMANDS,
  ...TOPUP_COMMANDS,
  feedInit,
  feedEdit,
  ...FEED_COMMANDS,
  ...USAGE_COMMANDS,
  ...REPORT_COMMANDS,
  audit,
  ...BACKUP_COMMANDS,
  doctor,
  ...FIND_COMMANDS,
  read,
  push,
  licenses,
];
