/**
 * Calls the gateway's API, like any provider or consumer would.
 *
 * @module
 */

/** Posts a JSON text, or sends a GET without one. The caller chooses the response type, as the gateway is our own. */
export type GatewayClient = <Answer>(path: string, body?: string) => Promise<Answer>;

/** Enough to outlast a rate limit window of one minute. */
const TRIES_MAX = 4;
const RETRY_MS_DEFAULT = 1_000;

/** The gateway refused a call. The message is the problem's detail. */
export class RefusedCall extends Error {
  override readonly name = "RefusedCall";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The response of `call`. Undefined if the gateway refuses it with one of these codes. */
export async function unlessRefused<Answer>(
  call: Promise<Answer>,
  codes: readonly string[],
): Promise<Answer | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RefusedCall && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Creates a client that throws a `RefusedCall` if the gateway refuses a call. */
export function createClient(baseUrl: string, key: string): GatewayClient {
  return async (path, body) => {
    const method = body === undefined ? "GET" : "POST";
    for (let tries = 1; ; tries++) {
      const response = await send(baseUrl + path, { key, body });
      const answer = JSON.parse(await response.text());
      if (response.ok) return answer;
      if (response.status !== 429 || tries >= TRIES_MAX) {
        const message = `${method} ${path}: ${response.status} ${answer.code}: ${answer.detail}`;
        throw new RefusedCall(String(answer.code), message);
      }
      await Bun.sleep(Number(answer.retry_after_ms ?? RETRY_MS_DEFAULT));
    }
  };
}

/** A call that is sent once, and whose refusals are returned as responses. Returns the response's JSON. */
export type Attempt = (path: string, body?: string) => Promise<unknown>;

/** Creates a client for calls that are expected to be refused sometimes, such as those of demo customers. */
export function createAttempts(baseUrl: string, key: string): Attempt {
  return async (path, body) => {
    const response = await send(baseUrl + path, { key, body });
    return JSON.parse(await response.text());
  };
}

interface Sent {
  readonly key: string;
  readonly body: string | undefined;
}

function send(url: string, { key, body }: Sent): Promise<Response> {
  return fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body }),
    // This is our own listener. Its certificate names the public host.
    tls: { rejectUnauthorized: false },
  });
}
