/**
 * Limits the bytes of request bodies that a process holds at once, in all and for each account.
 *
 * A body counts with the size of its buffers until the work on it is done. That is its declared length, or what has
 * come so far. An account may hold as many bytes as it leaves free for the others. So no account keeps others out,
 * whatever it declares and however slowly it sends.
 *
 * @module
 */
import { SharedPool } from "../../lib/shared_pool.ts";
import { unavailable } from "../errors.ts";

/** Sets how many bytes a body holds from now on, in all. @throws {Problem} 503 */
export type HoldBytes = (bytes: number) => void;

export class BodyBudget {
  readonly #pool: SharedPool;

  /** @param bytesMax of all bodies together. */
  constructor(bytesMax: number) {
    this.#pool = new SharedPool(bytesMax);
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#pool.held;
  }

  /** Does the work on one body of the account. At its end, what it holds is given back. */
  async whileHeld<Result>(
    accountId: string,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    let held = 0;
    try {
      return await work((bytes) => {
        const more = bytes - held;
        // A single body always has room. Otherwise a limit on bodies that was set high could never be used.
        const isAlone = this.bytes === held;
        if (more > 0 && !isAlone && !this.#pool.mayTake(accountId, more)) {
          throw unavailable(
            "More bodies are on their way than the gateway can hold. Send it again in a second.",
            // The rest of the body stays unread, so the connection can't be used again.
            { headers: { Connection: "close" } },
          );
        }
        this.#pool.take(accountId, more);
        held = bytes;
      });
    } finally {
      this.#pool.giveBack(accountId, held);
    }
  }
}
