/**
 * Server-sent events as a body: an event is made only when the client has taken the one before. The gateway closes
 * a client that takes nothing for too long. If all clients together hold too much unread, it closes one of the slowest.
 *
 * @module
 */
import type { SharedInterval } from "../lib/shared_interval.ts";
import { type Answer, CACHE_PRIVATE } from "./answer.ts";
import { unsentBodies } from "./load/unsent_bodies.ts";

interface EventStreamOptions {
  /** When a comment is sent while no event comes. */
  readonly comments: SharedInterval;
  /** How long a client may take nothing while there is something for it, in milliseconds. */
  readonly unreadMsMax: number;
  /** Called once, however the stream ends. Bun keeps what was sent until it is read: bound the connection here. */
  readonly onEnd: () => void;
}

/** One event. The text of `data` has no line feed, as compact JSON has none. */
export function eventText(event: {
  readonly name: string;
  readonly id?: string;
  readonly data: string;
}): string {
  const id = event.id === undefined ? "" : `id: ${event.id}\n`;
  return `event: ${event.name}\n${id}data: ${event.data}\n\n`;
}

/** Sets what a client sends as `Last-Event-ID`, and is no event to it. */
export function offsetText(id: string): string {
  return `id: ${id}\n\n`;
}

/** A comment, which keeps the connection open. */
export const KEEP_ALIVE = ":\n\n";
const KEEP_ALIVE_BYTES = Buffer.from(KEEP_ALIVE);

/** 200 with events as they come; the generator is ended with the connection. */
export function eventStream(
  events: AsyncGenerator<string, void, void>,
  { comments, unreadMsMax, onEnd }: EventStreamOptions,
): Answer {
  /** The rest of an event that is sent in parts. */
  let parts: AsyncIterator<Uint8Array> | undefined;
  let endComments: (() => void) | undefined;
  /** Whether the client has taken every event. */
  let isAsked = false;
  /** Since when there is something that it has not taken. */
  let untakenMs: number | undefined;
  let isEnded = false;

  async function nextChunk(): Promise<Uint8Array | undefined> {
    const part = await parts?.next();
    if (part?.done === false) return part.value;
    parts = undefined;
    const { done, value } = await events.next();
    if (done === true) return undefined;
    // A large event counts among the unsent bodies.
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
        // Comments are most of what is sent: each by way of the generator would cost twice as much.
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
            // It began in the meantime.
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
          // Its event was the largest that a slow client left unread.
          controller.error();
          end();
        }
      },
      cancel: end,
    },
    // A chunk is made when the client has room for it.
    { highWaterMark: 0 },
  );
  return {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": CACHE_PRIVATE,
      // Proxies would hold events back to fill a buffer.
      "X-Accel-Buffering": "no",
    },
    body,
  };
}
