/**
 * The statements of an import: `import_rows` stores a part, `finish_import` shows it to readers, and `end_import`
 * abandons it.
 *
 * Each checks under the feed's lock that the import still has its claim. So an import that another process has replaced
 * as dead, or whose feed was deleted, stores nothing more.
 *
 * @module
 */
import { FEED_STATUSES, type FeedType } from "../../feeds/find.ts";
import type { Problem } from "../../http/problem_details.ts";
import { assert, nameIn, present } from "../../lib/assert.ts";
import type { Database } from "../../postgres/client/database.ts";
import type { PushedRow } from "../rows/check_row.ts";
import { type PushClaim, rowColumns, type StoredPush } from "../store_push.ts";

/** The import has lost its claim. Nothing was stored. */
export interface NotHeld {
  readonly kind: "stale" | "key_refused" | "lost" | "batch_closed";
}

export interface ImportClaim extends PushClaim {
  readonly importId: string;
  readonly feedType: FeedType;
}

interface StoredPart {
  readonly kind: "stored";
  readonly rowsInserted: number;
  /** Ids of a collection that the file already contained. If there are any, no row of the part was stored. */
  readonly repeatedIds: readonly string[];
  readonly dataVersion: bigint;
}

interface FinishedImport {
  readonly kind: "stored";
  readonly stored: Pick<StoredPush, "status" | "lastSyncAt" | "dataVersion">;
}

/** Rows of the file that are stored together. */
export interface ImportPart {
  /** No id comes twice in them. */
  readonly rows: readonly PushedRow[];
  /** Rows of the file that they stand for, with those whose id comes again. */
  readonly rowsReceived: number;
  /** Of the file, so far. */
  readonly bodyBytes: number;
}

/** Why an import did not come to its end, and how far its file was read. */
export interface EndedImport {
  readonly problem: Problem;
  readonly rowsReceived: number;
  readonly bodyBytes: number;
  readonly elapsedMs: number;
}

/** What came of the whole import. */
export interface ImportTotals {
  readonly rowsReceived: number;
  readonly rowsInserted: number;
  readonly bodyBytes: number;
  readonly elapsedMs: number;
}

export interface ImportStore {
  /** Stores rows in one commit. */
  add(claim: ImportClaim, part: ImportPart): Promise<StoredPart | NotHeld>;
  finish(claim: ImportClaim, totals: ImportTotals): Promise<FinishedImport | NotHeld>;
  /** Renews the claim of the feed. False if it is lost. */
  renew(claim: ImportClaim): Promise<boolean>;
  /**
   * Abandons the import, and records it in the history with the rows that a stream keeps. If the claim is lost, the
   * import that took it over has already recorded it.
   */
  end(claim: ImportClaim, ended: EndedImport): Promise<void>;
}

const NOT_HELD = ["stale", "key_refused", "lost", "batch_closed"] as const;

/** @param database the imports' own connections. All methods throw `DatabaseUnavailableError` */
export function createImportStore(database: Database): ImportStore {
  return {
    async add(claim, { rows, rowsReceived, bodyBytes }) {
      const row = present(
        await database.row("import_rows", {
          ...claimParameters(claim),
          ...rowColumns({ feedType: claim.feedType, rows }),
          part_rows: rowsReceived,
          body_bytes: BigInt(bodyBytes),
        }),
      );
      if (row.outcome !== "stored") return { kind: nameIn(NOT_HELD, row.outcome) };
      const repeatedIds: unknown = JSON.parse(row.repeated_ids ?? "[]");
      assert(Array.isArray(repeatedIds), "import_rows lists ids");
      return {
        kind: "stored",
        rowsInserted: present(row.rows_inserted),
        repeatedIds: repeatedIds.map(String),
        dataVersion: present(row.data_version),
      };
    },
    async finish(claim, { rowsReceived, rowsInserted, bodyBytes, elapsedMs }) {
      const row = present(
        await database.row("finish_import", {
          ...claimParameters(claim),
          feed_type: claim.feedType,
          rows_received: rowsReceived,
          rows_inserted: rowsInserted,
          body_bytes: BigInt(bodyBytes),
          elapsed_ms: elapsedMs,
          actor: claim.actor,
        }),
      );
      if (row.outcome !== "stored") return { kind: nameIn(NOT_HELD, row.outcome) };
      const stored = {
        status: nameIn(FEED_STATUSES, present(row.status)),
        lastSyncAt: present(row.last_sync_at),
        dataVersion: present(row.data_version),
      };
      return { kind: "stored", stored };
    },
    async renew({ feed: { feedId }, importId }) {
      const row = await database.row("renew_import", { feed_id: feedId, import_id: importId });
      return row !== undefined;
    },
    async end({ feed: { feedId }, importId }, { problem, rowsReceived, bodyBytes, elapsedMs }) {
      await database.row("end_import", {
        feed_id: feedId,
        import_id: importId,
        code: problem.code,
        detail: problem.detailIn(),
        rows_received: rowsReceived,
        body_bytes: BigInt(bodyBytes),
        elapsed_ms: elapsedMs,
      });
    },
  };
}

function claimParameters({ feed, keyId, importId }: ImportClaim) {
  return {
    feed_id: feed.feedId,
    import_id: importId,
    definition_version: feed.definitionVersion,
    account_id: feed.accountId,
    key_id: keyId,
  };
}
