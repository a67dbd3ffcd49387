/**
 * Runs the projections of pages in turns, so that none blocks the gateway.
 *
 * A small one runs immediately. Large ones run one at a time: accounts take turns, and after each projection, all other
 * work gets as much processor time. A projection that grows too large, or larger than its caller takes, gets 400. Because
 * that costs nothing, an account with ten of them within a minute gets 429 for its projections.
 *
 * @module
 */
import { KeyedLimit } from "../../api/callers/keyed_limit.ts";
import { Problem, unavailable } from "../../http/problem_details.ts";
import { BackgroundWork } from "../../lib/background_work.ts";
import { TurnQueue } from "../../lib/turn_queue.ts";
import { PROJECTIONS_REFUSED_MAX } from "../../limits.ts";
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
  /** By account. */
  readonly #refusals = new KeyedLimit({
    limit: PROJECTIONS_REFUSED_MAX,
    of: "projections that grow too large",
    keysMax: ACCOUNTS_MAX,
  });

  /** @throws {Problem} 400 `JSONPATH_INVALID`, 429, 503 */
  apply(projecting: Projecting): Projected | Promise<Projected> {
    const { projection, data, accountId } = projecting;
    this.#refusals.check(accountId);
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
      // The data has just been received and decoded, so other work comes first.
      await Bun.sleep(0);
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

  /** Counts a projection whose result the caller can't take. @throws {Problem} 429 */
  noteRefused(accountId: string): void {
    this.#refusals.check(accountId);
    this.#refusals.note(accountId);
  }

  #projectedBy(outcome: ProjectionOutcome, accountId: string): Projected {
    if (outcome.kind === "projected") return outcome;
    this.#refusals.note(accountId);
    throw new Problem("JSONPATH_INVALID", { detail: outcome.detail });
  }
}

function overloaded(): Problem {
  return unavailable("Too many large projections are waiting. Try again shortly.");
}
