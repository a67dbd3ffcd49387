/**
 * Decides whether a push can be stored, by its size and shape and by the feed's locked schema. One refusal lists the
 * mistakes of all rows.
 *
 * See `src/spec/decisions.md`, section 5.
 *
 * @module
 */
import type { Feed } from "../feeds/find.ts";
import type { Problem } from "../http/problem_details.ts";
import { present, unreachable } from "../lib/assert.ts";
import type { FieldError } from "../lib/field_error.ts";
import type { Limits } from "../limits.ts";
import {
  type Invalid,
  type NotJson,
  type Push,
  type PushBody,
  parsePush,
  type TooLarge,
} from "./parse_push.ts";
import type { PushedRow } from "./rows/check_row.ts";
import type { RowSchemas } from "./schema/row_schemas.ts";

/** Why a push can't be stored. */
export type CheckRefusal =
  | TooLarge
  | NotJson
  | Invalid
  /** Newline-delimited rows can't be a singleton's document. */
  | { readonly kind: "lines_to_singleton" }
  /** The feed's locked schema does not compile. */
  | { readonly kind: "schema_unusable"; readonly detail: string }
  /** Too many pushes are waiting for their schema check. */
  | { readonly kind: "schema_busy" };

/** A body that could not be received. */
export interface Unreadable {
  readonly kind: "unreadable";
  readonly problem: Problem;
  /** 0 if the body was not received completely. */
  readonly bytes: number;
}

export type CheckOutcome =
  | { readonly kind: "push"; readonly push: Push }
  | {
      readonly kind: "refused";
      readonly refusal: CheckRefusal | Unreadable;
      /** 0 if the rows could not be read. */
      readonly rowsReceived: number;
      /** Null if none was given, or if the body could not be read. */
      readonly batchId: string | null;
    };

export interface CheckServices {
  readonly rowSchemas: RowSchemas;
  readonly limits: Limits;
}

/** Checks a body against the feed as this process knows it. `signal` is aborted when the client disconnects. */
export async function checkPush(
  { rowSchemas, limits }: CheckServices,
  { feed, body, signal }: { feed: Feed; body: PushBody | Unreadable; signal: AbortSignal },
): Promise<CheckOutcome> {
  if (body.kind === "unreadable") return refused(body);
  if (body.form === "ndjson" && feed.feedType === "singleton") {
    return refused({ kind: "lines_to_singleton" });
  }
  const parsed = parsePush(body, { feedType: feed.feedType, limits });
  if (parsed.kind !== "rows") return refused(parsed);
  const { push, mistakes, soundRows } = parsed;
  const unfit = await checkSchema(rowSchemas, { feed, rows: soundRows, signal });
  const refusal = mistakes.length === 0 ? unfit : withMistakes(mistakes, unfit);
  return refusal === undefined
    ? { kind: "push", push }
    : {
        kind: "refused",
        refusal,
        rowsReceived: push.rows.length,
        batchId: push.batchId,
      };
}

function refused(refusal: CheckRefusal | Unreadable): CheckOutcome {
  return { kind: "refused", refusal, rowsReceived: 0, batchId: null };
}

/** The mistakes of all rows, in row order. If the schema could not be used, only the mistakes count. */
function withMistakes(mistakes: readonly FieldError[], unfit: CheckRefusal | undefined): Invalid {
  const errorCount = mistakes.length;
  if (unfit?.kind !== "invalid") return { kind: "invalid", errors: mistakes, errorCount };
  const placeOf = ({ row_index: index = -1 }: FieldError) => index;
  return {
    kind: "invalid",
    errors: [...mistakes, ...unfit.errors].sort((a, b) => placeOf(a) - placeOf(b)),
    errorCount: errorCount + unfit.errorCount,
  };
}

/** The refusal of rows that don't meet the locked schema. Undefined if there is none. */
export async function checkSchema(
  rowSchemas: RowSchemas,
  { feed, rows, signal }: { feed: Feed; rows: readonly PushedRow[]; signal: AbortSignal },
): Promise<CheckRefusal | undefined> {
  const { accountId, lockedSchema } = feed;
  if (lockedSchema === null) return undefined;
  const outcome = await rowSchemas.validateRows(
    lockedSchema,
    rows.map(({ text }) => text),
    { accountId, signal },
  );
  switch (outcome.kind) {
    case "valid":
      return undefined;
    case "invalid": {
      const errors = outcome.errors.map(({ row, pointer, message }) => {
        const { pointer: base, index, id } = present(rows[row]);
        // A document has neither an id nor an index.
        const place = id === "" ? {} : { row_index: index, row_id: id };
        return { path: base + pointer, message, ...place };
      });
      const { errorCount, rowCount } = outcome;
      return { kind: "invalid", errors, errorCount, rowCount };
    }
    case "over_budget":
      return { kind: "invalid", errors: [{ path: "", message: outcome.detail }], errorCount: 1 };
    case "invalid_schema":
      return { kind: "schema_unusable", detail: outcome.detail };
    case "busy":
      return { kind: "schema_busy" };
    default:
      return unreachable(outcome);
  }
}
