/**
 * Server-sent events as a body. An event is produced only when the client has read the previous one. The gateway
 * disconnects a client that does not read for too long. If all clients together have too much unread data, it
 * disconnects one of the slowest.
 *
 * @module
 */
import type { SharedInterval } from "../lib/shared_interval.ts";
import { type Answer, CACHE_PRIVATE } from "./answer.ts";
import { unsentBodies } from "./load/unsent_bodies.ts";

interface EventStreamOptions {
  /** When to send a comment while there is no event. */
  readonly comments: SharedInterval;
  /** How long a client may leave data unread, in milliseconds. */
  readonly unreadMsMax: number;
  /**
   * Called once, however the stream ends. Bun keeps what was sent until it is read, so limit the connection's time
   * here.
   */
  readonly onEnd: () => void;
}

/** One event. The text of `data` must not contain a line feed, which compact JSON never does. */
export function eventText(event: {
  readonly name: string;
  readonly id?: string;
  readonly data: string;
}): string {
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `event: ${event.name}\n${id}data: ${event.data}\n\n`;
}

/** Sets what a client sends as `Last-Event-ID`, without dispatching an event. */
export function offsetText(id: string): string {
  return `id: ${id}\n\n`;
}

/** A comment, which keeps the connection open. */
export const KEEP_ALIVE = ":\n\n";
const KEEP_ALIVE_BYTES = Buffer.from(KEEP_ALIVE);

/** 200 with events as they arrive. The generator is ended with the connection. */
export function eventStream(
  events: AsyncGenerator<string, void, void>,
  { comments, unreadMsMax, onEnd }: EventStreamOptions,
): Answer {
  /** The rest of an event that is sent in parts. */
  let parts: AsyncIterator<Uint8Array> | undefined;
  let endComments: (() => void) | undefined;
  /** Whether the client has read every event. */
  let isAsked = false;
  /** Since when there is data that the client has not read. */
  let untakenMs: number | undefined;
  let isEnded = false;

  async function nextChunk(): Promise<Uint8Array | undefined> {
    const part = await parts?.next();
    if (part?.done === false) return part.value;
    parts = undefined;
    const { done, value } = await events.next();
    if (done === true) return undefined;
    // A large event counts as an unsent body.
    const body = unsentBodies.bodyOf(value);
    if (!(body instanceof ReadableStream)) return Buffer.from(value);
    parts = body.values();
    return nextChunk();
  }

  async function end(): Promise<void> {
    endComments?.();
    if (!isEnded) onEnd();
    isEnded = true;
    await Promise.all([parts?.return?.(), events.return()]);
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Comments are most of what is sent, and sending them through the generator would cost twice as much.
        endComments = comments.add(() => {
          if (isAsked && controller.desiredSize === 0) {
            untakenMs = undefined;
            if (parts === undefined) controller.enqueue(KEEP_ALIVE_BYTES);
            return;
          }
          untakenMs ??= performance.now();
          if (performance.now() - untakenMs < unreadMsMax) return;
          controller.error();
          end();
        });
      },
      async pull(controller) {
        isAsked = true;
        untakenMs = undefined;
        try {
          const chunk = await nextChunk();
          if (isEnded) {
            // It started while the stream was being closed.
            await parts?.return?.();
            return;
          }
          if (chunk === undefined) {
            end();
            controller.close();
            return;
          }
          isAsked = false;
          controller.enqueue(chunk);
        } catch {
          // Its event was the largest one left unread by a slow client.
          controller.error();
          end();
        }
      },
      cancel: end,
    },
    // A chunk is produced when the client has room for it.
    { highWaterMark: 0 },
  );
  return {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": CACHE_PRIVATE,
      // Otherwise proxies would hold back events to fill a buffer.
      "X-Accel-Buffering": "no",
    },
    body,
  };
}
