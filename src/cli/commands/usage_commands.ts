/**
 * `usage export`: exports an account's usage log, oldest first, in constant memory. `usage refund`: refunds the charge
 * of a read.
 *
 * @module
 */
import {
  USAGE_COLUMNS,
  type UsageRow,
  usageEventLine,
  usageEventText,
} from "../../accounts/usage_event.ts";
import { exportUsage, refundUsage } from "../../operator/usage.ts";
import { UsageError } from "../command.ts";
import { databaseCommand } from "../database_command.ts";
import { ACCOUNT_OPTION, oneOf, required, time } from "../options.ts";
import type { Output } from "../output.ts";
import { entryAnswer, REASON_OPTION } from "./ledger_answer.ts";

type Chunks = AsyncIterable<readonly UsageRow[]>;

const usageExport = databaseCommand({
  words: "usage export",
  about: "print an account's usage log, oldest first",
  options: {
    account: required(ACCOUNT_OPTION),
    since: time("earliest time, inclusive"),
    until: time("latest time, inclusive"),
    format: oneOf(["csv", "json"], "default csv"),
  },
  check: ({ values: { format, since, until }, output }) => {
    if (output.isJson && format === "csv") {
      throw new UsageError("--json and --format csv can't be combined; omit one");
    }
    if (since !== undefined && until !== undefined && since > until) {
      throw new UsageError("--since is later than --until; swap them");
    }
  },
  run: async ({ operator, values: { account, since, until, format }, output }) => {
    const chunks = await exportUsage(operator, { account_id: account, since, until });
    const isJson = output.isJson || format === "json";
    await (isJson ? writeJson(chunks, output) : writeCsv(chunks, output));
    return undefined;
  },
});

const usageRefund = databaseCommand({
  words: "usage refund",
  argument: "USAGE_ID",
  about: "refund the charge of a read, once",
  options: { reason: REASON_OPTION },
  run: async ({ operator, actor, values: { reason }, argument: usageId, output }) => {
    const refund = await refundUsage(operator, { usage_id: usageId, reason }, actor);
    if (refund.isRepeated) {
      output.note(`usage event ${refund.entry.usage_id} was already refunded\n`);
    }
    return entryAnswer(refund);
  },
});

export const USAGE_COMMANDS = [usageExport, usageRefund];

async function writeCsv(chunks: Chunks, output: Output): Promise<void> {
  await output.write(`${USAGE_COLUMNS.join(",")}\n`);
  for await (const chunk of chunks) {
    await output.write(chunk.map((row) => `${usageEventLine(row)}\n`).join(""));
  }
}

/** A JSON array, one event per line. */
async function writeJson(chunks: Chunks, output: Output): Promise<void> {
  let separator = "[\n";
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    await output.write(separator + chunk.map(usageEventText).join(",\n"));
    separator = ",\n";
  }
  await output.write(separator === "[\n" ? "[]\n" : "\n]\n");
}
