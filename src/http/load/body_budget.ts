/**
 * Limits the bytes of request bodies in memory, in total and per account.
 *
 * Until it is processed, a body counts with the size of its buffers: its declared length, or what has arrived so far.
 * An account may use at most as many bytes as it leaves free for others. So no account locks out others, whatever
 * length it declares and however slowly it sends.
 *
 * @module
 */
import { SharedPool } from "../../lib/shared_pool.ts";
import { unavailable } from "../problem_details.ts";

export interface HoldBytes {
  /** Sets how many bytes in total a body uses from now on. @throws {Problem} 503 */
  (bytes: number): void;
  /** If a body declares more bytes than this, only the bytes that have arrived are counted. */
  readonly heldUnsentMax: number;
}

interface BodyBudgetOptions {
  /**
   * See `HoldBytes`. A caller who sends nothing then uses nothing. Reading such a body takes twice the time, so this is
   * for unauthenticated callers. @default Infinity
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

  /** Bytes in use. */
  get bytes(): number {
    return this.#pool.held;
  }

  /** Runs the work on one body of the account, or of another holder. Afterwards, the body's bytes are free again. */
  async whileHeld<Result>(
    accountId: string,
    work: (hold: HoldBytes) => Promise<Result>,
  ): Promise<Result> {
    let held = 0;
    const hold = (bytes: number) => {
      const more = bytes - held;
      // A single body always has room. Otherwise a high limit on bodies could never be used.
      const isAlone = this.bytes === held;
      if (more > 0 && !isAlone && !this.#pool.mayTake(accountId, more)) {
        throw unavailable(
          "Too many request bodies are in transit. Try again in a second.",
          // The rest of the body is not read, so the connection can't be reused.
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
