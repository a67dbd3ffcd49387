/**
 * In-process calls to the gateway's own routes, for code that presents them in another form: MCP tools and pages of the
 * console. The same checks, limits, charges, receipts, and logging apply as over HTTP.
 *
 * @module
 */

/** Handles a request with the app's routes. */
export type Handle = (request: Request) => Promise<Response>;

/**
 * Routes are matched by path alone. This is neither the public address, which may have a path of its own, nor the
 * client's `Host`, which may be missing.
 */
export const WITHIN = "http://localhost";

export interface OwnRequest {
  /** Including its query. */
  readonly path: string;
  /** @default "POST" with a body, "GET" without one */
  readonly method?: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly file?: { readonly bytes: Uint8Array<ArrayBuffer>; readonly type: string };
  /** In addition to those of every call. */
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
  /** Sent with every call: the caller's key, and the id for the log. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client request's signal, which also ends this call. */
  readonly signal?: AbortSignal;
  /** Creates the request. @default a plain one */
  readonly make?: (url: string, init: RequestInit, asked: Asked) => Request;
}

/** Returns a function that calls routes of this gateway. A refusal is also an answer. */
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
