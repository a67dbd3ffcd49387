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
import type { Feed, Feeds, FeedType } from "../feeds/find.ts";
import { unreachable } from "../lib/assert.ts";
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
import type { NotCounted, PushClaim, PushStore, PushWindow, StoredPush } from "./store_push.ts";

/** A push whose body was received. */
export interface ReceivedPush {
  readonly claim: PushClaim;
  /** As this process knows it. */
  readonly feed: Feed;
  readonly body: PushBody;
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
      readonly window: PushWindow;
    }
  /** Counted. */
  | {
      readonly kind: "refused";
      readonly refusal: PushRefusal;
      readonly feedType: FeedType | null;
      /** 0 if they could not be read. */
      readonly rowsReceived: number;
      readonly window: PushWindow;
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
  | { readonly kind: "schema_busy" };

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
  received: ReceivedPush,
): Promise<PushOutcome> {
  let { feed } = received;
  for (let checks = 1; checks <= PLANS_MAX; checks++) {
    const checked = await check(services, received, feed);
    const outcome =
      checked.kind === "push"
        ? await store(services, received, { feed, push: checked.push })
        : await refuse(services, received, { feed, ...checked });
    if (outcome.kind !== "stale") return outcome;
    const fresh = await services.feeds.findFresh(feed.accountId, feed.feedId);
    if (fresh === undefined) return { kind: "feed_deleted" };
    const { suspensionReason: reason } = fresh;
    if (reason !== null) return { kind: "feed_suspended", reason };
    feed = fresh;
  }
  return { kind: "feed_keeps_changing" };
}

type CheckOutcome =
  | { readonly kind: "push"; readonly push: Push }
  | { readonly kind: "refused"; readonly refusal: PushRefusal; readonly rowsReceived: number };

/** What the body means for the feed, and whether the rows meet its schema. */
async function check(
  { limits, rowSchemas }: PushServices,
  { body, signal }: ReceivedPush,
  feed: Feed,
): Promise<CheckOutcome> {
  if (body.form === "ndjson" && feed.feedType === "singleton") {
    return { kind: "refused", refusal: { kind: "lines_to_singleton" }, rowsReceived: 0 };
  }
  const parsed = parsePush(body, { feedType: feed.feedType, limits });
  if (parsed.kind !== "push") return { kind: "refused", refusal: parsed, rowsReceived: 0 };
  const refusal = await checkSchema(rowSchemas, { feed, push: parsed.push, signal });
  if (refusal === undefined) return parsed;
  return { kind: "refused", refusal, rowsReceived: parsed.push.rows.length };
}

/** The refusal of rows that don't meet the locked schema, if the feed has one. */
async function checkSchema(
  rowSchemas: RowSchemas,
  { feed, push, signal }: { feed: Feed; push: Push; signal: AbortSignal },
): Promise<PushRefusal | undefined> {
  const { accountId, lockedSchema } = feed;
  if (lockedSchema === null) return undefined;
  const outcome = await rowSchemas.validateRows(
    { key: schemaKeyOf(accountId, lockedSchema), text: lockedSchema },
    push.rows.map(({ text }) => text),
    { accountId, signal },
  );
  switch (outcome.kind) {
    case "valid":
      return undefined;
    case "invalid": {
      const errors = outcome.errors.map(({ row, pointer, message }) => ({
        path: (push.rows[row]?.pointer ?? "") + pointer,
        message,
        ...(push.feedType !== "singleton" && { row_index: row, row_id: push.rows[row]?.id ?? "" }),
      }));
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

/**
 * The key of a compiled schema. To compile takes long, and a feed's definition also changes with its
 * price, so the key is the text's. It names the account, so that nobody's rows make another's schema slow.
 */
function schemaKeyOf(accountId: string, schema: string): string {
  return `${accountId} ${Bun.SHA256.hash(schema, "base64")}`;
}

async function store(
  { store: statements, feeds, onMoved }: PushServices,
  received: ReceivedPush,
  { feed, push }: { feed: Feed; push: Push },
): Promise<PushOutcome | { readonly kind: "stale" }> {
  const { claim, body, isDryRun, startedMs } = received;
  const elapsedMs = Math.round(performance.now() - startedMs);
  const { bytes: bodyBytes } = body;
  const outcome = await statements.store(claim, { push, feed, isDryRun, bodyBytes, elapsedMs });
  switch (outcome.kind) {
    case "stored":
      // A first push changes the feed. The next one should not be checked by what it was.
      if (feed.feedType === null || feed.status !== outcome.stored.status) {
        feeds.forget(feed.feedId);
      }
      if (!isDryRun) onMoved(feed.feedId, outcome.stored.dataVersion);
      return { ...outcome, push };
    case "batch_closed":
      return {
        kind: "refused",
        refusal: { kind: "batch_closed", batchId: push.batchId },
        feedType: feed.feedType,
        rowsReceived: push.rows.length,
        window: outcome.window,
      };
    default:
      return outcome;
  }
}

/** Counts a push that is refused for what it holds. */
async function refuse(
  { store: statements }: PushServices,
  { claim }: ReceivedPush,
  { feed, refusal, rowsReceived }: { feed: Feed; refusal: PushRefusal; rowsReceived: number },
): Promise<PushOutcome | { readonly kind: "stale" }> {
  const outcome = await statements.count(claim, feed.definitionVersion);
  if (outcome.kind !== "counted") return outcome;
  const { window } = outcome;
  return { kind: "refused", refusal, feedType: feed.feedType, rowsReceived, window };
}
