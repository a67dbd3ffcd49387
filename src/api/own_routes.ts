/**
 * Calls of the gateway's own routes, in process, for what shows them in another form: tools of MCP, pages of the
 * console. So the same checks, limits, charges, receipts and log hold for it as over HTTP.
 *
 * @module
 */

/** The app that has the routes. */
export type Handle = (request: Request) => Promise<Response>;

/**
 * Routes are found by the path alone. It is neither the public address, which may have a path of its own, nor the
 * client's `Host`, which may be none.
 */
export const WITHIN = "http://localhost";

export interface OwnRequest {
  /** With its query. */
  readonly path: string;
  /** @default "POST" with a body, "GET" without one */
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is. */
  readonly file?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string };
  /** Beside those of every call. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** The answer of a route: its status, its headers, and its body as text. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Asking<Asked> {
  readonly handle: Handle;
  /** Of every call: whose it is, and the id under which it is logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the client's request: ends with it. */
  readonly signal?: AbortSignal;
  /** Makes the request. @default a plain one */
  readonly make?: (url: string, init: RequestInit, asked: Asked) => Request;
}

/** Asks routes of this gateway. What a route refuses is an answer, too. */
export function ownRoutes<Asked extends OwnRequest>({
  handle,
  headers: always,
  signal,
  make,
}: Asking<Asked>): (asked: Asked) => Promise<OwnAnswer> {
  return async (asked) => {
    const {
      path,
      body,
      file,
      method = body === undefined && file === undefined ? "GET" : "POST",
    } = asked;
    const headers: Record<string, string> = { ...always };
    if (file !== undefined) headers["content-type"] = file.type;
    else if (body !== undefined) headers["content-type"] = "application/json";
    for (const [name, value] of Object.entries(asked.headers ?? {})) {
      if (value !== undefined) headers[name] = value;
    }
    const sent = file?.bytes ?? (body === undefined ? null : JSON.stringify(body));
    const init = { method, headers, body: sent, ...(signal && { signal }) };
    const url = WITHIN + path;
    const response = await handle(make?.(url, init, asked) ?? new Request(url, init));
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
}
