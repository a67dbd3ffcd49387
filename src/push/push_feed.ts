/**
 * One push, from its body to what was stored or why it was refused: check, store, and again if the feed
 * has changed in between. Interface 4.6, decisions 5.
 *
 * A push is checked by the feed as this process knows it, and stored by a statement that names the known
 * definition. If the feed has another definition by then, the statement does nothing, and the push is
 * checked by the new one. A push that is refused for what it holds is counted in the feed's window by a
 * statement that compares the definition in the same way.
 *
 * @module
 */
import type { WindowState } from "../admission/claims.ts";
import type { Feed, Feeds, FeedType } from "../feeds/find.ts";
import type { Problem } from "../http/errors.ts";
import { assert, present, unreachable } from "../lib/assert.ts";
import type { FieldError } from "../lib/field_error.ts";
import { type Limits, PLANS_MAX } from "../limits.ts";
import {
  type Invalid,
  type NotJson,
  type Push,
  type PushBody,
  parsePush,
  type TooLarge,
} from "./parse_push.ts";
import type { RowSchemas } from "./schema/row_schemas.ts";
import type { NotCounted, PushStore, StoredPush } from "./store_push.ts";

/** A push that was let in. */
export interface Arrival {
  readonly keyId: string;
  /** As this process knows it. */
  readonly feed: Feed;
  readonly isDryRun: boolean;
  /** When the request came, on the process's monotonic clock. */
  readonly startedMs: number;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export type PushOutcome =
  | {
      readonly kind: "stored";
      readonly push: Push;
      readonly stored: StoredPush;
      readonly window: WindowState;
    }
  /** Counted. */
  | {
      readonly kind: "refused";
      readonly refusal: PushRefusal;
      readonly feedType: FeedType | null;
      /** 0 if they could not be read. */
      readonly rowsReceived: number;
      readonly window: WindowState;
    }
  | Exclude<NotCounted, { readonly kind: "stale" }>
  | { readonly kind: "feed_deleted" }
  | { readonly kind: "feed_suspended"; readonly reason: string }
  /** Each time it was checked, the feed had changed before it was stored. */
  | { readonly kind: "feed_keeps_changing" };

/** Why a push is refused for what it holds. */
export type PushRefusal =
  | TooLarge
  | NotJson
  | Invalid
  /** Lines of rows are not a document. */
  | { readonly kind: "lines_to_singleton" }
  | { readonly kind: "batch_closed"; readonly batchId: string | null }
  /** The feed's locked schema does not compile. */
  | { readonly kind: "schema_unusable"; readonly detail: string }
  /** Too many pushes wait for their schema check. */
  | { readonly kind: "schema_busy" }
  | UncheckedRefusal;

/** The body could not be received, or we failed. */
interface UncheckedRefusal {
  readonly kind: "unreadable" | "failed";
  readonly problem: Problem;
}

export interface PushServices {
  readonly feeds: Feeds;
  readonly rowSchemas: RowSchemas;
  readonly limits: Limits;
  readonly store: PushStore;
  /** Wakes the readers that wait for the feed. */
  readonly onMoved: (feedId: string, dataVersion: bigint) => void;
}

/** Checks and stores a push. @throws {DatabaseUnavailableError} */
export async function pushToFeed(
  services: PushServices,
  arrival: Arrival,
  body: PushBody,
): Promise<PushOutcome> {
  let { feed } = arrival;
  for (let checks = 1; checks <= PLANS_MAX; checks++) {
    const outcome = await attempt(services, { ...arrival, feed }, body);
    if (outcome.kind !== "stale") return outcome;
    const fresh = await services.feeds.findFresh(feed.accountId, feed.feedId);
    if (fresh === undefined) return { kind: "feed_deleted" };
    const { suspensionReason: reason } = fresh;
    if (reason !== null) return { kind: "feed_suspended", reason };
    feed = fresh;
  }
  return { kind: "feed_keeps_changing" };
}

/** Counts a push that is refused without a check. @throws {DatabaseUnavailableError} */
export async function refuseUnchecked(
  services: PushServices,
  arrival: Arrival,
  refusal: UncheckedRefusal,
): Promise<PushOutcome> {
  const refused = { refusal, rowsReceived: 0, isChecked: false };
  const outcome = await refuse(services, arrival, refused);
  assert(outcome.kind !== "stale", "only a push that was checked can be stale");
  return outcome;
}

type Attempt = PushOutcome | { readonly kind: "stale" };

/** Checks the push by the feed as it is known, and stores it if that is still the feed. */
async function attempt(services: PushServices, arrival: Arrival, body: PushBody): Promise<Attempt> {
  const { feed, signal } = arrival;
  if (body.form === "ndjson" && feed.feedType === "singleton") {
    return refuse(services, arrival, { refusal: { kind: "lines_to_singleton" }, rowsReceived: 0 });
  }
  const parsed = parsePush(body, { feedType: feed.feedType, limits: services.limits });
  if (parsed.kind === "push") {
    const { push } = parsed;
    const refusal = await checkSchema(services.rowSchemas, { feed, rows: push.rows, signal });
    return refusal === undefined
      ? store(services, arrival, { push, bodyBytes: body.bytes })
      : refuse(services, arrival, { refusal, rowsReceived: push.rows.length });
  }
  if (parsed.kind === "invalid" && parsed.push !== undefined) {
    const { rows } = parsed.push;
    const mistaken = new Set(parsed.errors.map((each) => each.row_index));
    const sound = rows.filter(({ index }) => !mistaken.has(index));
    const checked = await checkSchema(services.rowSchemas, { feed, rows: sound, signal });
    const refusal = withMistakes(parsed, checked);
    return refuse(services, arrival, { refusal, rowsReceived: rows.length });
  }
  return refuse(services, arrival, { refusal: parsed, rowsReceived: 0 });
}

/** The mistakes of all rows, in the order of the rows. What stopped the schema's check is told another time. */
function withMistakes(mistakes: Invalid, checked: PushRefusal | undefined): Invalid {
  if (checked?.kind !== "invalid") return mistakes;
  const placeOf = ({ row_index: index = -1 }: FieldError) => index;
  return {
    kind: "invalid",
    errors: [...mistakes.errors, ...checked.errors].sort((a, b) => placeOf(a) - placeOf(b)),
    errorCount: mistakes.errorCount + checked.errorCount,
  };
}

/** The refusal of rows that don't meet the locked schema, if the feed has one. */
async function checkSchema(
  rowSchemas: RowSchemas,
  { feed, rows, signal }: { feed: Feed; rows: Push["rows"]; signal: AbortSignal },
): Promise<PushRefusal | undefined> {
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
        // A document has neither id nor place.
        const place = id === "" ? {} : { row_index: index, row_id: id };
        return { path: base + pointer, message, ...place };
      });
      return { kind: "invalid", errors, errorCount: outcome.errorCount };
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

async function store(
  { store: statements, feeds, onMoved }: PushServices,
  { feed, keyId, isDryRun, startedMs }: Arrival,
  { push, bodyBytes }: { push: Push; bodyBytes: number },
): Promise<Attempt> {
  const elapsedMs = Math.round(performance.now() - startedMs);
  const claim = { feed, keyId };
  const outcome = await statements.store(claim, { push, isDryRun, bodyBytes, elapsedMs });
  const { feedId, feedType, status } = feed;
  switch (outcome.kind) {
    case "stored":
      // A first push changes the feed. The next one should not be checked by what it was.
      if (feedType === null || status !== outcome.stored.status) feeds.forget(feedId);
      if (!isDryRun) onMoved(feedId, outcome.stored.dataVersion);
      return { ...outcome, push };
    case "batch_closed": {
      const refusal = { kind: "batch_closed", batchId: push.batchId } as const;
      const { window } = outcome;
      return { kind: "refused", refusal, feedType, rowsReceived: push.rows.length, window };
    }
    default:
      return outcome;
  }
}

/** Counts a push that is refused for what it holds. */
async function refuse(
  { store: statements }: PushServices,
  { feed, keyId }: Arrival,
  refused: { refusal: PushRefusal; rowsReceived: number; isChecked?: boolean },
): Promise<Attempt> {
  const { isChecked = true, ...told } = refused;
  const outcome = await statements.count({ feed, keyId }, { isChecked });
  if (outcome.kind !== "counted") return outcome;
  return { kind: "refused", ...told, feedType: feed.feedType, window: outcome.window };
}
