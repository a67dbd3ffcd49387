/**
 * Server-sent events as a body: an event is made only when the client has taken the one before. A client that
 * takes nothing for too long is given up, and so is one of the slowest where all hold too much unread.
 *
 * @module
 */
import type { Answer } from "./answer.ts";
import { unsentBodies } from "./unsent_bodies.ts";

export interface EventStreamOptions {
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

/** 200 with events as they come; the generator is ended with the connection. */
export function eventStream(
  events: AsyncGenerator<string, void, void>,
  { unreadMsMax, onEnd }: EventStreamOptions,
): Answer {
  const chunks = chunksOf(events);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isEnded = false;
  const end = () => {
    clearTimeout(timer);
    if (!isEnded) onEnd();
    isEnded = true;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await chunks.next();
          if (isEnded) return;
          if (done === true) {
            end();
            controller.close();
            return;
          }
          controller.enqueue(value);
        } catch {
          // It was the largest that a slow client left unread.
          controller.error();
          end();
          return;
        }
        timer = setTimeout(() => {
          controller.error();
          end();
          chunks.return();
        }, unreadMsMax);
      },
      async cancel() {
        end();
        await chunks.return();
      },
    },
    // A chunk is made when the client has room for it.
    { highWaterMark: 0 },
  );
  return {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "private, no-cache",
      // Proxies would hold events back to fill a buffer.
      "X-Accel-Buffering": "no",
    },
    body,
  };
}

/** A large event counts among the unsent bodies, and goes out in parts. */
async function* chunksOf(
  events: AsyncGenerator<string, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const event of events) {
    const body = unsentBodies.bodyOf(event);
    if (body instanceof ReadableStream) yield* body;
    else yield Buffer.from(event);
  }
}
