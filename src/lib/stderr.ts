/**
 * Writes lines to standard error without waiting for its reader.
 *
 * If the reader of a pipe is slow, the pipe accepts only a part of a write, or nothing (`EAGAIN`). The process must not
 * end or wait because of that. So the rest is kept in memory, up to a limit, and written later. Lines beyond the limit
 * are dropped and counted.
 *
 * @module
 */
import { writeSync } from "node:fs";
import { codeOf } from "./error_fields.ts";

export interface StderrOptions {
  /** Writes some of the bytes and returns how many. Throws like `writeSync`. @default standard error */
  readonly writeBytes?: (bytes: Uint8Array) => number;
  /** Called when there is room again, with the number of dropped lines. */
  readonly onDropped: (lineCount: number) => void;
}

/** Bytes that wait for a slow reader. */
export const BACKLOG_BYTES_MAX = 1_000_000;
const STDERR = 2;
/** Milliseconds between a write that was not accepted and the next try. */
const RETRY_MS = 20;

export class StderrLines {
  readonly #writeBytes: (bytes: Uint8Array) => number;
  readonly #onDropped: (lineCount: number) => void;
  /** Lines of this turn of the event loop. */
  #lines = "";
  /** Pending bytes, one piece for each turn. A part of the first piece may be written already. */
  #pieces: Uint8Array[] = [];
  #waitingBytes = 0;
  #droppedCount = 0;
  #isRetrying = false;

  constructor({ writeBytes = (bytes) => writeSync(STDERR, bytes), onDropped }: StderrOptions) {
    this.#writeBytes = writeBytes;
    this.#onDropped = onDropped;
  }

  /** Lines of one turn of the event loop are written together. */
  add(line: string): void {
    if (this.#lines === "") setImmediate(() => this.flush());
    this.#lines += `${line}\n`;
  }

  /** Writes what can be written now. Never throws. */
  flush(): void {
    this.#take();
    if (this.#isRetrying) return;
    try {
      this.#writePieces();
    } catch (error) {
      if (codeOf(error) === "EAGAIN") this.#retryLater();
      // Standard error is closed, so there is no one to warn.
      else this.#forget();
      return;
    }
    if (this.#droppedCount === 0) return;
    const dropped = this.#droppedCount;
    this.#droppedCount = 0;
    this.#onDropped(dropped);
  }

  /** Writes once more when the process ends. */
  end(): void {
    this.#isRetrying = false;
    this.flush();
  }

  /** Appends the new lines to the pending ones, all of them or none. */
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

  /** Throws like `writeSync` if nothing is accepted. */
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
