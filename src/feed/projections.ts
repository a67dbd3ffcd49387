/**
 * Projections of pages, of which none holds up the gateway. Decisions 6.
 *
 * What looks at little is done at once. What looks at much is done one at a time: accounts take turns, and
 * after each everybody else has as much of the processor. A projection that grows too large is 400, which
 * costs and counts nothing, so it is bounded otherwise: the same is not tried again on the same data, and
 * an account that had ten of them within a minute has 429 for its projections.
 *
 * @module
 */
import { Problem, unavailable } from "../http/errors.ts";
import { rateLimited } from "../http/rate_headers.ts";
import { BackgroundWork } from "../lib/background_work.ts";
import { BoundedMap } from "../lib/bounded_map.ts";
import type { MaybePromise } from "../lib/maybe_promise.ts";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { TurnQueue } from "../lib/turn_queue.ts";
import { PROJECTIONS_REFUSED_MAX, WINDOW_MS } from "../limits.ts";
import { type ProjectionOutcome, project } from "./projection.ts";
import type { Projection } from "./projection_parse.ts";

/** What is to be projected, for whom. */
export interface Projecting {
  readonly projection: Projection;
  /** JSON text. */
  readonly data: string;
  readonly dataVersion: bigint;
  /** Feed and normalized query. */
  readonly pageKey: string;
  readonly accountId: string;
}

interface Entry {
  readonly projecting: Projecting;
  readonly sinceMs: number;
  readonly answer: PromiseWithResolvers<string>;
}

/** What is done at once, 5 ms at most: characters of the data, and nodes looked at. */
const SMALL_LENGTH_MAX = 256 * 1_024;
const SMALL_VISITS_MAX = 50_000;
/** Those that wait for their turn, each with its data of up to some MB, and for how long. */
const WAITING_MAX = 16;
const WAIT_MS_MAX = 5_000;
/** Refusals that are remembered, and accounts that had one. */
const REFUSED_MAX = 1_000;
const ACCOUNTS_MAX = 10_000;

export class Projections {
  readonly #waiting = new TurnQueue<Entry>(WAITING_MAX);
  readonly #working = new BackgroundWork({
    run: () => this.#work(),
    hasMore: () => this.#waiting.size > 0,
  });
  /** By page: the version of the data at which it was too large, and how. */
  readonly #refused = new BoundedMap<string, { dataVersion: bigint; detail: string }>(REFUSED_MAX);
  /** By account: when its projections were too large, on the process's monotonic clock. */
  readonly #refusals = new BoundedMap<string, readonly number[]>(ACCOUNTS_MAX);

  /** @throws {Problem} 400 `JSONPATH_INVALID`, 429, 503 */
  apply(projecting: Projecting): MaybePromise<string> {
    const { projection, data, pageKey, dataVersion, accountId } = projecting;
    const known = this.#refused.get(pageKey);
    if (known?.dataVersion === dataVersion) throw tooLarge(known.detail);
    this.#refuseMany(accountId);
    if (data.length <= SMALL_LENGTH_MAX) {
      const outcome = project(projection, data, SMALL_VISITS_MAX);
      if (outcome.kind !== "unfinished") return this.#settle(projecting, outcome);
    }
    const answer = Promise.withResolvers<string>();
    const entry = { projecting, sinceMs: performance.now(), answer };
    if (!this.#waiting.add(accountId, entry)) throw overloaded();
    this.#working.start();
    return answer.promise;
  }

  async #work(): Promise<void> {
    for (const { projecting, sinceMs, answer } of this.#waiting.drain()) {
      const startMs = performance.now();
      if (startMs - sinceMs > WAIT_MS_MAX) {
        answer.reject(overloaded());
        continue;
      }
      try {
        answer.resolve(this.#settle(projecting, project(projecting.projection, projecting.data)));
      } catch (error) {
        answer.reject(error);
      }
      await Bun.sleep(performance.now() - startMs);
    }
  }

  #settle({ pageKey, dataVersion, accountId }: Projecting, outcome: ProjectionOutcome): string {
    if (outcome.kind === "projected") return outcome.text;
    const { detail } = outcome;
    this.#refused.set(pageKey, { dataVersion, detail });
    this.#refusals.set(accountId, [...this.#recentOf(accountId), performance.now()]);
    throw tooLarge(detail);
  }

  #recentOf(accountId: string): readonly number[] {
    const sinceMs = performance.now() - WINDOW_MS;
    return (this.#refusals.get(accountId) ?? []).filter((atMs) => atMs > sinceMs);
  }

  #refuseMany(accountId: string): void {
    const recent = this.#recentOf(accountId);
    if (recent.length < PROJECTIONS_REFUSED_MAX) return;
    const retryAfterMs = Math.ceil((recent[0] as number) + WINDOW_MS - performance.now());
    const nowMs = Date.now();
    const window = {
      limit: PROJECTIONS_REFUSED_MAX,
      remaining: 0,
      resetSeconds: Math.ceil((nowMs + retryAfterMs) / MS_PER_SECOND),
    };
    throw rateLimited({ window, retryAfterMs }, nowMs, {
      of: "projections that grow too large",
    });
  }
}

function tooLarge(detail: string): Problem {
  return new Problem("JSONPATH_INVALID", { detail });
}

function overloaded(): Problem {
  return unavailable(
    "More projections that look at much wait than the gateway can serve; try again shortly.",
  );
}
