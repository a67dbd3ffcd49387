/**
 * How many bytes of bodies one process has in its hands at once, and one account of them.
 *
 * A body counts by the buffers that its bytes come into, which is what it declares, or grows with what has
 * come, until the work on it is done. An account's bodies may have as many bytes as they leave free, so
 * that no account keeps others out, whatever it declares and however slowly it sends.
 *
 * @module
 */
import { SharedPool } from "../lib/shared_pool.ts";
import { type Problem, unavailable } from "./errors.ts";

/** Sets how many bytes of a body are held from now on, all in all. @throws {Problem} 503 */
export type HoldBytes = (bytes: number) => void;

export class BodyBudget {
  readonly #pool: SharedPool;

  /** @param bytesMax of all bodies together. */
  constructor(bytesMax: number) {
    this.#pool = new SharedPool(bytesMax);
  }

  /** Bytes in hand. */
  get bytes(): number {
    return this.#pool.held;
  }

  /** Does the work on one body of the account; what it holds then is given back at its end. */
  async whileHeld<Result>(
    accountId: string,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    let held = 0;
    try {
      return await work((bytes) => {
        const more = bytes - held;
        // One body alone always has room, or a limit that was set high could never be used.
        const isAlone = this.bytes === held;
        if (more > 0 && !isAlone && !this.#pool.mayTake(accountId, more)) throw tooManyBodies();
        this.#pool.take(accountId, more);
        held = bytes;
      });
    } finally {
      this.#pool.giveBack(accountId, held);
    }
  }
}

/** The body is not read on, so the connection can't be used again. */
function tooManyBodies(): Problem {
  return unavailable(
    "More bodies are on their way than the gateway can hold. Send it again in a second.",
    { headers: { Connection: "close" } },
  );
}
