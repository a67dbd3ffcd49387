/**
 * Calls to the gateway, sent as every provider and consumer sends theirs.
 *
 * @module
 */

/** Posts a JSON text, or gets without one. The caller says what the answer is: the demo talks to its own gateway. */
export type GatewayClient = <Answer>(path: string, body?: string) => Promise<Answer>;

/** Waits of a minute's window at most; then something else is wrong. */
const TRIES_MAX = 4;
const RETRY_MS_DEFAULT = 1_000;

/** What the gateway has refused, in its own words. */
export class RefusedCall extends Error {
  override readonly name = "RefusedCall";
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** What `call` answers; undefined if the gateway refuses it with one of these codes. */
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

/** A client of one gateway. If the gateway refuses a call, it throws a `RefusedCall`. */
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

/** A call whose refusal is an answer like others. It sends once, and gives the answer's JSON. */
export type Attempt = (path: string, body?: string) => Promise<unknown>;

/** Calls that may be refused, as a customer's are. */
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
    // It is our own listener; the certificate is for the name that clients know.
    tls: { rejectUnauthorized: false },
  });
}
