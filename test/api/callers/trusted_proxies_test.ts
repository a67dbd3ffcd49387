/** Limits by address behind trusted proxies, and callers who forge `X-Forwarded-For` from outside and inside. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import {
  ANONYMOUS_OF_NETWORK_LIMIT,
  MCP_ANONYMOUS_OF_NETWORK_LIMIT,
  PAGES_MADE_OF_NETWORK_LIMIT,
  REGISTRATIONS_OF_NETWORK_LIMIT,
  SIGN_IN_TRIES,
  STRANGERS_BODIES_BYTES_MAX,
  X402_KEYLESS_PER_ADDRESS,
} from "../../../src/limits.ts";
import type { Gateway } from "../../../src/server.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { TOOL_HEADERS } from "../../support/tools.ts";

const CALLER = "203.0.113.9";
const NEIGHBOR = "203.0.113.10";
const SECOND_PROXY = "10.0.0.2";

let gateway: TestGateway;
/** It trusts the test, which stands for a proxy. */
let trusting: Gateway;
/** It trusts another proxy. */
let distrusting: Gateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    // Without https, no forwarded request may use OAuth.
    FEEDGATE_BASE_URL: "https://feeds.example",
    FEEDGATE_ADMIN_PORT: "0",
    FEEDGATE_TRUSTED_PROXIES: `127.0.0.1, ::1, ${SECOND_PROXY}`,
    FEEDGATE_X402_PAY_TO: `0x${"0f".repeat(20)}`,
    FEEDGATE_X402_NETWORK: "eip155:84532",
    // Terms need neither of the two.
    FEEDGATE_X402_FACILITATOR_URL: "http://127.0.0.1:9",
    FEEDGATE_X402_RPC_URL: "http://127.0.0.1:9",
  });
  trusting = gateway.gateway;
  distrusting = await gateway.startPeer({ FEEDGATE_TRUSTED_PROXIES: "192.0.2.1, 10.0.0.0/8" });
});
afterAll(() => gateway.stop());

const localUrl = ({ port }: Gateway) => `http://127.0.0.1:${port}`;

interface Call {
  readonly path: string;
  readonly headers?: Record<string, string>;
  /** A POST with this body. @default a GET */
  readonly body?: string;
}

async function statusOf(
  url: string,
  { path, headers = {}, body }: Call,
  forwardedFor: string,
): Promise<number> {
  const answer = await fetch(url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, "X-Forwarded-For": forwardedFor },
    ...(body !== undefined && { body }),
    redirect: "manual",
  });
  await answer.bytes();
  return answer.status;
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const SIGN_IN: Call = { path: "/console/sign-in", headers: FORM, body: "key=none" };

const LIMITS: readonly (Call & { readonly name: string; readonly limit: number })[] = [
  { name: "failed sign-ins", limit: SIGN_IN_TRIES, ...SIGN_IN },
  {
    name: "registrations",
    limit: REGISTRATIONS_OF_NETWORK_LIMIT,
    path: "/oauth/register",
    headers: { "Content-Type": "application/json" },
    body: '{"redirect_uris":["https://agent.example/back"]}',
  },
  {
    name: "top-ups without a key",
    limit: X402_KEYLESS_PER_ADDRESS,
    path: "/v1/topups",
    headers: { "Content-Type": "application/json" },
    body: '{"usd":1}',
  },
  {
    name: "MCP calls without a key",
    limit: MCP_ANONYMOUS_OF_NETWORK_LIMIT,
    path: "/mcp",
    headers: TOOL_HEADERS,
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  },
  { name: "pages", limit: PAGES_MADE_OF_NETWORK_LIMIT, path: "/console/sign-in" },
  {
    name: "calls without a key",
    limit: ANONYMOUS_OF_NETWORK_LIMIT,
    path: "/.well-known/oauth-authorization-server",
  },
];

/** Calls until the limit is reached, by callers with these headers in turn. */
async function exhaust(
  url: string,
  { limit, ...call }: Call & { limit: number },
  forwardedFor: (call: number) => string,
): Promise<number | undefined> {
  const atOnce = Math.min(limit, 100);
  // Large limits have room again while they are used up.
  for (let calls = 0; calls < 3 * limit; calls += atOnce) {
    const statuses = await Promise.all(
      Array.from({ length: atOnce }, (_, place) =>
        statusOf(url, call, forwardedFor(calls + place)),
      ),
    );
    if (statuses.includes(429)) return 429;
  }
  return undefined;
}

/** Whether one of a few calls is refused, which are too few to reach the limit. Large limits let some of them pass. */
async function isLimited(
  url: string,
  { limit, ...call }: Call & { limit: number },
  forwardedFor: string,
): Promise<boolean> {
  const statuses = await Promise.all(
    Array.from({ length: Math.min(limit / 2, 60) }, () => statusOf(url, call, forwardedFor)),
  );
  return statuses.includes(429);
}

describe.each(LIMITS)("the limit of $name", (limit) => {
  test("counts each caller of a trusted proxy, whatever the caller forges", async () => {
    const url = localUrl(trusting);
    // A caller that forges another entry each time.
    const forged = (call: number) => `198.51.100.${call % 250}, ${CALLER}`;
    expect(await exhaust(url, limit, forged)).toBe(429);
    for (const header of [
      CALLER,
      `${CALLER}, ${SECOND_PROXY}`,
      `${NEIGHBOR}, ${CALLER}`,
      `127.0.0.1, ${CALLER}`,
      `${NEIGHBOR}, ${SECOND_PROXY}, ${CALLER}, ${SECOND_PROXY}`,
      `unknown, ${CALLER}`,
      `::ffff:${CALLER}`,
    ]) {
      // Large limits have had room again since.
      await exhaust(url, limit, () => CALLER);
      expect([header, await isLimited(url, limit, header)]).toEqual([header, true]);
    }
    expect(await statusOf(url, limit, NEIGHBOR)).not.toBe(429);
    expect(await statusOf(url, limit, `${CALLER}, 198.51.100.1`)).not.toBe(429);
    expect(await statusOf(url, limit, `${CALLER}:4711`)).not.toBe(429);
  });

  test("ignores the header of a peer that isn't trusted", async () => {
    const forged = (call: number) => `198.51.${call >> 8}.${call & 255}`;
    expect(await exhaust(localUrl(distrusting), limit, forged)).toBe(429);
  });
});

test("two lines of the header are one, and the last one counts", async () => {
  const twice = (first: string, second: string) =>
    statusLineOf(trusting.port, { ...SIGN_IN, lines: [first, second] });
  const [caller, other] = ["203.0.113.20", "203.0.113.21"];
  await exhaust(localUrl(trusting), { ...SIGN_IN, limit: SIGN_IN_TRIES }, () => caller);
  expect(await twice(other, caller)).toContain("429");
  expect(await twice(caller, other)).toContain("401");
});

test("the operators' listener trusts the same proxies", async () => {
  const url = `http://127.0.0.1:${trusting.adminPort}`;
  const caller = "203.0.113.30";
  const signIn = { ...SIGN_IN, limit: SIGN_IN_TRIES };
  expect(await exhaust(url, signIn, () => caller)).toBe(429);
  expect(await statusOf(url, SIGN_IN, `203.0.113.31, ${caller}`)).toBe(429);
  expect(await statusOf(url, SIGN_IN, "203.0.113.31")).toBe(401);
});

test("no header makes a request one of the own machine", async () => {
  const plain = await gateway.startPeer({ FEEDGATE_BASE_URL: "", FEEDGATE_ADMIN_PORT: "" });
  const url = localUrl(plain);
  for (const path of ["/metrics", "/.well-known/oauth-authorization-server"]) {
    expect((await fetch(url + path)).status).toBe(200);
    for (const header of ["127.0.0.1", "::1", "::ffff:127.0.0.1", "unknown", "", SECOND_PROXY]) {
      expect([path, header, await statusOf(url, { path }, header)]).toEqual([path, header, 404]);
    }
  }
});

describe("bodies of callers without a key", () => {
  const SIZE = 180_000;
  const sockets: Socket[] = [];
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** Sends many bodies but for their ends, by callers with these headers in turn. */
  async function stall(
    { port, services }: Gateway,
    forwardedFor: (body: number) => string,
  ): Promise<void> {
    const opened = Array.from({ length: 20 }, async (_, body) => {
      const lines = [forwardedFor(body)];
      const call = { path: "/console/sign-out", headers: FORM, body: "x".repeat(SIZE), lines };
      sockets.push(await openCall(port, { ...call, unsent: 1_000 }));
    });
    await Promise.all(opened);
    const { strangersBodies } = services;
    const share = STRANGERS_BODIES_BYTES_MAX / 2;
    for (let tries = 0; tries < 400 && strangersBodies.bytes < share - SIZE; tries += 1) {
      await Bun.sleep(50);
    }
    expect(strangersBodies.bytes).toBeGreaterThanOrEqual(share - SIZE);
    expect(strangersBodies.bytes).toBeLessThanOrEqual(share);
  }

  const send = (served: Gateway, forwardedFor: string) =>
    statusOf(
      localUrl(served),
      { path: "/console/sign-out", headers: FORM, body: `a=${"x".repeat(SIZE)}` },
      forwardedFor,
    );

  test("are counted for each caller of a trusted proxy", async () => {
    await stall(trusting, (body) => `198.51.100.${body}, 203.0.113.40`);
    expect(await send(trusting, "203.0.113.41, 203.0.113.40")).toBe(503);
    expect(await send(trusting, "203.0.113.41")).toBe(303);
  });

  test("are counted for a peer that isn't trusted, whatever its header", async () => {
    // Its limit of pages is not used up.
    const other = await gateway.startPeer({ FEEDGATE_TRUSTED_PROXIES: "" });
    await stall(other, (body) => `198.51.100.${body}`);
    expect(await send(other, "203.0.113.41")).toBe(503);
  });
});

interface RawCall extends Call {
  /** Lines of `X-Forwarded-For`. */
  readonly lines: readonly string[];
  /** Bytes of the body that are declared and not sent. @default 0 */
  readonly unsent?: number;
}

async function openCall(
  port: number,
  { path, headers = {}, body = "", lines, unsent = 0 }: RawCall,
): Promise<Socket> {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Content-Length: ${body.length + unsent}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...lines.map((line) => `X-Forwarded-For: ${line}`),
  ].join("\r\n");
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.write(`${head}\r\n\r\n${body}`, () => resolve());
  });
  return socket;
}

async function statusLineOf(port: number, call: RawCall): Promise<string> {
  const socket = await openCall(port, call);
  const [chunk] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return chunk.toString().split("\r\n")[0] ?? "";
}
