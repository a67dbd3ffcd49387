/**
 * Limits the bytes that a process keeps for clients that read slowly.
 *
 * Bun keeps an answer until the kernel has taken all of it, and does not report when that happens. So a large body is
 * sent as a stream, in chunks, which shows when it is sent or the client disconnects. A part that several answers share
 * counts once. If all parts together exceed the limit, the slowest answers are aborted, and their connections are
 * closed. A small body is sent at once, with its `Content-Length`.
 *
 * @module
 */
import { STREAMED_BYTES_MIN, UNSENT_BYTES_MAX } from "../../limits.ts";
import { type Answer, type AnswerPart, type BodyPart, QuotedText } from "../answer.ts";

interface UnsentBodiesOptions {
  /** Limit of all large bodies together, in bytes. */
  readonly bytesMax: number;
  /** Bodies of at least this size are streamed, in bytes. */
  readonly streamedBytesMin: number;
  /** Milliseconds of a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

/** A body that is being sent. */
interface Sending {
  readonly startedMs: number;
  sentBytes: number;
  /** Empty after the end, or after an abort. */
  parts: readonly AnswerPart[];
  chunks: Iterator<Uint8Array>;
}

/** A part, and the number of answers that use it. */
interface HeldPart {
  readonly bytes: number;
  holders: number;
}

const CHUNK_LENGTH = 64 * 1_024;
/** Answers younger than this, in milliseconds, are aborted only if there is no older one. */
const YOUNG_MS = 1_000;
const NO_PARTS: readonly AnswerPart[] = [];

export class UnsentBodies {
  readonly #options: Required<UnsentBodiesOptions>;
  readonly #sending = new Set<Sending>();
  readonly #held = new Map<BodyPart, HeldPart>();
  #bytes = 0;

  constructor({ now = () => performance.now(), ...options }: UnsentBodiesOptions) {
    this.#options = { ...options, now };
  }

  /** Bytes of all parts in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The body for a Response. A blob is not counted, because Bun shares its bytes between answers. */
  bodyOf(body: Answer["body"]): BodyPart | Blob | ReadableStream<Uint8Array> | null {
    if (body === null || body instanceof Blob || body instanceof ReadableStream) return body;
    const parts = typeof body === "string" || body instanceof Uint8Array ? [body] : body;
    let length = 0;
    for (const part of parts) length += keptOf(part).length;
    return length < this.#options.streamedBytesMin ? joined(parts) : this.#stream(parts);
  }

  #stream(parts: readonly AnswerPart[]): ReadableStream<Uint8Array> {
    const startedMs = this.#options.now();
    const sending: Sending = { startedMs, sentBytes: 0, parts, chunks: chunksOf(parts) };
    for (const part of parts) this.#hold(keptOf(part));
    while (this.#bytes > this.#options.bytesMax) {
      const slowest = this.#slowest();
      if (slowest === undefined) break;
      this.#end(slowest);
    }
    this.#sending.add(sending);
    return new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          // An aborted answer must not look complete.
          if (!this.#sending.has(sending)) return controller.error();
          const { done, value } = sending.chunks.next();
          if (done === true) {
            this.#end(sending);
            return controller.close();
          }
          sending.sentBytes += value.length;
          controller.enqueue(value);
        },
        cancel: () => this.#end(sending),
      },
      // A chunk is produced when the client has room for it.
      { highWaterMark: 0 },
    );
  }

  #slowest(): Sending | undefined {
    const nowMs = this.#options.now();
    let slowest: Sending | undefined;
    let slowestRate = Number.POSITIVE_INFINITY;
    for (const sending of this.#sending) {
      const ageMs = nowMs - sending.startedMs;
      const rate = ageMs < YOUNG_MS ? Number.POSITIVE_INFINITY : sending.sentBytes / ageMs;
      if (slowest !== undefined && rate >= slowestRate) continue;
      slowest = sending;
      slowestRate = rate;
    }
    return slowest;
  }

  #end(sending: Sending): void {
    if (!this.#sending.delete(sending)) return;
    for (const part of sending.parts) this.#release(keptOf(part));
    sending.parts = NO_PARTS;
    sending.chunks = chunksOf(NO_PARTS);
  }

  #hold(part: BodyPart): void {
    const held = this.#held.get(part) ?? { bytes: Buffer.byteLength(part), holders: 0 };
    if (held.holders === 0) this.#bytes += held.bytes;
    held.holders += 1;
    this.#held.set(part, held);
  }

  #release(part: BodyPart): void {
    const held = this.#held.get(part);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#held.delete(part);
    this.#bytes -= held.bytes;
  }
}

/** The large bodies of this process. */
export const unsentBodies = new UnsentBodies({
  bytesMax: UNSENT_BYTES_MAX,
  streamedBytesMin: STREAMED_BYTES_MIN,
});

/** The part as it is in memory. A text that is sent both plain and quoted is stored once. */
function keptOf(part: AnswerPart): BodyPart {
  return part instanceof QuotedText ? part.text : part;
}

/** The text as the inside of a JSON string. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function joined(parts: readonly AnswerPart[]): BodyPart {
  const made = parts.map((part) => (part instanceof QuotedText ? quoted(part.text) : part));
  const [first = ""] = made;
  if (made.length < 2) return first;
  const texts = made.filter((part) => typeof part === "string");
  return texts.length === made.length
    ? texts.join("")
    : Buffer.concat(made.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
}

function* chunksOf(parts: readonly AnswerPart[]): Iterator<Uint8Array> {
  for (const part of parts) {
    const kept = keptOf(part);
    let start = 0;
    while (start < kept.length) {
      let end = start + CHUNK_LENGTH;
      if (typeof kept === "string") {
        // Never splits a character: a high surrogate stays with the low one after it.
        if ((kept.charCodeAt(end - 1) & 0xfc00) === 0xd800) end -= 1;
        const text = kept.slice(start, end);
        yield Buffer.from(part instanceof QuotedText ? quoted(text) : text);
      } else {
        yield kept.subarray(start, end);
      }
      start = end;
    }
  }
}
