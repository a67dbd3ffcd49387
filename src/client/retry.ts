/**
 * Decides whether and when to retry: after the delay that the response specifies (`Retry-After`, RFC 9110 section
 * 10.2.3, or `retry_after_ms`), and otherwise after a delay that doubles with each try.
 *
 * The client retries after a 429 or a 503, a 502 or a 504 (sent by proxies), and a broken connection. Retries are safe:
 * each read has one `Idempotency-Key`, rows are pushed again with the same ids, a new feed has an id chosen by the
 * client, and a purchase is made only once. Calls that must not run twice, such as adding a webhook, are retried only
 * after a `RATE_LIMITED`.
 *
 * @module
 */
import { AnswerError, ConnectionError, ProblemError } from "./errors.ts";

/** Limits of retries. */
export interface Patience {
  /**
   * The maximum number of retries of a call.
   *
   * @default 8
   */
  readonly retries: number;
  /**
   * The longest wait before a retry, in ms. If the response asks for a longer wait, the error is thrown immediately.
   *
   * @default 120_000
   */
  readonly waitMsMax: number;
  /**
   * The longest wait before a retry if the response does not specify one, in ms.
   *
   * @default 15_000
   */
  readonly pauseMsMax: number;
}

const FIRST_PAUSE_MS = 250;
const STATUSES = [429, 502, 503, 504];
const MS_PER_SECOND = 1_000;

/** A failed try of a call. */
export interface Failure {
  readonly error: unknown;
  /** The delay in the answer's `Retry-After`, in ms. */
  readonly retryAfterMs?: number | undefined;
  /** Number of tries so far. */
  readonly tries: number;
}

/**
 * How long to wait before the next try of a temporary failure, in ms. Undefined to stop.
 *
 * @param random from 0 to 1, so that clients that failed together do not retry together
 */
export function pauseMs(
  { error, retryAfterMs = 0, tries }: Failure,
  { retries, waitMsMax, pauseMsMax }: Patience,
  random: number,
): number | undefined {
  if (tries > retries) return undefined;
  const told = Math.max(retryAfterMs, error instanceof ProblemError ? toldMs(error) : 0);
  if (told > waitMsMax) return undefined;
  if (told > 0) return told;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), pauseMsMax, waitMsMax);
  return pause * (1 + random) * 0.5;
}

/** Whether the same call may succeed later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return (
    (error instanceof ProblemError || error instanceof AnswerError) &&
    STATUSES.includes(error.status)
  );
}

/** The delay in a `Retry-After`, in ms: seconds, or a date. Undefined if it is neither. */
export function parseRetryAfter(value: string | null, nowMs: number): number | undefined {
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * MS_PER_SECOND;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

function toldMs({ problem }: ProblemError): number {
  return problem.retry_after_ms ?? 0;
}

/** Resolves after a delay. @throws the signal's reason */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
