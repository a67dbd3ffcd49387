/**
 * Parses server-sent events from the bytes of an answer, as the HTML standard defines them. It works in every runtime,
 * and supports keys, which `EventSource` can't send.
 *
 * @module
 */
import { ConnectionError } from "./errors.ts";

/** One event. */
export interface ServerSentEvent {
  /** `message` if the server named none. */
  readonly name: string;
  readonly data: string;
  /** The position to resume after. */
  readonly id: string | undefined;
}

/** Larger than any page of rows. */
const EVENT_CHARS_MAX = 64 * 1_024 * 1_024;
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * Events until the stream ends. An incomplete event is dropped, as the standard requires.
 *
 * @param onBytes called whenever data arrives, comments included
 */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerSentEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let event = newEvent();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw new ConnectionError("the stream was interrupted", { cause });
      });
      if (done) return;
      onBytes();
      const lines = (rest + decoder.decode(value, { stream: true })).split(LINE_END);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line !== "") {
          readLine(event, line);
          continue;
        }
        if (event.data.length > 0 || event.id !== undefined) {
          const { name, data, id } = event;
          yield { name, data: data.join("\n"), id };
        }
        event = newEvent();
      }
      if (rest.length + event.chars > EVENT_CHARS_MAX) {
        throw new ConnectionError("an event of the stream is too long");
      }
    }
  } finally {
    // When the caller stops reading, the connection is closed. A broken one has nothing to close.
    await reader.cancel().catch(() => undefined);
  }
}

interface OpenEvent {
  name: string;
  data: string[];
  id: string | undefined;
  chars: number;
}

function newEvent(): OpenEvent {
  return { name: "message", data: [], id: undefined, chars: 0 };
}

function readLine(event: OpenEvent, line: string): void {
  const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  event.chars += line.length;
  if (field === "event") event.name = value;
  else if (field === "data") event.data.push(value);
  else if (field === "id") event.id = value;
}
