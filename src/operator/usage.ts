/**
 * The complete usage log of an account, and refunds of its charges. See `src/spec/beyond.md`, section 2.
 *
 * @module
 */
import { Type } from "@sinclair/typebox";
import type { Actor } from "../accounts/actor.ts";
import { changeLedger } from "../accounts/ledger.ts";
import type { UsageRow } from "../accounts/usage_event.ts";
import { walkUsage } from "../accounts/usage_page.ts";
import { unreachable } from "../lib/assert.ts";
import { parseUuid } from "../lib/uuid.ts";
import type { Database, Parameters } from "../postgres/client/database.ts";
import { time } from "../shapes.ts";
import { accountReference, reason } from "./common_shapes.ts";
import { inTime } from "./in_time.ts";
import { defineCursor, uuidPart } from "./keyset_cursor.ts";
import { PAGE_INPUT, type Page, readPage } from "./keyset_page.ts";
import { balanceTooLarge, type WrittenEntry, writtenOf } from "./ledger_entry.ts";
import type { InputOf, Operator } from "./operator.ts";
import { findAccount } from "./references.ts";
import { Refused } from "./refused.ts";
import { requireInOrder } from "./time_range.ts";

const CHUNK_ROWS = 5_000;

export const ListUsageInput = Type.Object({
  ...PAGE_INPUT,
  account_id: accountReference,
  since: Type.Optional(time("Inclusive lower bound.")),
  until: Type.Optional(time("Inclusive upper bound.")),
});

const USAGE_CURSOR = defineCursor(uuidPart);

/** The log, newest first. The cursor is an event's id. */
export async function listUsage(
  { database }: Operator,
  input: InputOf<typeof ListUsageInput>,
): Promise<Page<UsageRow>> {
  requireInOrder(input);
  const { account_id: account, limit, cursor, since = null, until = null } = input;
  const { account_id: accountId } = await findAccount(database, account);
  const [before = null] = USAGE_CURSOR.parse(cursor);
  return readPage(limit, {
    read: (rowsMax) =>
      inTime(
        database.rows("page_usage", {
          account_id: accountId,
          feed_id: null,
          key_id: null,
          chain_id: null,
          is_discovery_hidden: false,
          since,
          until,
          before_usage_id: before,
          from_usage_id: null,
          limit: rowsMax,
        }),
      ),
    cursorOf: (row) => row.usage_id,
    entryOf: (row) => row,
  });
}

interface CallsQuery {
  readonly accountId: string;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** Inclusive bounds, RFC 3339. */
  readonly since: string;
  readonly until: string;
  readonly feedId?: string | undefined;
  readonly keyId?: string | undefined;
  /** Leaves out calls of catalog, search and metadata that cost nothing. */
  readonly isDiscoveryHidden: boolean;
}

/** The log for people, newest first, in steps of `walkUsage`. */
export async function listCalls(
  { database }: Operator,
  { limit, cursor, feedId, keyId, ...query }: CallsQuery,
): Promise<Page<UsageRow>> {
  const [beforeUsageId = null] = USAGE_CURSOR.parse(cursor);
  const { rows, last } = await inTime(
    walkUsage(database, {
      ...query,
      feedId: feedId ?? null,
      keyId: keyId ?? null,
      chainId: null,
      beforeUsageId,
      limit,
    }),
  );
  return { entries: rows, limit, nextCursor: last };
}

export const ExportUsageInput = Type.Object({
  account_id: accountReference,
  since: Type.Optional(time("Inclusive lower bound.")),
  until: Type.Optional(time("Inclusive upper bound.")),
});

/** The log, oldest first, in chunks, so that memory stays constant however long it is. */
export async function exportUsage(
  { database }: Operator,
  { account_id: account, since, until }: InputOf<typeof ExportUsageInput>,
): Promise<AsyncIterable<readonly UsageRow[]>> {
  const { account_id: accountId } = await findAccount(database, account);
  const range = { account_id: accountId, since: since ?? null, until: until ?? null };
  return readChunks(database, range);
}

async function* readChunks(
  database: Database,
  range: Omit<Parameters<"export_usage">, "after_usage_id" | "limit">,
): AsyncGenerator<UsageRow[]> {
  let afterUsageId: string | null = null;
  while (true) {
    const place = { after_usage_id: afterUsageId, limit: CHUNK_ROWS };
    const chunk: UsageRow[] = await database.rows("export_usage", { ...range, ...place });
    yield chunk;
    const last = chunk.at(CHUNK_ROWS - 1);
    if (last === undefined) return;
    afterUsageId = last.usage_id;
  }
}

export const RefundUsageInput = Type.Object({
  usage_id: Type.String({
    description: "Of the usage event.",
    examples: ["0193a7e4-52d1-7b6e-8c55-6a1f0f7e9d20"],
  }),
  reason,
});

/** Gives back what a read was charged that was answered, once. */
export async function refundUsage(
  { database }: Operator,
  { usage_id: given, reason }: InputOf<typeof RefundUsageInput>,
  actor: Actor,
): Promise<WrittenEntry> {
  const usageId = parseUuid(given) ?? throwUnknown(given);
  const outcome = await changeLedger(database, "refund_event", {
    usage_id: usageId,
    reason,
    actor,
  });
  switch (outcome.kind) {
    case "refunded":
    case "repeated":
      return writtenOf(outcome, { usage_id: usageId });
    case "usage_unknown":
      return throwUnknown(given);
    case "not_charged":
      throw new Refused(
        "NOTHING_CHARGED",
        `usage event ${usageId} was free, so there is nothing to refund`,
      );
    case "balance_full":
      throw balanceTooLarge();
    default:
      return unreachable(outcome);
  }
}

function throwUnknown(given: string): never {
  throw new Refused("USAGE_NOT_FOUND", `there is no usage event "${given}"`);
}
