/**
 * The table of commands, in the order in which help lists them.
 *
 * @module
 */

import { ACCESS_CLIENT_COMMANDS } from "./client/ask_commands.ts";
import { feedEdit } from "./client/feed_edit_command.ts";
import { feedInit } from "./client/feed_init_command.ts";
import { FIND_COMMANDS } from "./client/find_commands.ts";
import { push } from "./client/push_command.ts";
import { read } from "./client/read_command.ts";
import { WEBHOOK_COMMANDS } from "./client/webhook_commands.ts";
import type { Command } from "./command.ts";
import { ACCESS_COMMANDS } from "./commands/access_commands.ts";
import { ACCOUNT_COMMANDS } from "./commands/account_commands.ts";
import { ARCHIVE_COMMANDS } from "./commands/archive_command.ts";
import { audit } from "./commands/audit_command.ts";
import { BACKUP_COMMANDS } from "./commands/backup_command.ts";
import { consoleCommand } from "./commands/console_command.ts";
import { CREDIT_COMMANDS } from "./commands/credit_commands.ts";
import { doctor } from "./commands/doctor_command.ts";
import { FEED_COMMANDS } from "./commands/feed_commands.ts";
import { grants } from "./commands/grants_command.ts";
import { KEY_COMMANDS } from "./commands/key_commands.ts";
import { licenses } from "./commands/licenses_command.ts";
import { mailTest } from "./commands/mail_command.ts";
import { migrate } from "./commands/migrate_command.ts";
import { NOTICE_COMMANDS } from "./commands/notice_commands.ts";
import { PAYOUT_COMMANDS } from "./commands/payout_commands.ts";
import { PERSON_COMMANDS } from "./commands/person_commands.ts";
import { PROMOTION_COMMANDS } from "./commands/promotion_commands.ts";
import { PURCHASE_COMMANDS } from "./commands/purchase_commands.ts";
import { REPORT_COMMANDS } from "./commands/report_commands.ts";
import { serve } from "./commands/serve_command.ts";
import { stop } from "./commands/stop_command.ts";
import { TOPUP_COMMANDS } from "./commands/topup_commands.ts";
import { USAGE_COMMANDS } from "./commands/usage_commands.ts";
import { demo } from "./demo/demo.ts";

export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  stop,
  migrate,
  grants,
  consoleCommand,
  ...ACCOUNT_COMMANDS,
  ...PERSON_COMMANDS,
  ...NOTICE_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDIT_COMMANDS,
  ...PROMOTION_COMMANDS,
  ...PURCHASE_COMMANDS,
  ...PAYOUT_COMMANDS,
  ...TOPUP_COMMANDS,
  feedInit,
  feedEdit,
  ...FEED_COMMANDS,
  ...ACCESS_COMMANDS,
  ...USAGE_COMMANDS,
  ...REPORT_COMMANDS,
  audit,
  ...BACKUP_COMMANDS,
  ...ARCHIVE_COMMANDS,
  doctor,
  mailTest,
  ...FIND_COMMANDS,
  ...ACCESS_CLIENT_COMMANDS,
  read,
  push,
  ...WEBHOOK_COMMANDS,
  licenses,
];
