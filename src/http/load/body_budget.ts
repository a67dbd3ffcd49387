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
import { unavailable } from "../problem_details.ts";

export interface HoldBytes {
  /** Sets how many bytes a body holds from now on, in all. @throws {Problem} 503 */
  (bytes: number): void;
  /** Of a body that declares more bytes than this, only what has come is held. */
  readonly heldUnsentMax: number;
}

interface BodyBudgetOptions {
  /**
   * As of `HoldBytes`. A caller who sends nothing then holds nothing. To read such a body takes twice the time, so it is
   * for callers who may be anybody. @default Infinity
   */
  readonly heldUnsentMax?: number;
}

export class BodyBudget {
  readonly #pool: SharedPool;
  readonly #heldUnsentMax: number;

  /** @param bytesMax of all bodies together. */
  constructor(bytesMax: number, { heldUnsentMax = Infinity }: BodyBudgetOptions = {}) {
    this.#pool = new SharedPool(bytesMax);
    this.#heldUnsentMax = heldUnsentMax;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#pool.held;
  }

  /** Does the work on one body of the account, or of another holder. At its end, what it holds is given back. */
  async whileHeld<Result>(
    accountId: string,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    let held = 0;
    const hold = (bytes: number) => {
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
    };
    try {
      return await work(Object.assign(hold, { heldUnsentMax: this.#heldUnsentMax }));
    } finally {
      this.#pool.giveBack(accountId, held);
    }
  }
}
