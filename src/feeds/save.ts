/**
 * Create and edit: decides what to store for a body.
 *
 * Rules that depend only on the body are checked here. Rules that depend on the stored feed are checked by the
 * statement that writes it (`save_feed.sql`). A create that names a feed of the account is exactly an edit with that
 * body. See `src/spec/decisions.md`, section 4.
 *
 * @module
 */
import type { Actor } from "../accounts/actor.ts";
import { assert } from "../lib/assert.ts";
import type { FieldError } from "../lib/field_error.ts";
import type { JsonText } from "../lib/json_text.ts";
import { type Limits, NEWEST_ROWS_CHECKED_MAX, PLANS_MAX } from "../limits.ts";
import type { Database, Parameters, Queries, Row } from "../postgres/client/database.ts";
import { readChanges, type SaveMode } from "./feed_body.ts";
import { feedRowText } from "./feed_text.ts";
import { FEED_TYPES, type FeedType } from "./find.ts";
import type { SchemaComparison } from "./schema_changes.ts";

/** The feed to save, and whether it may be created. */
export interface SaveTarget {
  /** Undefined for a new feed, whose id is generated here. */
  readonly feedId: string | undefined;
  readonly mode: SaveMode;
}

interface SaveServices {
  readonly database: Database;
  readonly limits: Limits;
  /** Checks whether a `schema_definition` can be used. */
  readonly checkSchema: (schema: string) => Promise<SchemaCheck>;
  /** What changes for readers. Both are JSON texts, or null for no schema. */
  readonly compareSchemas: (
    before: string | null,
    after: string | null,
  ) => Promise<SchemaComparison | Extract<SchemaCheck, { readonly kind: "busy" }>>;
  /** Warnings for the provider, one sentence each. */
  readonly findWarnings: (definition: SavedDefinition) => Promise<readonly string[]>;
}

/** What a feed's definition says about its rows, and rows that should meet it. */
export interface SavedDefinition {
  /** JSON text of `schema_definition`. */
  readonly schema: string;
  /** JSON text of `sample_response`. */
  readonly sample: string | null;
  /** Null until the first push decides. */
  readonly feedType: FeedType | null;
  /** JSON texts of the newest rows, if the schema is locked and they may not meet it. */
  readonly newestRows: readonly string[];
}

export interface InvalidSchema {
  readonly kind: "invalid_schema";
  readonly detail: string;
  /** RFC 6901, relative to the schema. */
  readonly pointer: string;
}

/** `busy` is 503: more schemas are waiting than can be checked in time, or the machine is too busy for this one. */
export type SchemaCheck = { readonly kind: "valid" } | InvalidSchema | { readonly kind: "busy" };

interface SaveOwner {
  readonly accountId: string;
  readonly actor: Actor;
}

export type SaveOutcome =
  | {
      readonly kind: "saved";
      readonly isNew: boolean;
      readonly feedId: string;
      /** The full row with the state of the quota and the warnings, as JSON text. */
      readonly text: string;
    }
  | {
      /** The result of a dry run. Nothing was saved. */
      readonly kind: "judged";
      readonly feedId: string;
      readonly comparison: SchemaComparison;
      /**
       * Whether the edit would be refused because it breaks readers. Other refusals are the same as those of the edit.
       */
      readonly isSchemaRefused: boolean;
    }
  | SaveRefusal;

export type SaveRefusal =
  | {
      readonly kind: "invalid" | "pricing_invalid" | "schema_invalid";
      readonly errors: readonly FieldError[];
      /** Given if `errors` does not contain all of them. */
      readonly errorCount?: number;
    }
  /**
   * Too many schemas are waiting for their check; another account's feed; a status other than draft without a schema.
   */
  | { readonly kind: "schema_busy" | "forbidden" | "schema_required" }
  /** Readers of the active feed rely on its locked schema, and the body has no higher schema_version. */
  | { readonly kind: "schema_breaking"; readonly comparison: SchemaComparison }
  /** The feed changed between check and write on each try. */
  | { readonly kind: "keeps_changing" }
  | { readonly kind: "never_pushed" | "type_locked" | "endpoint_path_taken" }
  | { readonly kind: "suspended"; readonly reason: string }
  | {
      readonly kind: "quota_exceeded";
      readonly feedsUsed: number;
      readonly maxFeedsAllowed: number;
    };

interface Save extends SaveTarget {
  readonly body: JsonText;
  /** Checks everything and saves nothing. Only for an edit. */
  readonly isDryRun: boolean;
}

/** Stores a body, or returns why not. @throws {DatabaseUnavailableError} */
export async function saveFeed(
  services: SaveServices,
  owner: SaveOwner,
  { feedId, mode, body, isDryRun }: Save,
): Promise<SaveOutcome> {
  const read = readChanges(body, mode);
  if (read.kind !== "changes") return read;
  const { fields, pricing, schema, givenSchema, isSchemaGiven } = read.changes;
  const refused = schema === undefined ? undefined : await schemaRefusal(services, schema);
  if (refused !== undefined) return refused;
  for (let tries = 1; tries <= PLANS_MAX; tries++) {
    const compared =
      mode === "edit" && feedId !== undefined
        ? await compareWithStored(services, feedId, givenSchema)
        : NOT_COMPARED;
    if ("kind" in compared) return { kind: "schema_busy" };
    const { comparison, version } = compared;
    const { row, stored } = await services.database.inOneTurn((queries) =>
      writeAndReadBack(queries, isSchemaGiven, {
        account_id: owner.accountId,
        feed_id: feedId ?? null,
        save_mode: mode,
        fields,
        price_type: pricing?.priceType ?? null,
        call_price_nanos: pricing?.callPriceNanos ?? null,
        one_time_price_cents: pricing?.oneTimePriceCents ?? null,
        compared_version: version,
        is_breaking: comparison.compatibility === "breaking",
        is_dry_run: isDryRun,
        actor: owner.actor,
      }),
    );
    const { outcome } = row;
    if (outcome === "stale") continue;
    if (stored !== undefined) return savedOutcome(services, row, stored);
    const isSchemaRefused = outcome === "schema_breaking";
    if (isDryRun && (outcome === "saved" || isSchemaRefused)) {
      assert(feedId !== undefined, "a dry run is of a feed that is there");
      return { kind: "judged", feedId, comparison, isSchemaRefused };
    }
    return isSchemaRefused
      ? { kind: "schema_breaking", comparison }
      : refusalOf(row, schema !== undefined);
  }
  return { kind: "keeps_changing" };
}

interface Compared {
  readonly comparison: SchemaComparison;
  /** `definition_version` of the feed whose schema was compared. Null if none was. */
  readonly version: bigint | null;
}

const NOT_COMPARED: Compared = {
  comparison: { compatibility: "same", changes: [] },
  version: null,
};

/**
 * What a given schema changes for readers. The statement that writes proves that the compared schema is still the
 * feed's, so two concurrent edits can't pass if one of them alone could not.
 */
async function compareWithStored(
  { database, compareSchemas }: SaveServices,
  feedId: string,
  givenSchema: string | undefined,
): Promise<Compared | Extract<SchemaCheck, { readonly kind: "busy" }>> {
  if (givenSchema === undefined) return NOT_COMPARED;
  const stored = await database.row("find_feed_row", {
    feed_id: feedId,
    endpoint_path: null,
    active_only: false,
    reader_id: null,
  });
  // The statement that writes reports that there is no such feed.
  if (stored === undefined) return NOT_COMPARED;
  const { schema_definition: before, definition_version: version } = stored;
  if (before === givenSchema) return { ...NOT_COMPARED, version };
  const comparison = await compareSchemas(before, givenSchema === "null" ? null : givenSchema);
  return "kind" in comparison ? comparison : { comparison, version };
}

/** A schema is compiled before it is stored, so that no push is checked against an invalid one. */
async function schemaRefusal(
  { checkSchema }: SaveServices,
  schema: string,
): Promise<SaveRefusal | undefined> {
  const check = await checkSchema(schema);
  if (check.kind === "valid") return undefined;
  if (check.kind === "busy") return { kind: "schema_busy" };
  const path = `/schema_definition${check.pointer}`;
  return { kind: "schema_invalid", errors: [{ path, message: check.detail }] };
}

/** A feed as it was saved. */
interface StoredFeed {
  readonly feed: Row<"find_feed_row">;
  /** Payloads to check against a new schema. */
  readonly newestRows: readonly string[];
}

/** Writes and reads back in one turn, so that a completed save is never answered as refused. */
async function writeAndReadBack(
  queries: Queries,
  isSchemaGiven: boolean,
  save: Parameters<"save_feed">,
): Promise<{ readonly row: Row<"save_feed">; readonly stored: StoredFeed | undefined }> {
  const row = await queries.row("save_feed", save);
  assert(row !== undefined, "save_feed returns one row");
  const isWritten = !save.is_dry_run && (row.outcome === "created" || row.outcome === "saved");
  if (!isWritten) return { row, stored: undefined };
  const feed = await queries.row("find_feed_row", {
    feed_id: row.feed_id,
    endpoint_path: null,
    active_only: false,
    reader_id: null,
  });
  assert(feed !== undefined, "the row of a feed stays, also where it is deleted");
  const newest =
    isSchemaGiven && feed.schema_locked && !isEmptySchema(feed.schema_definition)
      ? await queries.rows("list_newest_rows", {
          feed_id: feed.feed_id,
          rows_max: NEWEST_ROWS_CHECKED_MAX,
        })
      : [];
  return { row, stored: { feed, newestRows: newest.map(({ payload }) => payload) } };
}

async function savedOutcome(
  { limits, findWarnings }: SaveServices,
  saved: Row<"save_feed">,
  { feed, newestRows }: StoredFeed,
): Promise<SaveOutcome> {
  const quota = `"max_feeds_allowed":${saved.max_feeds_allowed},"feeds_used":${saved.feeds_used}`;
  const { schema_definition: schema, sample_response: sample } = feed;
  const feedType = FEED_TYPES.find((type) => type === feed.feed_type) ?? null;
  const isSchemaEmpty = isEmptySchema(schema);
  const warnings = missingIn({ isSchemaEmpty, isSampleEmpty: sample === null });
  if (!isSchemaEmpty) {
    warnings.push(...(await findWarnings({ schema, sample, feedType, newestRows })));
  }
  const members = `${quota},"warnings":${JSON.stringify(warnings)}`;
  const text = `${feedRowText(feed, limits).slice(0, -1)},${members}}`;
  return { kind: "saved", isNew: saved.outcome === "created", feedId: feed.feed_id, text };
}

function isEmptySchema(schema: string | null): schema is null | "{}" {
  return schema === null || schema === "{}";
}

/** Agents use schema and sample to decide whether to pay, before they see any row. */
function missingIn(given: { isSchemaEmpty: boolean; isSampleEmpty: boolean }): string[] {
  const warnings: string[] = [];
  if (given.isSchemaEmpty) {
    warnings.push(
      "The feed has no schema_definition, so agents can't know the fields of its rows in advance.",
    );
  }
  if (given.isSampleEmpty) {
    warnings.push("The feed has no sample_response, so agents must read it to see one row.");
  }
  return warnings;
}

/** The refusal for an outcome of `save_feed` that wrote nothing. */
function refusalOf(row: Row<"save_feed">, hasSchema: boolean): SaveRefusal {
  switch (row.outcome) {
    case "schema_for_array": {
      const path = hasSchema ? "/schema_definition/type" : "";
      const message =
        "rows of a collection or stream are objects, so a locked schema for an array would refuse them all; describe one row";
      return { kind: "schema_invalid", errors: [{ path, message }] };
    }
    case "draft_step_null":
      return invalid("/draft_step", "draft_step must be a number, got null");
    case "retention_for_stream":
      return invalid("/retention_days", "retention_days is for feeds of feed_type stream");
    case "suspended":
      return { kind: "suspended", reason: row.suspension_reason ?? "" };
    case "forbidden":
    case "schema_required":
    case "never_pushed":
    case "type_locked":
    case "endpoint_path_taken":
      return { kind: row.outcome };
    case "quota_exceeded":
      assert(row.max_feeds_allowed !== null, "a quota that is exceeded is known");
      return {
        kind: "quota_exceeded",
        feedsUsed: Number(row.feeds_used),
        maxFeedsAllowed: row.max_feeds_allowed,
      };
    default:
      throw new Error(`save_feed returned the unknown outcome "${row.outcome}"`);
  }
}

function invalid(path: string, message: string): SaveRefusal {
  return { kind: "invalid", errors: [{ path, message }] };
}
