/**
 * Server-sent events as a body: an event is made only when the client has taken the one before. A client that
 * takes nothing for too long is given up.
 *
 * @module
 */
import type { Answer } from "./answer.ts";

export interface EventStreamOptions {
  /** How long an event may wait for its client, in milliseconds. */
  readonly unreadMsMax: number;
  /** Called once, however the stream ends. */
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

/** A comment, which keeps the connection open. */
export const KEEP_ALIVE = ":\n\n";

/** 200 with events as they come; the generator is ended with the connection. */
export function eventStream(
  events: AsyncGenerator<string, void, void>,
  { unreadMsMax, onEnd }: EventStreamOptions,
): Answer {
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = async () => {
    clearTimeout(timer);
    onEnd();
    await events.return();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        const { done, value } = await events.next();
        if (done === true) {
          onEnd();
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(value));
        timer = setTimeout(() => {
          controller.error(new Error("the client takes no events"));
          end();
        }, unreadMsMax);
      },
      cancel: end,
    },
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
