/**
 * One call to a gateway: the request, a timeout, retries, tags, and problems as errors. It uses `fetch`, which every
 * runtime has.
 *
 * @module
 */
import {
  AnswerError,
  ConnectionError,
  isProblem,
  problemError,
  RateLimitedError,
} from "./errors.ts";
import { EtagCache } from "./etag_cache.ts";
import {
  type Failure,
  isPassing,
  type Patience,
  parseRetryAfter,
  pause,
  pauseMs,
} from "./retry.ts";

/** A failed try that will be repeated. */
export interface Retry {
  /** The error of the failed try. */
  readonly error: unknown;
  /** The wait before the next try, in ms. */
  readonly waitMs: number;
}

/** The subset of `fetch` that the client needs. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Options for calls. */
export interface TransportOptions extends Patience {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly key: string | undefined;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  readonly cacheCharsMax: number;
  readonly onRetry: ((retry: Retry) => void) | undefined;
}

/** One call. */
export interface Call {
  /** @default "GET" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below `/v1`, with the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON, unless `headers` say otherwise. */
  readonly body?: string | Blob | ReadableStream<Uint8Array>;
  /** Whether the answer may be cached and revalidated by its tag. @default false */
  readonly isTagged?: boolean;
  /** Whether the call must not run twice, so it is retried only after a `RATE_LIMITED`. @default false */
  readonly isOnce?: boolean;
  /** How long to wait after a temporary failure, in ms. Undefined to stop. @default within the limits of the options */
  readonly pauseOf?: ((failure: Failure) => number | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete answer. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Characters of an unexpected answer to show, enough to recognize a proxy. */
const EXCERPT_CHARS = 120;

/** Makes calls to a gateway. */
export class Transport {
  readonly #options: TransportOptions;
  readonly #tagged: EtagCache;
  readonly #pauseOf = (failure: Failure) => pauseMs(failure, this.#options, Math.random());

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#tagged = new EtagCache(options.cacheCharsMax);
  }

  /** @throws {FeedgateError} or the signal's reason */
  async call(call: Call): Promise<Reply> {
    return this.retried(call, async () => {
      const kept = call.isTagged ? this.#tagged.find(call.path) : undefined;
      const reply = await this.#ask(call, kept?.etag);
      if (reply.status === 304 && kept !== undefined) return { ...reply, text: kept.text };
      const etag = reply.headers.get("etag");
      if (call.isTagged && etag !== null) this.#tagged.keep(call.path, { etag, text: reply.text });
      return reply;
    });
  }

  /**
   * An answer whose body is streamed. The call ends with `signal`. It is not retried.
   *
   * @throws {FeedgateError} or the signal's reason
   */
  async open(call: Call & { readonly signal: AbortSignal }): Promise<Response> {
    const response = await this.#fetch(call, call.signal);
    if (response.ok) return response;
    const text = await response.text().catch(() => "");
    throw errorOf(response.status, text);
  }

  /** Retries temporary failures. */
  async retried<Result>(
    {
      signal,
      isOnce = false,
      pauseOf = this.#pauseOf,
    }: Pick<Call, "signal" | "isOnce" | "pauseOf">,
    work: () => Promise<Result>,
  ): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (thrown) {
        if (signal?.aborted) throw signal.reason;
        const { error, retryAfterMs } =
          thrown instanceof Told ? thrown : { error: thrown, retryAfterMs: undefined };
        const waitMs = (isOnce ? error instanceof RateLimitedError : isPassing(error))
          ? pauseOf({ error, retryAfterMs, tries })
          : undefined;
        if (waitMs === undefined) throw error;
        this.#options.onRetry?.({ error, waitMs });
        await pause(waitMs, signal);
      }
    }
  }

  /** One try. @throws {Told} */
  async #ask(call: Call, etag: string | undefined): Promise<Reply> {
    const { timeoutMs } = this.#options;
    const controller = new AbortController();
    const end = () => controller.abort();
    const timer = setTimeout(end, timeoutMs);
    call.signal?.addEventListener("abort", end, { once: true });
    if (call.signal?.aborted) end();
    try {
      const headers = { ...call.headers, "If-None-Match": etag };
      const response = await this.#fetch({ ...call, headers }, controller.signal);
      const { status } = response;
      const reply = { status, headers: response.headers, text: await response.text() };
      if (!response.ok && status !== 304) throw failureOf(reply);
      return reply;
    } catch (error) {
      if (error instanceof Told) throw error;
      if (controller.signal.aborted) {
        throw new ConnectionError(`no response within ${timeoutMs} ms`, { cause: error });
      }
      if (error instanceof ConnectionError) throw error;
      throw new ConnectionError(`the connection to ${this.#options.baseUrl} was lost`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", end);
    }
  }

  /** @throws {ConnectionError} if there is no answer */
  async #fetch(
    { method = "GET", path, headers = {}, body }: Call,
    signal: AbortSignal,
  ): Promise<Response> {
    const { baseUrl, key } = this.#options;
    const given = {
      Accept: "application/json, application/problem+json",
      Authorization: key && `Bearer ${key}`,
      "Content-Type": body === undefined ? undefined : "application/json",
      ...headers,
    };
    const sent = Object.entries(given).filter((entry): entry is [string, string] => !!entry[1]);
    // A streamed body is sent while the answer is read.
    const sending = body !== undefined && { body, duplex: "half" as const };
    const init = { method, headers: sent, signal, ...sending };
    try {
      // The client has its own cache, and knows when its answers are current.
      return await this.#options.fetch(`${baseUrl}/v1${path}`, { ...init, cache: "no-store" });
    } catch (error) {
      throw new ConnectionError(`${baseUrl} can't be reached`, { cause: error });
    }
  }
}

/** An error, with the retry information of its answer. */
class Told extends Error {
  constructor(
    readonly error: unknown,
    readonly retryAfterMs: number | undefined,
  ) {
    super();
  }
}

/** The error of an answer. */
function failureOf({ status, headers, text }: Reply): Told {
  const retryAfterMs = parseRetryAfter(headers.get("retry-after"), Date.now());
  return new Told(errorOf(status, text), retryAfterMs);
}

function errorOf(status: number, text: string): Error {
  const problem = parsed(text);
  if (isProblem(problem)) return problemError(problem);
  const excerpt = text.trim().slice(0, EXCERPT_CHARS);
  return new AnswerError(`the response is not from a gateway: ${status} ${excerpt}`.trim(), status);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
