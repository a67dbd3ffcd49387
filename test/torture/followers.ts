/**
 * Followers of a stream, two on each of two gateways, that come back with their last offset whatever is killed:
 * each event must come exactly once, in the order of commit.
 *
 * @module
 */
import { type Follower, startFollower } from "../support/follower.ts";
import type { Client } from "./client.ts";
import type { AgentKey, Scene, TortureFeed } from "./scene.ts";
import type { World } from "./world.ts";

export interface Followers {
  /** Resolves when all have everything that was acknowledged, or when that takes too long. */
  stop(): Promise<void>;
}

interface Place {
  /** Events that came. */
  events: number;
  readonly follower: Follower;
}

const GATEWAYS_ASKED = 2;
/** So that they rarely meet their limit of 100 reads a minute. */
const PAUSE_MS = 1_500;
const CATCH_UP_MS_MAX = 70_000;
const POLL_MS = 100;

export function startFollowers(client: Client, world: World, scene: Scene): Followers {
  const feed = scene.feeds.find(({ isMetered, model }) => isMetered && model === "stream");
  if (feed === undefined) throw new Error("the scene has no metered stream");
  const places = scene.followers.map((agent, index) => {
    const baseUrl = world.bases[index % GATEWAYS_ASKED] as string;
    return startPlace(client, { agent, feed, baseUrl });
  });
  return {
    async stop() {
      const endMs = performance.now() + CATCH_UP_MS_MAX;
      const isBehind = () => places.some(({ events }) => events <= feed.acknowledged);
      while (isBehind() && performance.now() < endMs) await Bun.sleep(POLL_MS);
      await Promise.all(places.map(({ follower }) => follower.stop()));
      for (const { events } of places) {
        client.record.followed += events;
        if (events === feed.acknowledged + 1) continue;
        client.violate(`a follower got ${events} of ${feed.acknowledged + 1} events`);
      }
    },
  };
}

function startPlace(
  client: Client,
  { agent, feed, baseUrl }: { agent: AgentKey; feed: TortureFeed; baseUrl: string },
): Place {
  /** Whether the feed had events when the last request was sent: before that it is not found. */
  let hadEvents = false;
  const follower = startFollower({
    baseUrl() {
      hadEvents = feed.acknowledged >= 0;
      return baseUrl;
    },
    feed: feed.slug,
    key: agent.key,
    pauseMs: PAUSE_MS,
    onPage({ data, _origin: origin }) {
      for (const { seq } of data) {
        if (seq !== place.events) {
          client.violate(`a follower was told ${seq} in the place of ${place.events}`);
        }
        place.events += 1;
      }
      if (origin === null) client.violate("a follower got events without a receipt");
      else client.note(agent, feed, origin);
    },
    onProblem({ status, code }) {
      if (status === 429 || status === 503) return;
      if (status === 404 && !hadEvents) return;
      client.violate(`a follower was answered ${status} ${code}`);
    },
  });
  const place: Place = { events: 0, follower };
  return place;
}
