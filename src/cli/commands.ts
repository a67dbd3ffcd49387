/**
 * The table of commands, in the order of the help. Decisions 8.
 *
 * @module
 */
import { ACCOUNT_COMMANDS } from "./accounts.ts";
import { AUDIT_COMMANDS } from "./audit.ts";
import { BACKUP_COMMANDS } from "./backup.ts";
import type { Command } from "./command.ts";
import { CREDIT_COMMANDS } from "./credits.ts";
import { FEED_COMMANDS } from "./feeds.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { MIGRATE_COMMANDS } from "./migrate.ts";
import { PROMOTION_COMMANDS } from "./promotions.ts";
import { PURCHASE_COMMANDS } from "./purchases.ts";
import { REPORT_COMMANDS } from "./report.ts";
import { SERVE_COMMANDS } from "./serve.ts";
import { USAGE_COMMANDS } from "./usage.ts";

export const OPERATOR_COMMANDS: readonly Command[] = [
  ...MIGRATE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDIT_COMMANDS,
  ...PROMOTION_COMMANDS,
  ...PURCHASE_COMMANDS,
  ...FEED_COMMANDS,
  ...USAGE_COMMANDS,
  ...REPORT_COMMANDS,
  ...AUDIT_COMMANDS,
  ...BACKUP_COMMANDS,
];

/** What serves until a signal. */
export { SERVE_COMMANDS };
