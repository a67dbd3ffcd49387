/**
 * Writes lines to standard error without waiting for its reader.
 *
 * If the reader of a pipe is slow, the pipe takes only a part of a write, or nothing (`EAGAIN`). The process must
 * neither end nor wait because of that. So the rest is kept and written later, up to a bound. Lines beyond the bound
 * are dropped and counted.
 *
 * @module
 */
import { writeSync } from "node:fs";
import { codeOf } from "./error_fields.ts";

export interface StderrOptions {
  /** Writes the first of the bytes and returns how many; throws as `writeSync`. @default standard error */
  readonly writeBytes?: (bytes: Uint8Array) => number;
  /** Called when there is room again, with the number of lines that were dropped. */
  readonly onDropped: (lineCount: number) => void;
}

/** Bytes that wait for a slow reader. */
export const BACKLOG_BYTES_MAX = 1_000_000;
const STDERR = 2;
/** Between a write that took nothing and the next try. */
const RETRY_MS = 20;

export class StderrLines {
  readonly #writeBytes: (bytes: Uint8Array) => number;
  readonly #onDropped: (lineCount: number) => void;
  /** Lines of this turn of the event loop. */
  #lines = "";
  /** What waits to be written, one piece for each turn. A part of the first may be written already. */
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
      // Nobody reads standard error any more, so there is nobody to warn.
      else this.#forget();
      return;
    }
    if (this.#droppedCount === 0) return;
    const dropped = this.#droppedCount;
    this.#droppedCount = 0;
    this.#onDropped(dropped);
  }

  /** Writes once more as the process ends. */
  end(): void {
    this.#isRetrying = false;
    this.flush();
  }

  /** Puts the new lines behind those that wait, all of them or none. */
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

  /** Throws as `writeSync` if nothing is taken. */
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
