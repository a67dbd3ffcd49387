/**
 * Reads request bodies up to a limit, and checks their media type and encoding.
 *
 * Takes a request, and returns its bytes, decoded if they were gzipped, or throws the problem to answer with. Whatever
 * a client sends, no more than the limit is in memory. A larger Content-Length is refused, and its body dropped. A
 * stream is counted as it arrives, and a gzip body is limited both as sent and as decoded. `hold` is called before each
 * buffer is allocated. If the length is declared, there is one buffer and the native reader fills it, in less than half
 * the time of a stream.
 *
 * gzip is decoded in one step after the whole body has arrived, which takes about 1 ms for 2 MB. A decompression bomb
 * gains nothing from that: its sent bytes are limited, and its decoding stops at the limit.
 *
 * @module
 */
import { gunzipSync } from "node:zlib";
import { assert } from "../lib/assert.ts";
import { codeOf, fieldOf } from "../lib/error_fields.ts";
import { foreignKind } from "../lib/file_kind.ts";
import { within } from "../lib/within.ts";
import { LINGER_BYTES_MAX, LINGER_MS_MAX, LINGER_SILENCE_MS_MAX } from "../limits.ts";
import type { HoldBytes } from "./load/body_budget.ts";
import { Problem } from "./problem_details.ts";

interface ReceiveOptions {
  /** The most bytes of the body that are allowed, after gzip decoding. */
  readonly bytesMax: number;
  /** The 413 for a larger body. It must close the connection, because a part of the body may remain unread. */
  readonly tooLarge: () => Problem;
  /** Called with the total bytes of the body's buffers. If it throws, reading ends. */
  readonly hold: HoldBytes;
}

/** First buffer of a chunked body, in bytes. It doubles up to the limit. */
const BUFFER_BYTES_FIRST = 64 * 1_024;
/**
 * How much longer a gzip body may be than its limit: deflate's fixed codes use up to 9 bits per byte, and there are
 * header and trailer. Without this limit, empty members could go on forever.
 */
const GZIP_GROWTH_DIVISOR = 8;
const GZIP_FRAME_BYTES = 1_024;

/** Media types of each form, and its name in messages. */
const FORMS: Readonly<Record<BodyForm, { readonly type: RegExp; readonly words: string }>> = {
  json: {
    type: /^application\/(?:json|[!#$%&'*+.^_`|~0-9a-z-]+\+json)$/,
    words: "application/json",
  },
  ndjson: {
    type: /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|json-?lines)$/,
    words: "application/x-ndjson (one row per line)",
  },
  csv: { type: /^(?:text|application)\/(?:x-)?csv$/, words: "text/csv" },
};
const CHARSET_PARAMETER = /^charset\s*=\s*(.*)$/;
/** `ignoreBOM` keeps the mark, so that the JSON reader refuses it. RFC 8259, section 8.1. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a body's bytes up to the limit. @throws {Problem} 413, 400; 503 of `hold` */
export async function receiveBody(request: Request, options: ReceiveOptions): Promise<Uint8Array> {
  const { bytesMax, hold } = options;
  try {
    if (contentCodingOf(request) === "identity") return await receive(request, options);
    const gzipBytesMax = bytesMax + Math.ceil(bytesMax / GZIP_GROWTH_DIVISOR) + GZIP_FRAME_BYTES;
    const bytes = await receive(request, { ...options, bytesMax: gzipBytesMax });
    // The decoded size is not known yet, so the largest possible one is reserved.
    hold(bytes.length + bytesMax);
    const decoded = decodeGzip(bytes, options);
    hold(decoded.length);
    return decoded;
  } catch (error) {
    if (error instanceof Error && error.name === "AbortError") {
      throw bodyNotJson("the connection ended before it was complete");
    }
    throw error;
  }
}

/** Decodes strict UTF-8, and keeps a byte order mark. @throws {Problem} 400 */
export function bodyTextOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw bodyNotJson("it is empty");
  const kind = foreignKind(bytes);
  if (kind !== undefined) throw bodyNotJson(`it is ${kind}`);
  try {
    return UTF8.decode(bytes);
  } catch {
    throw bodyNotJson("it is not valid UTF-8");
  }
}

/** 400. The reason completes the sentence "The body can't be read as JSON: …". */
export function bodyNotJson(reason: string): Problem {
  return new Problem("BODY_NOT_JSON", {
    detail: `The body can't be read as JSON: ${reason}. Send it again as UTF-8 JSON.`,
  });
}

/** The formats of a body. */
export type BodyForm = "json" | "ndjson" | "csv";

/** The form of a body according to its headers. @param forms the accepted forms @throws {Problem} 415 */
export function mediaTypeOf<Form extends BodyForm = "json">(
  request: Request,
  forms: readonly Form[],
): Form | Problem {
  const coding = contentCodingOf(request);
  if (coding === undefined) {
    const got = request.headers.get("content-encoding");
    return unsupported(`The Content-Encoding "${got}" is not supported. Send gzip or none.`);
  }
  const wanted = forms.map((form) => FORMS[form].words).join(" or ");
  const header = request.headers.get("content-type");
  if (header === null) return unsupported(`Content-Type is missing. Send ${wanted}.`);
  const [type = "", ...parameters] = header.split(";").map((part) => part.trim().toLowerCase());
  for (const parameter of parameters) {
    const charset = CHARSET_PARAMETER.exec(parameter)?.[1];
    // JSON between systems is UTF-8. RFC 8259, section 8.1.
    if (charset !== undefined && charset !== "utf-8" && charset !== '"utf-8"') {
      return unsupported(
        `The Content-Type "${header}" is not UTF-8. Send it with the charset utf-8, or without one.`,
      );
    }
  }
  const form = forms.find((each) => FORMS[each].type.test(type));
  return form ?? unsupported(`The Content-Type "${header}" is not supported. Send ${wanted}.`);
}

/** Whether a body must be decoded. */
export function isGzipped(request: Request): boolean {
  return contentCodingOf(request) === "gzip";
}

/** Content-Length. Undefined if it is missing or not a number, such as "5, 5" of a header that was sent twice. */
export function declaredBytes({ headers }: Request): number | undefined {
  const text = headers.get("content-length");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function unsupported(detail: string): Problem {
  return new Problem("UNSUPPORTED_MEDIA_TYPE", { detail });
}

/** Undefined if there is a coding that we don't decode, or more than one. */
function contentCodingOf(request: Request): "identity" | "gzip" | undefined {
  switch (request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity") {
    case "identity":
      return "identity";
    case "gzip":
    // An alias of gzip. RFC 9110, section 8.4.1.3.
    case "x-gzip":
      return "gzip";
    default:
      return undefined;
  }
}

/** The body as sent. */
async function receive(request: Request, options: ReceiveOptions): Promise<Uint8Array> {
  const declared = declaredBytes(request);
  if (declared === undefined) {
    return request.body ? receiveStream(request.body, options) : new Uint8Array(0);
  }
  if (declared > options.bytesMax) {
    const isShort = declared - options.bytesMax <= LINGER_BYTES_MAX;
    if (isShort && request.body) await drop(request.body.getReader());
    throw options.tooLarge();
  }
  if (declared > options.hold.heldUnsentMax) {
    return request.body ? receiveStream(request.body, options) : new Uint8Array(0);
  }
  options.hold(declared);
  // The server reads no more than was declared, so the native reader is limited too.
  return request.bytes();
}

/** Copies the chunks into one buffer, because a body may arrive in chunks of one byte. */
async function receiveStream(
  body: ReadableStream<Uint8Array>,
  { bytesMax, tooLarge, hold }: ReceiveOptions,
): Promise<Uint8Array> {
  const bufferOf = (size: number) => {
    const bytes = Math.min(size, bytesMax);
    hold(bytes);
    return new Uint8Array(bytes);
  };
  let buffer = bufferOf(Math.min(hold.heldUnsentMax, BUFFER_BYTES_FIRST));
  let length = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value: chunk } = await reader.read();
      if (done) return buffer.subarray(0, length);
      const lengthNext = length + chunk.length;
      if (lengthNext > bytesMax) {
        buffer = new Uint8Array(0);
        hold(0);
        await drop(reader);
        throw tooLarge();
      }
      if (lengthNext > buffer.length) {
        const grown = bufferOf(Math.max(buffer.length * 2, lengthNext));
        grown.set(buffer.subarray(0, length));
        buffer = grown;
      }
      buffer.set(chunk, length);
      length = lengthNext;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The common part of two type declarations of a stream's reader. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/**
 * Receives and discards the rest of a refused body. If the connection were closed while the client sends, it would be
 * reset, and the answer lost. RFC 9112, section 9.6.
 */
async function drop(reader: BodyReader): Promise<void> {
  const endMs = performance.now() + LINGER_MS_MAX;
  let bytes = 0;
  while (bytes <= LINGER_BYTES_MAX && performance.now() < endMs) {
    // A client that has disconnected needs no answer.
    const part = await within(reader.read(), LINGER_SILENCE_MS_MAX).catch(() => "gone" as const);
    if (typeof part === "string" || part.done) break;
    bytes += part.value?.length ?? 0;
  }
  reader.cancel().catch(() => {});
}

/** All members of a gzip file, without trailing bytes. RFC 1952, section 2.2. */
function decodeGzip(bytes: Uint8Array, { bytesMax, tooLarge }: ReceiveOptions): Uint8Array {
  try {
    const { buffer, bytesWritten } = gunzipWithInfo(bytes, bytesMax);
    // zlib ignores zeros after the last member.
    if (bytesWritten !== bytes.length) throw brokenGzip();
    return buffer;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge();
    if (code === "Z_DATA_ERROR" || code === "Z_BUF_ERROR") throw brokenGzip();
    throw error;
  }
}

function brokenGzip(): Problem {
  return bodyNotJson("it is not a complete gzip stream");
}

/** `info` adds the engine, whose `bytesWritten` is the number of decoded bytes. The types don't include it. */
function gunzipWithInfo(
  bytes: Uint8Array,
  maxOutputLength: number,
): { readonly buffer: Uint8Array; readonly bytesWritten: number } {
  const decoded: unknown = gunzipSync(bytes, { maxOutputLength, info: true });
  assert(typeof decoded === "object" && decoded !== null, "zlib answers with an object");
  assert("buffer" in decoded && decoded.buffer instanceof Uint8Array, "zlib answers with bytes");
  assert("engine" in decoded, "zlib answers with its engine");
  return { buffer: decoded.buffer, bytesWritten: Number(fieldOf(decoded.engine, "bytesWritten")) };
}
