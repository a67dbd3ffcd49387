/**
 * The load of a torture: readers, walkers, followers, buyers, pushers, imports, exports, revocations, suspensions and
 * price edits, each of which checks at once what it can know from outside (`client.ts`); the rest is compared at the
 * end (`verify.ts`).
 *
 * @module
 */
import { waitFor } from "../support/processes.ts";
import { startBulk } from "./bulk.ts";
import { startBuyers } from "./buyers.ts";
import { any, type Client, createClient, type Record } from "./client.ts";
import { startFollowers } from "./followers.ts";
import { type AgentKey, PRICES_NANOS, type Scene, type TortureFeed } from "./scene.ts";
import { startSuspensions } from "./suspensions.ts";
import { walk } from "./walk.ts";
import type { World } from "./world.ts";

export interface Load {
  readonly record: Record;
  /** Resolves when readers, buyers and pushers have done so much in all, at whatever pace. @throws after minutes */
  comesTo(least: Progress): Promise<void>;
  /** Resolves when every loop has ended; a pusher finishes what it has begun. */
  stop(): Promise<void>;
}

/** What was answered or acknowledged. */
export interface Progress {
  readonly reads: number;
  readonly purchases: number;
  readonly pushes: number;
}

export interface LoadOptions {
  readonly readers: number;
}

export const BATCH_ROWS = 60;
const BATCH_CHUNKS = 3;
const STREAM_ROWS = 4;
const PUSH_PAUSE_MS = 120;
const EDIT_PAUSE_MS = 700;
const RETRY_MS = 100;
/** No bound on pace: it ends what hangs. */
const PROGRESS_WAIT_MS = 120_000;

/** A stream's row; a fixed start keeps the order of rows that of their times. */
export function streamRow(seq: number) {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
  return { id: `e${seq}`, event_timestamp: at, seq };
}

export function startLoad(world: World, scene: Scene, { readers }: LoadOptions): Load {
  const client = createClient(world, scene);
  const { record } = client;
  let isStopping = false;
  let reads = 0;

  async function read(agent: AgentKey, feed: TortureFeed, idempotencyKey?: string) {
    const { acknowledged } = feed;
    const answer = await client.read(agent, feed, {
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    if (answer?.status === 200) checkPage(client, feed, answer.body.data, acknowledged);
    const isStale = answer?.body.code === "IDEMPOTENCY_KEY_STALE" && idempotencyKey !== undefined;
    if (answer?.status === 409 && !isStale) client.violate(`a read: ${answer.body.code}`);
    return answer !== undefined && answer.status !== 503;
  }

  /** Whether it was answered at last, by something other than 503. */
  async function readAny(): Promise<boolean> {
    const agent = any(scene.keys);
    const feed = any(scene.feeds);
    reads += 1;
    if (Math.random() >= 0.3) return read(agent, feed);
    const key = `torture-${reads}`;
    // Twice at once, then again where it failed: as a client that is in doubt would.
    const attempts = await Promise.all([read(agent, feed, key), read(agent, feed, key)]);
    return !attempts.includes(false) || read(agent, feed, key);
  }

  async function reader(): Promise<void> {
    while (!isStopping) {
      // A pause as clients make. Without it readers would take the processor that a gateway needs to start.
      if (!(await readAny())) await Bun.sleep(RETRY_MS);
    }
  }

  /** Whether it was acknowledged. */
  async function push(feed: TortureFeed, body: unknown): Promise<boolean> {
    const path = `/v1/provider/feed/${feed.feedId}/push`;
    const send = () => client.write("POST", path, body);
    const isAcknowledged = await client.persist(`a push to ${feed.slug}`, send);
    if (isAcknowledged) record.pushes += 1;
    return isAcknowledged;
  }

  /** Whether it was acknowledged. If not, nobody knows what the feed holds, so nothing may follow. */
  async function pushNext(feed: TortureFeed): Promise<boolean> {
    if (feed.model === "singleton") {
      const generation = feed.sent + 1;
      feed.sent = generation;
      if (!(await push(feed, { generation, again: generation }))) return false;
      feed.acknowledged = generation;
      return true;
    }
    if (feed.model === "stream") {
      const first = feed.sent + 1;
      feed.sent += STREAM_ROWS;
      const payload = Array.from({ length: STREAM_ROWS }, (_, place) => streamRow(first + place));
      if (!(await push(feed, { payload }))) return false;
      feed.acknowledged = feed.sent;
      return true;
    }
    const generation = feed.sent + 1;
    feed.sent = generation;
    const rows = Array.from({ length: BATCH_ROWS }, (_, id) => ({ id, generation }));
    const chunkRows = BATCH_ROWS / BATCH_CHUNKS;
    for (let chunk = 0; chunk < BATCH_CHUNKS; chunk++) {
      const body = {
        payload: rows.slice(chunk * chunkRows, (chunk + 1) * chunkRows),
        batch_id: `batch-${generation}`,
        ...(chunk === BATCH_CHUNKS - 1 && { batch_complete: true }),
      };
      if (!(await push(feed, body))) return false;
    }
    feed.acknowledged = generation;
    return true;
  }

  async function pusher(feed: TortureFeed): Promise<void> {
    while (!isStopping && (await pushNext(feed))) {
      await Bun.sleep(PUSH_PAUSE_MS * 2 * Math.random());
    }
  }

  async function reviser(): Promise<void> {
    while (!isStopping) {
      await Bun.sleep(EDIT_PAUSE_MS * 2 * Math.random());
      const feed = any(scene.feeds.filter(({ isMetered }) => isMetered));
      await client.write("PATCH", `/v1/provider/feed/${feed.feedId}/edit`, {
        price_type: "metered",
        price_per_1k: any(PRICES_NANOS) / 1_000_000,
      });
    }
  }

  async function revoker(): Promise<void> {
    while (!isStopping) {
      await Bun.sleep(EDIT_PAUSE_MS * 2 * Math.random());
      const place = Math.floor(Math.random() * scene.keys.length);
      const agent = scene.keys[place] as AgentKey;
      try {
        const added = await scene.addKey(agent.accountId);
        // Known as revoked before it is: a 403 is right from here on, a 200 no more once it is done.
        agent.revokedMs = Number.POSITIVE_INFINITY;
        await world.sql`
          update api_keys set revoked_at = now()
          where account_id = ${agent.accountId} and key_start = ${agent.key.slice(0, 12)}`;
        agent.revokedMs = performance.now();
        scene.keys[place] = added;
        // Used once more, so that a late belief in it would show.
        await read(agent, any(scene.feeds));
      } catch {
        // The database is down.
      }
    }
  }

  async function walker(feed: TortureFeed): Promise<void> {
    while (!isStopping) {
      await walk(client, feed, { agents: scene.walkers, isStopping: () => isStopping });
      await Bun.sleep(PUSH_PAUSE_MS);
    }
  }

  /** A feed that is suspended takes no push, so its only one comes first. */
  async function suspensions(): Promise<void> {
    if (!(await pushNext(scene.suspendable.feed))) return;
    await Promise.all(startSuspensions(client, { scene, isStopping: () => isStopping }));
  }

  const followers = startFollowers(client, world, scene);
  const walked = scene.feeds.filter(({ isMetered, model }) => isMetered && model !== "singleton");
  const loops = [
    ...Array.from({ length: readers }, reader),
    ...walked.map(walker),
    ...scene.feeds.map(pusher),
    ...scene.sold.map(pushNext),
    ...startBuyers(client, { world, scene, isStopping: () => isStopping }),
    ...startBulk(client, { world, scene, isStopping: () => isStopping }),
    suspensions(),
    reviser(),
    revoker(),
  ];
  return {
    record,
    async comesTo({ reads: readsMin, purchases, pushes }) {
      const { answered, bought } = record;
      const isThere = () =>
        answered.size >= readsMin && bought.size >= purchases && record.pushes >= pushes;
      if (await waitFor(isThere, PROGRESS_WAIT_MS)) return;
      throw new Error(`the load stands: ${answered.size}, ${bought.size}, ${record.pushes}`);
    },
    async stop() {
      isStopping = true;
      await Promise.all(loops);
      await followers.stop();
    },
  };
}

/** What readers see is whole, and no older than what was acknowledged before they asked. */
function checkPage(
  { violate }: Client,
  feed: TortureFeed,
  data: unknown,
  acknowledged: number,
): void {
  if (feed.model === "singleton") {
    const { generation, again } = data as { generation: number; again: number };
    if (generation !== again) violate(`${feed.slug}: a torn document`);
    if (generation < acknowledged) violate(`${feed.slug}: ${generation} after ${acknowledged}`);
    return;
  }
  const rows = data as { generation: number; seq: number }[];
  if (feed.model === "collection") {
    const generations = new Set(rows.map(({ generation }) => generation));
    const [generation = -1] = generations;
    if (generations.size > 1) violate(`${feed.slug}: ${[...generations]} on one page`);
    // Before any batch is finalized, the open one is what readers see.
    if (acknowledged >= 0 && rows.length !== BATCH_ROWS) {
      violate(`${feed.slug}: a batch of ${rows.length} rows`);
    }
    if (generation < acknowledged) violate(`${feed.slug}: ${generation} after ${acknowledged}`);
    return;
  }
  const newest = rows[0]?.seq ?? -1;
  if (newest < acknowledged) violate(`${feed.slug}: row ${newest} after ${acknowledged}`);
  if (rows.some(({ seq }, place) => seq !== newest - place)) violate(`${feed.slug}: a gap`);
}
