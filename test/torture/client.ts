/**
 * A client of a torture: asks any of the gateways, and notes what came back; of a read also what the
 * client can tell at once from outside.
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

/** A purchase that was answered with 200 or 201. */
export interface Bought {
  readonly accountId: string;
  readonly feedId: string;
  /** Unknown: it was being undone when the database died. */
  state: "standing" | "undone" | "unknown";
}

/** An export that was answered with 200. */
export interface Exported {
  readonly accountId: string;
  readonly feedId: string;
  readonly chargeNanos: number;
}

/** What has happened, as clients saw it. */
export interface Record {
  /** By usage id: reads answered with 200. */
  readonly answered: Map<string, Answered>;
  /** By purchase id. */
  readonly bought: Map<string, Bought>;
  /** Answers by status; "failed" where there was none. */
  readonly statuses: Map<string, number>;
  pushes: number;
  /** Walks along `next_cursor` that came to their end, and their pages. */
  walks: number;
  pages: number;
  /** Events that followers got. */
  followed: number;
  /** By usage id. */
  readonly exported: Map<string, Exported>;
  /** Exports that came to their end, and those that went on behind where they were cut. */
  exports: number;
  resumed: number;
  /** Imports that were acknowledged, and those that were broken off. */
  imports: number;
  broken: number;
  /** Times that an account or a feed was suspended and resumed, and reads that were refused for it. */
  suspensions: number;
  suspended: number;
  readonly violations: Set<string>;
}

export type Body = { readonly [name: string]: unknown };

export interface Answer {
  readonly status: number;
  readonly body: Body;
}

export interface ReadOptions {
  /** @default "limit=100" */
  readonly query?: string;
  readonly idempotencyKey?: string;
}

export interface Client {
  readonly record: Record;
  violate(what: string): void;
  /** Undefined where no answer came. */
  ask(path: string, init: RequestInit): Promise<Answer | undefined>;
  /** A read of a feed: its receipt is noted where it was answered with 200. */
  read(agent: AgentKey, feed: TortureFeed, options?: ReadOptions): Promise<Answer | undefined>;
  /** Notes a receipt, and checks it beside what is known of its feed and key. */
  note(agent: AgentKey, feed: TortureFeed, origin: Origin, idempotencyKey?: string): void;
  /** A body with the write key of the owner of all feeds. */
  write(method: "POST" | "PATCH", path: string, body: unknown): Promise<Answer | undefined>;
  /** A POST of the operator's, below `/v1/operator`. */
  operate(path: string, body?: unknown): Promise<Answer | undefined>;
  /** Sends what is harmless to repeat until it is acknowledged. False: it never was, which is a violation. */
  persist(what: string, send: () => Promise<Answer | undefined>): Promise<boolean>;
}

/** The receipt of a read. */
export interface Origin {
  readonly usage_id: string;
  readonly credits_charged: number;
}

/** No answer may take longer, whatever dies. */
const ANSWER_MS_MAX = 15_000;
const VIOLATIONS_MAX = 100;
const TRIES_MAX = 400;
const RETRY_MS = 100;
/** 409: the feed was pushed to since the Idempotency-Key was used. */
const EXPECTED = new Set([200, 402, 403, 404, 409, 429, 503]);

export function createClient(world: World, scene: Scene): Client {
  const record: Record = {
    answered: new Map(),
    bought: new Map(),
    statuses: new Map(),
    pushes: 0,
    walks: 0,
    pages: 0,
    followed: 0,
    exported: new Map(),
    exports: 0,
    resumed: 0,
    imports: 0,
    broken: 0,
    suspensions: 0,
    suspended: 0,
    violations: new Set(),
  };
  const idempotent = new Map<string, string>();

  function violate(what: string): void {
    if (record.violations.size < VIOLATIONS_MAX) record.violations.add(what);
  }

  function count(status: string): void {
    record.statuses.set(status, (record.statuses.get(status) ?? 0) + 1);
  }

  async function ask(path: string, init: RequestInit): Promise<Answer | undefined> {
    const startMs = performance.now();
    // As behind a load balancer: what is under way at a gateway that is paused waits, and nothing more comes to it.
    const base = any(world.bases.filter((each) => !world.wasPaused(each, startMs)));
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
      if (performance.now() - startMs >= ANSWER_MS_MAX && !world.wasPaused(base, startMs)) {
        violate(`no answer within ${ANSWER_MS_MAX} ms: ${(error as Error).name} at ${path}`);
      }
      return undefined;
    }
  }

  function note(agent: AgentKey, feed: TortureFeed, origin: Origin, key?: string): void {
    const chargeNanos = Math.round(origin.credits_charged * 1_000);
    const { accountId } = agent;
    record.answered.set(origin.usage_id, { accountId, feedId: feed.feedId, chargeNanos });
    const isPrice = feed.isMetered
      ? PRICES_NANOS.some((price) => price === chargeNanos)
      : chargeNanos === 0;
    if (!isPrice) violate(`${feed.slug} charged ${chargeNanos} nanos`);
    if (key === undefined) return;
    const first = idempotent.get(key) ?? origin.usage_id;
    idempotent.set(key, first);
    if (first !== origin.usage_id) violate("an idempotency key had two usage ids");
  }

  function send(key: string, method: "POST" | "PATCH", path: string, body: unknown) {
    return ask(path, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  return {
    record,
    violate,
    ask,
    note,
    async read(agent, feed, { query = "limit=100", idempotencyKey } = {}) {
      const startMs = performance.now();
      const { acknowledged } = feed;
      const answer = await ask(`/v1/feed/${feed.slug}?${query}`, {
        headers: {
          "x-api-key": agent.key,
          ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
        },
      });
      if (answer === undefined) return undefined;
      const { status, body } = answer;
      if (!EXPECTED.has(status)) violate(`status ${status}: ${JSON.stringify(body).slice(0, 300)}`);
      if (status === 404 && acknowledged >= 0) violate(`404 after a push to ${feed.slug}`);
      if (status === 403 && agent.revokedMs === undefined) violate("403 for a key in use");
      if (status !== 200) return answer;
      if (agent.revokedMs !== undefined && agent.revokedMs < startMs) violate("a revoked key read");
      note(agent, feed, body._origin as Origin, idempotencyKey);
      return answer;
    },
    write: (method, path, body) => send(scene.writeKey, method, path, body),
    operate: (path, body) => send(scene.adminKey, "POST", `/v1/operator${path}`, body),
    async persist(what, attempt) {
      for (let tries = 0; tries < TRIES_MAX; tries++) {
        const answer = await attempt();
        if (answer?.status === 200) return true;
        if (answer !== undefined && answer.status !== 503) {
          violate(`${what}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`);
          return false;
        }
        await Bun.sleep(RETRY_MS);
      }
      violate(`${what} was never acknowledged`);
      return false;
    },
  };
}

export function any<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item;
}
