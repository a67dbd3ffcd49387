/**
 * A reader of server-sent events from which a test requests one event at a time.
 *
 * @module
 */

export interface SentEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

export interface EventReader {
  readonly response: Response;
  /** The next event with one of these names; "" for the next one without a name. Rejects if the stream has ended. */
  next(...names: readonly string[]): Promise<SentEvent>;
  close(): void;
}

/** Rejects if the response is not an event stream. */
export async function readEvents(
  url: string,
  headers: Record<string, string>,
): Promise<EventReader> {
  const closing = new AbortController();
  const response = await fetch(url, { headers, signal: closing.signal });
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
    throw new Error(`${response.status} ${await response.text()}`);
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    response,
    async next(...names) {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const lines = text.slice(0, end).split("\n");
          text = text.slice(end + 2);
          const field = (wanted: string) =>
            lines.find((line) => line.startsWith(`${wanted}: `))?.slice(wanted.length + 2) ?? "";
          const name = field("event");
          if (!names.includes(name)) continue;
          return { name, id: field("id"), data: field("data") };
        }
        const { done, value } = await reader.read();
        if (done) throw new Error("the stream of events has ended");
        text += value;
      }
    },
    close: () => closing.abort(),
  };
}
