/**
 * Requests that are small to send and could be expensive to handle, for every route of the app.
 *
 * @module
 */
import type { RouteOfApp } from "./route_table.ts";

const QUERY_CHARS = 60_000;
const BODY_CHARS = 1_000_000;

export const QUERIES: Readonly<Record<string, string>> = {
  "one name, repeated": "a&".repeat(QUERY_CHARS / 2),
  "one declared name, repeated": "limit=1&".repeat(QUERY_CHARS / 8),
  "many names": Array.from({ length: 12_000 }, (_, n) => n.toString(36)).join("&"),
  "percent escapes": `q=${"%61".repeat(QUERY_CHARS / 3)}`,
  commas: `ids=${",".repeat(QUERY_CHARS)}`,
};

export const BODIES: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "many names": json(namesOf(90_000)),
  "very many names": json(namesOf(180_000)),
  "a tool's many names": json(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_feed","arguments":${namesOf(80_000)}}}`,
  ),
  "deep nesting": json("[".repeat(BODY_CHARS / 2) + "]".repeat(BODY_CHARS / 2)),
  "a long number": json(`{"id":1,"params":{"n":${"9".repeat(BODY_CHARS)}}}`),
  "a long text": json(`{"name":"${"x".repeat(BODY_CHARS)}"}`),
  "a form of many names": form(Array.from({ length: 4_000 }, (_, n) => n.toString(36)).join("&")),
  "a form of one name": form("a&".repeat(8_000)),
};

export const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a hundred headers": Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [`x-h${n}`, "v".repeat(500)]),
  ),
  "a list of types": { Accept: "text/html;q=0.1,".repeat(3_500) },
  "a list of tags": { "If-None-Match": 'W/"a",'.repeat(9_000) },
  "a list of codings": { "Accept-Encoding": "gzip;q=0.1,".repeat(5_000) },
  "a list of preferences": { Prefer: "wait=1,".repeat(8_000) },
};

function namesOf(count: number): string {
  return `{${Array.from({ length: count }, (_, n) => `"f${n}":0`).join(",")}}`;
}

function json(text: string) {
  return { type: "application/json", text };
}

function form(text: string) {
  return { type: "application/x-www-form-urlencoded", text };
}

/** Whether requests are sent to this route. Aliases under /api/v1 are left out. */
export function isOwnRoute({ method, path }: RouteOfApp): boolean {
  return /^[A-Z]+$/.test(method) && !path.startsWith("/api/v1") && method !== "ALL";
}

/** The route's path, with the feed's slug, or an id that does not exist, as its parameters. */
export function pathOf({ path, method }: RouteOfApp, slug: string): string {
  // The following calls need the feed, so it must not be deleted.
  const own = method === "DELETE" ? crypto.randomUUID() : slug;
  return path.replace(/:(id|feed_id|slug)\b/, own).replaceAll(/:[a-z_]+|\*/g, crypto.randomUUID());
}

/** Receives a response. Event streams never end by themselves, so their client disconnects. */
export async function receive(response: Response): Promise<void> {
  const isEvents = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (isEvents) await response.body?.cancel();
  else await response.arrayBuffer();
}
