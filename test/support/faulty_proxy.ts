/**
 * A proxy between a client and a gateway that fails on demand: it responds by itself, or closes the connection before
 * or after the gateway has responded.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The treatment of one request. */
export type Fault =
  /** Closes the connection without forwarding the request. */
  | "cut before"
  /** Forwards the request and discards the gateway's response. */
  | "cut behind"
  /** Closes the connection after this many bytes of the response. */
  | { readonly cutAfterBytes: number }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    };

export interface FaultyProxy {
  readonly url: string;
  /** Requests received, as `GET /v1/catalog`, with their headers. */
  readonly seen: { readonly line: string; readonly headers: Readonly<Record<string, unknown>> }[];
  /** Applies these treatments to the next requests, in order. Later requests are forwarded. */
  fail(...faults: readonly (Fault | "pass")[]): void;
  /** Forwards all requests from now on. */
  heal(): void;
  stop(): void;
}

/** Starts a proxy in front of a gateway. */
export async function startFaultyProxy(target: string | (() => string)): Promise<FaultyProxy> {
  const targetUrl = typeof target === "string" ? () => target : target;
  const faults: (Fault | "pass")[] = [];
  const seen: FaultyProxy["seen"] = [];
  const server = createServer((request, response) => {
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers });
    answer(request, response, { targetUrl: targetUrl(), fault: faults.shift() ?? "pass" }).catch(
      () => request.socket.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    fail: (...given) => void faults.push(...given),
    heal: () => void faults.splice(0),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { targetUrl, fault }: { readonly targetUrl: string; readonly fault: Fault | "pass" },
): Promise<void> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  if (fault === "cut before") {
    request.socket.destroy();
    return;
  }
  if (typeof fault === "object" && "status" in fault) {
    response.writeHead(fault.status, fault.headers).end(fault.body);
    return;
  }
  const { host: _, connection: __, ...headers } = request.headers;
  const ended = new AbortController();
  response.on("close", () => ended.abort());
  const reply = await fetch(targetUrl + request.url, {
    method: request.method as string,
    headers: headers as Record<string, string>,
    signal: ended.signal,
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  });
  if (fault === "cut behind") {
    await reply.arrayBuffer();
    request.socket.destroy();
    return;
  }
  const passed = [...reply.headers].filter(
    ([name]) => !/^(content-encoding|content-length|connection|transfer-encoding)$/.test(name),
  );
  response.writeHead(reply.status, Object.fromEntries(passed));
  let left = typeof fault === "object" ? fault.cutAfterBytes : Number.POSITIVE_INFINITY;
  for await (const chunk of reply.body ?? []) {
    const passing = chunk.subarray(0, left);
    left -= passing.length;
    // Data that was forwarded must be sent before the connection is closed.
    await new Promise((resolve) => response.write(passing, resolve));
    if (left > 0) continue;
    request.socket.destroy();
    return;
  }
  response.end();
}
