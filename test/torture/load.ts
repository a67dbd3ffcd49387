/**
 * The load of a torture: readers, pushers, revocations and price edits, each of which checks at once
 * what it can know from outside, and notes what is compared at the end (`verify.ts`).
 *
 * @module
 */
import { type AgentKey, PRICES_NANOS, type Scene, type TortureFeed } from "./scene.ts";
import type { World } from "./world.ts";

export interface Answered {
  readonly accountId: string;
  readonly feedId: string;
  readonly chargeNanos: number;
}

/** What has happened, as clients saw it. */
export interface Record {
  /** By usage id: reads answered with 200. */
  readonly answered: Map<string, Answered>;
  /** Answers by status; "failed" where there was none. */
  readonly statuses: Map<string, number>;
  pushes: number;
  readonly violations: Set<string>;
}

export interface Load {
  readonly record: Record;
  /** Resolves when every loop has ended; a pusher finishes what it has begun. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly readers: number;
}

const BATCH_ROWS = 60;
const BATCH_CHUNKS = 3;
const STREAM_ROWS = 4;
/** No answer may take longer, whatever dies. */
const ANSWER_MS_MAX = 15_000;
const PUSH_PAUSE_MS = 120;
const EDIT_PAUSE_MS = 700;
const TRIES_MAX = 400;
const RETRY_MS = 100;
const EXPECTED = new Set([200, 402, 403, 404, 429, 503]);

/** A stream's row; a fixed start keeps the order of rows that of their times. */
export function streamRow(seq: number) {
  const at = new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString();
  return { id: `e${seq}`, event_timestamp: at, seq };
}

export function startLoad(world: World, scene: Scene, { readers }: LoadOptions): Load {
  const record: Record = {
    answered: new Map(),
    statuses: new Map(),
    pushes: 0,
    violations: new Set(),
  };
  const idempotent = new Map<string, string>();
  let isStopping = false;
  let reads = 0;

  function violate(what: string): void {
    if (record.violations.size < 100) record.violations.add(what);
  }

  function count(status: string): void {
    record.statuses.set(status, (record.statuses.get(status) ?? 0) + 1);
  }

  async function ask(path: string, init: RequestInit) {
    const base = any(world.bases);
    const startMs = performance.now();
    try {
      const response = await fetch(base + path, {
        ...init,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const body = (await response.json()) as Body;
      count(String(response.status));
      return { status: response.status, body };
    } catch (error) {
      count("failed");
      if (performance.now() - startMs >= ANSWER_MS_MAX) {
        violate(`no answer within ${ANSWER_MS_MAX} ms: ${(error as Error).name} at ${path}`);
      }
      return undefined;
    }
  }

  async function read(agent: AgentKey, feed: TortureFeed, idempotencyKey?: string) {
    const startMs = performance.now();
    const { acknowledged } = feed;
    const answer = await ask(`/v1/feed/${feed.slug}?limit=100`, {
      headers: {
        "x-api-key": agent.key,
        ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
      },
    });
    if (answer === undefined) return false;
    const { status, body } = answer;
    if (!EXPECTED.has(status)) violate(`status ${status}: ${JSON.stringify(body).slice(0, 300)}`);
    if (status === 404 && acknowledged >= 0) violate(`404 after a push to ${feed.slug}`);
    if (status === 403 && agent.revokedMs === undefined) violate("403 for a key in use");
    if (status !== 200) return status !== 503;
    const origin = body._origin as Origin;
    const chargeNanos = Math.round(origin.credits_charged * 1_000);
    record.answered.set(origin.usage_id, {
      accountId: agent.accountId,
      feedId: feed.feedId,
      chargeNanos,
    });
    if (agent.revokedMs !== undefined && agent.revokedMs < startMs) violate("a revoked key read");
    const isPrice = feed.isMetered
      ? PRICES_NANOS.some((price) => price === chargeNanos)
      : chargeNanos === 0;
    if (!isPrice) violate(`${feed.slug} charged ${chargeNanos} nanos`);
    if (idempotencyKey !== undefined) {
      const first = idempotent.get(idempotencyKey) ?? origin.usage_id;
      idempotent.set(idempotencyKey, first);
      if (first !== origin.usage_id) violate("an idempotency key had two usage ids");
    }
    check(feed, body.data, acknowledged);
    return true;
  }

  /** What readers see is whole, and no older than what was acknowledged before they asked. */
  function check(feed: TortureFeed, data: unknown, acknowledged: number): void {
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

  async function reader(): Promise<void> {
    while (!isStopping) {
      const agent = any(scene.keys);
      const feed = any(scene.feeds);
      reads += 1;
      if (Math.random() < 0.3) {
        const key = `torture-${reads}`;
        // Twice at once, then again where it failed: as a client that is in doubt would.
        const attempts = await Promise.all([read(agent, feed, key), read(agent, feed, key)]);
        if (attempts.includes(false)) await read(agent, feed, key);
      } else {
        await read(agent, feed);
      }
    }
  }

  /** Sends until it is acknowledged: the same push again is harmless. */
  async function push(feed: TortureFeed, body: unknown): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const answer = await ask(`/v1/provider/feed/${feed.feedId}/push`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${scene.writeKey}`,
        },
        body: JSON.stringify(body),
      });
      if (answer?.status === 200) {
        record.pushes += 1;
        return;
      }
      if (answer !== undefined && answer.status !== 503) {
        violate(`push: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
        return;
      }
      await Bun.sleep(RETRY_MS);
    }
    violate(`a push to ${feed.slug} was never acknowledged`);
  }

  async function pushNext(feed: TortureFeed): Promise<void> {
    if (feed.model === "singleton") {
      const generation = feed.sent + 1;
      feed.sent = generation;
      await push(feed, { generation, again: generation });
      feed.acknowledged = generation;
      return;
    }
    if (feed.model === "stream") {
      const first = feed.sent + 1;
      feed.sent += STREAM_ROWS;
      const payload = Array.from({ length: STREAM_ROWS }, (_, place) => streamRow(first + place));
      await push(feed, { payload });
      feed.acknowledged = feed.sent;
      return;
    }
    const generation = feed.sent + 1;
    feed.sent = generation;
    const rows = Array.from({ length: BATCH_ROWS }, (_, id) => ({ id, generation }));
    const chunkRows = BATCH_ROWS / BATCH_CHUNKS;
    for (let chunk = 0; chunk < BATCH_CHUNKS; chunk++) {
      await push(feed, {
        payload: rows.slice(chunk * chunkRows, (chunk + 1) * chunkRows),
        batch_id: `batch-${generation}`,
        ...(chunk === BATCH_CHUNKS - 1 && { batch_complete: true }),
      });
    }
    feed.acknowledged = generation;
  }

  async function pusher(feed: TortureFeed): Promise<void> {
    while (!isStopping) {
      await pushNext(feed);
      await Bun.sleep(PUSH_PAUSE_MS * 2 * Math.random());
    }
  }

  async function reviser(): Promise<void> {
    while (!isStopping) {
      await Bun.sleep(EDIT_PAUSE_MS * 2 * Math.random());
      const feed = any(scene.feeds.filter(({ isMetered }) => isMetered));
      await ask(`/v1/provider/feed/${feed.feedId}/edit`, {
        method: "PATCH",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${scene.writeKey}`,
        },
        body: JSON.stringify({
          price_type: "metered",
          price_per_1k: any(PRICES_NANOS) / 1_000_000,
        }),
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

  const loops = [
    ...Array.from({ length: readers }, reader),
    ...scene.feeds.map(pusher),
    reviser(),
    revoker(),
  ];
  return {
    record,
    async stop() {
      isStopping = true;
      await Promise.all(loops);
    },
  };
}

interface Origin {
  readonly usage_id: string;
  readonly credits_charged: number;
}

type Body = { readonly [name: string]: unknown };

function any<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
