/**
 * Lines to standard error, whatever its reader does.
 *
 * A pipe takes a part of what is written, or nothing at all (`EAGAIN`), while its reader is slow, and the
 * process must neither end nor wait for that. So what was not taken is kept for later, in order and up
 * to a bound; lines beyond it are dropped, and counted.
 *
 * @module
 */
import { writeSync } from "node:fs";
import { codeOf } from "./error_fields.ts";

export interface StderrOptions {
  /** Takes a beginning of the bytes and tells how many; throws as `writeSync`. @default standard error */
  readonly writeBytes?: (bytes: Uint8Array) => number;
  /** Told once there is room again: how many lines were dropped. */
  readonly onDropped: (lineCount: number) => void;
}

/** Bytes that wait for a slow reader. */
export const BACKLOG_BYTES_MAX = 1_000_000;
const STDERR = 2;
/** From a write that took nothing to the next. */
const RETRY_MS = 20;

export class StderrLines {
  readonly #writeBytes: (bytes: Uint8Array) => number;
  readonly #onDropped: (lineCount: number) => void;
  /** Of this turn of the event loop. */
  #lines = "";
  /** What waits to be written, a piece a turn, and its length; of the first a part may be gone. */
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #droppedCount = 0;
  #isRetrying = false;

  constructor({ writeBytes = (bytes) => writeSync(STDERR, bytes), onDropped }: StderrOptions) {
    this.#writeBytes = writeBytes;
    this.#onDropped = onDropped;
  }

  /** Lines of one turn of the event loop leave in one write. */
  add(line: string): void {
    if (this.#lines === "") setImmediate(() => this.flush());
    this.#lines += `${line}\n`;
  }

  /** Writes what can be written now; never throws. */
  flush(): void {
    this.#take();
    if (this.#isRetrying) return;
    try {
      this.#writePieces();
    } catch (error) {
      if (codeOf(error) === "EAGAIN") this.#retryLater();
      // Nobody reads any more, and there is nobody to tell.
      else this.#forget();
      return;
    }
    if (this.#droppedCount === 0) return;
    const dropped = this.#droppedCount;
    this.#droppedCount = 0;
    this.#onDropped(dropped);
  }

  /** Once more, as the process ends. */
  end(): void {
    this.#isRetrying = false;
    this.flush();
  }

  /** The new lines go behind what waits, all or none of them. */
  #take(): void {
    if (this.#lines === "") return;
    const bytes = Buffer.from(this.#lines);
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes.length > BACKLOG_BYTES_MAX) {
      this.#droppedCount += this.#lines.split("\n").length - 1;
    } else {
      this.#pieces.push(bytes);
      this.#waitingBytes += bytes.length;
    }
    this.#lines = "";
  }

  /** Throws as `writeSync` where nothing is taken. */
  #writePieces(): void {
    for (let first = this.#pieces[0]; first !== undefined; first = this.#pieces[0]) {
      const taken = this.#writeBytes(first);
      if (taken === 0) throw Object.assign(new Error("nothing was taken"), { code: "EAGAIN" });
      this.#waitingBytes -= taken;
      if (taken < first.length) this.#pieces[0] = first.subarray(taken);
      else this.#pieces.shift();
    }
  }

  #forget(): void {
    this.#pieces = [];
    this.#waitingBytes = 0;
  }

  #retryLater(): void {
    if (this.#isRetrying) return;
    this.#isRetrying = true;
    setTimeout(() => {
      this.#isRetrying = false;
      this.flush();
    }, RETRY_MS).unref();
  }
}
