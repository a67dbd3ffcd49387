/**
 * `usage export`: an account's usage log, oldest first, in constant memory however long it is; and
 * `usage refund`: a read's charge goes back. Decisions 8 and 10, beyond 2.
 *
 * @module
 */
import { changeLedger } from "../accounts/ledger.ts";
import {
  USAGE_COLUMNS,
  type UsageRow,
  usageEventLine,
  usageEventText,
} from "../accounts/usage_event.ts";
import { unreachable } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database } from "../postgres/client/query.ts";
import { RefusedError, UsageError } from "./command.ts";
import { databaseCommand } from "./database.ts";
import { typed } from "./hints.ts";
import { balanceFull, entryAnswer, REASON_OPTION } from "./ledger_entries.ts";
import { ACCOUNT_OPTION, oneOf, required, time } from "./options.ts";
import type { Output } from "./output.ts";
import { findAccount } from "./references.ts";

const CHUNK_ROWS = 5_000;

const usageExport = databaseCommand({
  words: "usage export",
  about: "print an account's usage log, oldest first",
  options: {
    account: required(ACCOUNT_OPTION),
    since: time("inclusive lower bound"),
    until: time("inclusive upper bound"),
    format: oneOf(["csv", "json"], "default csv"),
  },
  check: ({ values: { format, since, until }, output }) => {
    if (output.isJson && format === "csv") {
      throw new UsageError("--json and --format csv exclude each other; leave one out");
    }
    if (since !== undefined && until !== undefined && since > until) {
      throw new UsageError("--since is later than --until; swap them");
    }
  },
  run: async ({ database, values, output }) => {
    const { since = null, until = null } = values;
    const isJson = output.isJson || values.format === "json";
    const { account_id: accountId } = await findAccount(database, values.account);
    const chunks = readChunks(database, [accountId, since, until]);
    await (isJson ? writeJson(chunks, output) : writeCsv(chunks, output));
    return undefined;
  },
});

const usageRefund = databaseCommand({
  words: "usage refund",
  argument: "USAGE_ID",
  about: "give back what a read was charged, once",
  options: { reason: REASON_OPTION },
  run: async ({ database, values, argument: given, output }) => {
    const usageId = parseUuid(given) ?? throwUnknownUsage(given);
    const outcome = await changeLedger(database, "refund_event", [usageId, values.reason]);
    switch (outcome.kind) {
      case "repeated":
        output.note(`usage event ${usageId} was refunded already\n`);
        return entryAnswer(outcome.entry, { usage_id: usageId });
      case "refunded":
        return entryAnswer(outcome.entry, { usage_id: usageId });
      case "usage_unknown":
        return throwUnknownUsage(given);
      case "not_charged":
        throw new RefusedError(`usage event ${usageId} cost nothing, so nothing can be refunded`);
      case "balance_full":
        throw balanceFull();
      default:
        return unreachable(outcome);
    }
  },
});

export const USAGE_COMMANDS = [usageExport, usageRefund];

function throwUnknownUsage(given: string): never {
  throw new RefusedError(
    `there is no usage event "${given}"; see ${typed("usage export --account ID")}`,
  );
}

async function* readChunks(
  database: Database,
  range: readonly [accountId: string, since: string | null, until: string | null],
): AsyncGenerator<UsageRow[]> {
  let afterUsageId: string | null = null;
  while (true) {
    const parameters = [...range, afterUsageId, CHUNK_ROWS] as const;
    const chunk: UsageRow[] = await database.rows("export_usage", parameters);
    yield chunk;
    const last = chunk.at(CHUNK_ROWS - 1);
    if (last === undefined) return;
    afterUsageId = last.usage_id;
  }
}

async function writeCsv(chunks: AsyncIterable<UsageRow[]>, output: Output): Promise<void> {
  await output.write(`${USAGE_COLUMNS.join(",")}\n`);
  for await (const chunk of chunks) {
    await output.write(chunk.map((row) => `${usageEventLine(row)}\n`).join(""));
  }
}

/** One array, an event a line. */
async function writeJson(chunks: AsyncIterable<UsageRow[]>, output: Output): Promise<void> {
  let separator = "[\n";
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    await output.write(separator + chunk.map(usageEventText).join(",\n"));
    separator = ",\n";
  }
  await output.write(separator === "[\n" ? "[]\n" : "\n]\n");
}
