/**
 * Runs the projections of pages in turns, so that none blocks the gateway.
 *
 * A small one runs immediately. Large ones run one at a time: accounts take turns, and after each projection, all other
 * work gets as much processor time. A projection that grows too large gets 400. Because that costs nothing, an account
 * with ten of them within a minute gets 429 for its projections.
 *
 * @module
 */

import { rateLimitedFor } from "../../api/callers/rate_headers.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { BackgroundWork } from "../../lib/background_work.ts";
import { BoundedMap } from "../../lib/bounded_map.ts";
import { TurnQueue } from "../../lib/turn_queue.ts";
import { PROJECTIONS_REFUSED_MAX, WINDOW_MS } from "../../limits.ts";
import { type Projected, type ProjectionOutcome, project } from "./projection.ts";
import type { Projection } from "./projection_parse.ts";

/** What to project, and for which account. */
export interface Projecting {
  readonly projection: Projection;
  /** JSON text. */
  readonly data: string;
  readonly accountId: string;
}

interface Waiting extends Projecting {
  readonly sinceMs: number;
  readonly answer: PromiseWithResolvers<Projected>;
}

/** The size up to which a projection runs immediately, 5 ms at most: characters of the data, and nodes visited. */
const SMALL_LENGTH_MAX = 256 * 1_024;
const SMALL_VISITS_MAX = 50_000;
/** How many may wait for their turn, each with up to several MB of data, and for how long. */
const WAITING_MAX = 16;
const WAIT_MS_MAX = 5_000;
const ACCOUNTS_MAX = 10_000;

export class Projections {
  readonly #waiting = new TurnQueue<Waiting>(WAITING_MAX);
  readonly #working = new BackgroundWork(() => this.#work());
  /** By account: when its projections were too large, on the process's monotonic clock. */
  readonly #refusals = new BoundedMap<string, readonly number[]>(ACCOUNTS_MAX);

  /** @throws {Problem} 400 `JSONPATH_INVALID`, 429, 503 */
  apply(projecting: Projecting): Projected | Promise<Projected> {
    const { projection, data, accountId } = projecting;
    this.#checkRefusals(accountId);
    if (data.length <= SMALL_LENGTH_MAX) {
      const outcome = project(projection, data, SMALL_VISITS_MAX);
      if (outcome.kind === "projected" || !outcome.isCutOff)
        return this.#projectedBy(outcome, accountId);
    }
    const answer = Promise.withResolvers<Projected>();
    const waiting = { ...projecting, sinceMs: performance.now(), answer };
    if (!this.#waiting.add(accountId, waiting)) throw overloaded();
    this.#working.start();
    return answer.promise;
  }

  async #work(): Promise<void> {
    for (const { projection, data, accountId, sinceMs, answer } of this.#waiting.drain()) {
      const startMs = performance.now();
      try {
        if (startMs - sinceMs > WAIT_MS_MAX) throw overloaded();
        answer.resolve(this.#projectedBy(project(projection, data), accountId));
      } catch (error) {
        answer.reject(error);
      }
      await Bun.sleep(performance.now() - startMs);
    }
  }

  /** Counts a projection whose result is refused for any reason, because the work was wasted. */
  noteRefused(accountId: string): void {
    this.#refusals.set(accountId, [...this.#recentRefusals(accountId), performance.now()]);
  }

  #projectedBy(outcome: ProjectionOutcome, accountId: string): Projected {
    if (outcome.kind === "projected") return outcome;
    this.noteRefused(accountId);
    throw new Problem("JSONPATH_INVALID", { detail: outcome.detail });
  }

  #recentRefusals(accountId: string): readonly number[] {
    const sinceMs = performance.now() - WINDOW_MS;
    return (this.#refusals.get(accountId) ?? []).filter((atMs) => atMs > sinceMs);
  }

  #checkRefusals(accountId: string): void {
    const recent = this.#recentRefusals(accountId);
    const [oldestMs] = recent;
    if (oldestMs === undefined || recent.length < PROJECTIONS_REFUSED_MAX) return;
    const retryAfterMs = Math.ceil(oldestMs + WINDOW_MS - performance.now());
    throw rateLimitedFor(retryAfterMs, {
      limit: PROJECTIONS_REFUSED_MAX,
      of: "projections that grow too large",
    });
  }
}

function overloaded(): Problem {
  return unavailable(
    "More projections that look at much wait than the gateway can serve. Try again shortly.",
  );
}
