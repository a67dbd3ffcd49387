/**
 * Sends a body to an untrusted address, with the guard of `guarded_fetch.ts`: the host is resolved once, only public
 * addresses are called, and redirects are not followed. Time and the part of the answer that is read are bounded.
 *
 * @module
 */
import type { GuardTrial } from "../config.ts";
import { within } from "../lib/within.ts";
import { callAddress, findPublicAddress } from "./guarded_fetch.ts";

interface GuardedPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Until the headers of the answer, and then for what is read of its body. */
  readonly msMax: number;
  /** How much of the answer is read. The rest is cancelled. */
  readonly answerBytesMax: number;
  readonly trial?: GuardTrial | undefined;
  /** Whether private addresses may be called. */
  readonly allowsPrivate: boolean;
}

/** `reason` is a sentence for the owner of the address. */
export type Posted =
  | { readonly kind: "answered"; readonly code: number; readonly text: string }
  | { readonly kind: "unanswered"; readonly reason: string };

const NOT_PUBLIC =
  "The host can't be found, or has an address that is not public. Nothing was sent.";

/** Never rejects. */
export async function postGuarded(url: URL, post: GuardedPost): Promise<Posted> {
  const startedMs = performance.now();
  const giveUp = new AbortController();
  let isSent = false;
  const call = async (): Promise<Posted> => {
    const address = await findPublicAddress(url, post).catch(() => undefined);
    if (address === undefined) return { kind: "unanswered", reason: NOT_PUBLIC };
    isSent = true;
    const { headers, body, trial, answerBytesMax } = post;
    const init = { method: "POST", headers, body, signal: giveUp.signal };
    const response = await callAddress(url, address, { init, trial });
    const leftMs = post.msMax - (performance.now() - startedMs);
    const text = await readStart(response, answerBytesMax, leftMs);
    return { kind: "answered", code: response.status, text };
  };
  try {
    const posted = await within(call(), post.msMax);
    if (posted !== "late") return posted;
    const reason = isSent
      ? `There was no answer within ${post.msMax / 1_000} seconds.`
      : "The host was not found in time. Nothing was sent.";
    return { kind: "unanswered", reason };
  } catch (error) {
    return { kind: "unanswered", reason: `The connection failed: ${codeOf(error)}.` };
  } finally {
    giveUp.abort();
  }
}

/** The beginning of the body, as far as it comes in time. */
async function readStart(response: Response, bytesMax: number, ms: number): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const endsMs = performance.now() + ms;
  // The answer's status counts, so a body that breaks off changes nothing.
  const read = () => reader.read().catch(() => ({ done: true as const, value: undefined }));
  while (bytes < bytesMax) {
    // Leaves a moment to return what was read.
    const part = await within(read(), Math.max(0, endsMs - performance.now() - ms / 10));
    if (part === "late" || part.done || part.value === undefined) break;
    chunks.push(part.value);
    bytes += part.value.length;
  }
  reader.cancel().catch(() => {});
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax));
}

/** A name such as `ECONNREFUSED`, without addresses. */
function codeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === "string" ? code : String(name ?? "unknown");
}
