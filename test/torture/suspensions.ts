/**
 * An operator who suspends accounts and a feed, through any gateway, and resumes them: from the answer on no gateway
 * lets them be read, and once they are resumed none refuses them, whatever is killed.
 *
 * @module
 */
import { any, type Client, type Origin } from "./client.ts";
import type { AgentKey, Scene, TortureFeed } from "./scene.ts";

export interface SuspensionsOptions {
  readonly scene: Scene;
  readonly isStopping: () => boolean;
}

/** A time of being suspended, on the monotonic clock. What nobody knows yet is infinite. */
interface Spell {
  /** From here on a refusal is right. */
  readonly askedMs: number;
  /** From here on nothing may be read, until `endingMs`. */
  heldMs: number;
  endingMs: number;
  /** From here on a refusal is wrong. */
  endedMs: number;
}

interface Target {
  /** Below `/v1/operator`. */
  readonly path: string;
  readonly agent: AgentKey;
  readonly feed: TortureFeed;
  /** What a read is refused with meanwhile. */
  readonly code: string;
  readonly spells: Spell[];
}

/** Few enough reads that no window fills. */
const READ_PAUSE_MS = 800;
const SPELL_PAUSE_MS = 1_500;

/** Loops that end when the torture stops; nothing is suspended then. */
export function startSuspensions(client: Client, options: SuspensionsOptions): Promise<void>[] {
  const { scene, isStopping } = options;
  const { record, violate, operate, persist } = client;
  const { agents, feed: suspended, reader } = scene.suspendable;
  const metered = scene.feeds.filter(({ isMetered }) => isMetered);
  const targets: Target[] = [
    ...agents.map(
      (agent): Target => ({
        path: `/accounts/${agent.accountId}`,
        agent,
        feed: any(metered),
        code: "ACCOUNT_SUSPENDED",
        spells: [],
      }),
    ),
    {
      path: `/feeds/${suspended.feedId}`,
      agent: reader,
      feed: suspended,
      code: "FEED_NOT_FOUND",
      spells: [],
    },
  ];

  async function read({ agent, feed, code, spells }: Target): Promise<void> {
    if (feed.acknowledged < 0) return;
    const startMs = performance.now();
    const answer = await client.ask(`/v1/feed/${feed.slug}`, {
      headers: { "x-api-key": agent.key },
    });
    if (answer === undefined) return;
    const endMs = performance.now();
    const { status, body } = answer;
    if (status === 200) {
      client.note(agent, feed, body._origin as Origin);
      if (spells.some(({ heldMs, endingMs }) => heldMs < startMs && endMs < endingMs)) {
        violate(`read while it was suspended: ${feed.slug} by ${agent.accountId}`);
      }
    } else if (body.code === code) {
      record.suspended += 1;
      if (!spells.some(({ askedMs, endedMs }) => askedMs < endMs && startMs < endedMs)) {
        violate(`refused as suspended, which it is not: ${feed.slug} by ${agent.accountId}`);
      }
    } else if (status !== 429 && status !== 503) {
      violate(`a read of what may be suspended: ${status} ${body.code}`);
    }
  }

  /** At once and more than one, so that a late belief of any gateway would show. */
  async function readByMany(target: Target): Promise<void> {
    await Promise.all([read(target), read(target), read(target)]);
  }

  async function suspender(target: Target): Promise<void> {
    const unknown = { heldMs: Infinity, endingMs: Infinity, endedMs: Infinity };
    while (!isStopping()) {
      await Bun.sleep(SPELL_PAUSE_MS * 2 * Math.random());
      const spell: Spell = { askedMs: performance.now(), ...unknown };
      target.spells.push(spell);
      const reason = { reason: "torture" };
      if (!(await persist(target.path, () => operate(`${target.path}/suspend`, reason)))) return;
      spell.heldMs = performance.now();
      await readByMany(target);
      await Bun.sleep(SPELL_PAUSE_MS * Math.random());
      spell.endingMs = performance.now();
      if (!(await persist(target.path, () => operate(`${target.path}/resume`)))) return;
      spell.endedMs = performance.now();
      record.suspensions += 1;
      await readByMany(target);
    }
  }

  async function readerOf(target: Target): Promise<void> {
    while (!isStopping()) {
      await Bun.sleep(READ_PAUSE_MS * 2 * Math.random());
      await read(target);
    }
  }

  return targets.flatMap((target) => [suspender(target), readerOf(target)]);
}
