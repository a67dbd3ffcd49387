/**
 * Content that is the same for every client. It is stored as blobs, plain and compressed, because all answers share a
 * blob's bytes, even while slow clients read them. Bun would copy a byte array for each answer.
 *
 * @module
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { COMPRESSED_BYTES_MIN } from "../limits.ts";
import { acceptsGzip } from "./accept_encoding.ts";
import type { Answer } from "./answer.ts";
import { matchesTag, weakTag } from "./etag.ts";

export interface SharedContent {
  readonly body: Blob;
  readonly tag: string;
  /** The body as gzip. Without it, the body is sent uncompressed. */
  readonly compressed?: Blob;
}

const LEVEL = 9;

/** Compresses the content, unless it is small. This runs off the main thread. */
export async function compressedContent(body: string | Uint8Array): Promise<SharedContent> {
  const bytes = Buffer.from(body);
  const content = { body: new Blob([bytes]), tag: weakTag(bytes.toString("latin1")) };
  if (bytes.length < COMPRESSED_BYTES_MIN) return content;
  return { ...content, compressed: new Blob([await promisify(gzip)(bytes, { level: LEVEL })]) };
}

/** 304 if the client has the content, else the content, compressed if the client accepts gzip. */
export function answerShared(
  request: Request,
  { body, tag, compressed }: SharedContent,
  headers: Readonly<Record<string, string>> & { readonly "Cache-Control": string },
): Answer {
  const varies = [headers.Vary, compressed && "Accept-Encoding"].filter(Boolean).join(", ");
  const validators: Record<string, string> = {
    ETag: tag,
    "Cache-Control": headers["Cache-Control"],
    ...(varies !== "" && { Vary: varies }),
  };
  if (matchesTag(request.headers.get("if-none-match"), tag)) {
    return { status: 304, headers: validators, body: null };
  }
  const all = { ...headers, ...validators, "X-Content-Type-Options": "nosniff" };
  const isCompressed =
    compressed !== undefined && acceptsGzip(request.headers.get("accept-encoding"));
  return isCompressed
    ? { headers: { ...all, "Content-Encoding": "gzip" }, body: compressed }
    : { headers: all, body };
}
