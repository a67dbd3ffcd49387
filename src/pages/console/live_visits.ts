/**
 * Notifies open pages of the console about changes: of a feed, or of the operators' overview. One statement checks for
 * all viewers of a process whether they may still see their pages.
 *
 * @module
 */
import { Batcher } from "../../lib/batcher.ts";
import { JoinedRuns } from "../../lib/joined_runs.ts";
import { sha256 } from "../../lib/token.ts";
import { OVERVIEW_LOOK_MS, VIEWERS_MAX } from "../../limits.ts";
import type { Database } from "../../postgres/client/database.ts";
import type { Services } from "../../services.ts";
import { liveAddress } from "../layout/live_events.ts";
import type { Visit } from "./visit.ts";

/** Names the operators' overview in `Waits`. */
export const OVERVIEW_TOPIC = "operators' overview";
/** How long a viewer waits for the answer. Then its stream ends, and its browser connects again. */
const ANSWER_MS_MAX = 5_000;

/** Lets viewers wait for the overview. */
export function addOverviewTopic({ waits, operatorDatabase }: Services): void {
  waits.addTopic(OVERVIEW_TOPIC, {
    look: () => overviewVersion(operatorDatabase),
    everyMs: OVERVIEW_LOOK_MS,
  });
}

/** Reads in progress, by database. */
const looks = new WeakMap<Database, JoinedRuns<unknown>>();

/**
 * Calls `read` once for all viewers that ask at the same time, as they do after an event. `key` identifies what is read
 * and its version, so no viewer gets an older one.
 */
export function readOnce<Result>(
  database: Database,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  const runs = (looks.get(database) ?? new JoinedRuns()) as JoinedRuns<Result>;
  looks.set(database, runs);
  return runs.join(key, read);
}

export async function overviewVersion(database: Database): Promise<bigint> {
  const [row] = await database.rows("find_overview_version", {});
  return row?.version ?? 0n;
}

/** The data version of a feed. Undefined if readers don't see it, so that nothing can be waited for. */
export async function feedVersion(
  { services }: Visit,
  feedId: string,
): Promise<bigint | undefined> {
  const [row] = await services.database.rows("list_data_versions", { feed_ids: [feedId] });
  return row?.data_version;
}

/** The address of the events of a feed's page; undefined if there is no version. */
export function feedEvents(
  { root }: Visit,
  path: string,
  version: bigint | undefined,
): string | undefined {
  return version === undefined ? undefined : liveAddress(`${root}/console/${path}/live`, version);
}

/** Whether a session still lets somebody see a page, by its cookie's token. */
export function liveSessions(database: Database): (token: string) => Promise<boolean> {
  const batcher = new Batcher<string, boolean>({
    async run(hashes) {
      const rows = await database.rows("list_live_sessions", { hashes });
      const live = new Set(rows.map((row) => row.hash));
      return hashes.map((hash) => live.has(hash));
    },
    batchMax: VIEWERS_MAX,
    flightsMax: 1,
    queueMax: VIEWERS_MAX,
    waitMsMax: ANSWER_MS_MAX,
    waitingFree: VIEWERS_MAX,
    latenessMax: 1,
  });
  return async (token) =>
    (await batcher.submit(Buffer.from(sha256(token)).toString("hex"))) === true;
}
