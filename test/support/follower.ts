/**
 * A follower of a stream from its start. It reconnects with its last offset after every disconnection, and each time
 * chooses a method at random: pages, long polling, or server-sent events.
 *
 * @module
 */
import { readEvents } from "./event_source.ts";

export interface FollowedPage {
  readonly data: readonly { readonly id: string; readonly [member: string]: unknown }[];
  readonly next_offset: string;
  readonly up_to_date: boolean;
  readonly _origin: { readonly usage_id: string; readonly credits_charged: number } | null;
}

/** A response that is not a page. */
export interface FollowedProblem {
  readonly status: number;
  readonly code: string;
}

export interface FollowerOptions {
  /** The gateway for the next connection. */
  readonly baseUrl: () => string;
  readonly feed: string;
  readonly key: string;
  /** The maximum pause between two connections, in milliseconds. */
  readonly pauseMs: number;
  /** A random number from 0 to less than 1. @default Math.random */
  readonly random?: () => number;
  /** Receives each complete page that contains events. */
  readonly onPage: (page: FollowedPage) => void;
  readonly onProblem: (problem: FollowedProblem) => void;
}

export interface Follower {
  /** Resolves when its last connection has ended. */
  stop(): Promise<void>;
}

const WAYS = ["page", "long-poll", "sse"] as const;
/** The maximum time that a connection is left open, in milliseconds. */
const OPEN_MS_MAX = 3_000;
const LIMIT_MAX = 100;

export function startFollower(options: FollowerOptions): Follower {
  const { baseUrl, feed, key, pauseMs, random = Math.random, onPage, onProblem } = options;
  const stopping = new AbortController();
  let offset = "start";

  const below = (bound: number) => Math.floor(random() * bound);

  function take(page: FollowedPage): void {
    offset = page.next_offset;
    if (page.data.length > 0) onPage(page);
  }

  async function readOnce(url: string, signal: AbortSignal): Promise<void> {
    const response = await fetch(url, { headers: { "x-api-key": key }, signal });
    if (response.status === 204) {
      offset = response.headers.get("feedgate-next-offset") ?? "";
      return;
    }
    const body = (await response.json()) as FollowedPage & { code?: string };
    if (response.status === 200) take(body);
    else onProblem({ status: response.status, code: String(body.code) });
  }

  async function readEventsOf(url: string, signal: AbortSignal): Promise<void> {
    const source = await readEvents(url, {
      "x-api-key": key,
      ...(offset !== "start" && { "Last-Event-ID": offset }),
    });
    const close = () => source.close();
    if (signal.aborted) close();
    signal.addEventListener("abort", close);
    for (let left = 1 + below(4); left > 0; left--) {
      const { name, id, data } = await source.next("rows", "end");
      if (name === "end") {
        onProblem(JSON.parse(data));
        break;
      }
      take({ ...JSON.parse(data), next_offset: id });
    }
    close();
  }

  async function connect(): Promise<void> {
    const way = WAYS[below(WAYS.length)];
    const url = `${baseUrl()}/v1/feed/${feed}/stream?limit=${1 + below(LIMIT_MAX)}`;
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(below(OPEN_MS_MAX))]);
    const from = `&offset=${encodeURIComponent(offset)}`;
    if (way === "sse") await readEventsOf(`${url}&live=sse`, signal);
    else if (way === "long-poll") await readOnce(`${url}${from}&live=long-poll`, signal);
    else await readOnce(url + from, signal);
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      // The connection failed or was closed. The next one resumes after the last page.
      await connect().catch(() => {});
      await Bun.sleep(below(pauseMs));
    }
  }
  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };
}
