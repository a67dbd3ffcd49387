/**
 * What callers of `/mcp` may take of a process: calls without a known key, bodies on their way, unread answers.
 *
 * @module
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { generateKey } from "../../src/accounts/key_format.ts";
import {
  MCP_ANONYMOUS_BODY_BYTES_MAX,
  MCP_ANONYMOUS_OF_NETWORK_LIMIT,
  MCP_BODY_BYTES_MAX,
  REVALIDATION_LIMIT,
  UNSENT_BYTES_MAX,
  WINDOW_MS,
} from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { callTool, postTool, TOOL_HEADERS, toolMessage } from "../support/tools.ts";

const MIB = 1_048_576;
/** A page of all rows of the feed is between these. */
const ANSWER_BYTES = 4_000_000;
const ANSWER_BYTES_MAX = 4_100_000;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

let gateway: TestGateway;
let key: string;
let feed: SeededFeed;
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "1000" });
  const provider = await gateway.createAccount();
  key = await gateway.createKey(await gateway.createAccount(), "read");
  const texts = Array.from(
    { length: 100 },
    (_, id) => `{"id":"${id}","text":"${"x".repeat(40_000)}"}`,
  );
  feed = await seedFeed(gateway, provider, { type: "collection", texts });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await gateway.stop();
});

interface Sender {
  /** @default /mcp */
  readonly path?: string;
  /** An address of this machine. @default 127.0.0.1 */
  readonly from?: string;
}

/** A connection that has sent this and then sends and reads nothing more. */
async function open(
  body: string,
  headers: Record<string, string>,
  { path = "/mcp", from = "127.0.0.1" }: Sender = {},
): Promise<Socket> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const lines = Object.entries({ Host: hostname, ...TOOL_HEADERS, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}`).join("\r\n");
  const socket = connect({ port: Number(port), host: hostname, localAddress: from });
  sockets.push(socket);
  socket.on("error", () => {});
  await new Promise<void>((resolve) => {
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body}`, () => resolve());
  });
  socket.pause();
  return socket;
}

/** The status line of the answer. */
async function firstLineOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket.resume(), "data")) as [Buffer];
  return chunk.toString().split("\r\n")[0] ?? "";
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Reads that the gateway has logged. */
async function readsLogged(): Promise<number> {
  const [row] = await gateway.sql`select count(*)::int as logged from usage_events`;
  return row?.logged;
}

/** Waits until it holds, 20 seconds at most. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400 && !(await holds()); tries++) await Bun.sleep(50);
  expect(await holds()).toBe(true);
}

/** Statuses of so many pings at once. */
async function pings(count: number, withKey: string): Promise<Set<number>> {
  const answers = await Promise.all(
    Array.from({ length: count }, () =>
      postTool(gateway.baseUrl, PING, withKey === "" ? {} : { "x-api-key": withKey }),
    ),
  );
  await Promise.all(answers.map((answer) => answer.text()));
  return new Set(answers.map(({ status }) => status));
}

test("a caller who declares a large body and sends nothing of it holds next to nothing", async () => {
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const stalled = await Promise.all(
    Array.from({ length: 40 }, (_, index) => {
      const path = ["/mcp", "/console/sign-in", "/console/sign-out", "/oauth/token"][index % 4];
      const isForm = path !== "/mcp";
      const bytes =
        path === "/mcp" ? MCP_BODY_BYTES_MAX : path === "/oauth/token" ? 16_000 : 200_000;
      const headers = { "Content-Length": String(bytes), ...(isForm && form) };
      return open(isForm ? "a" : "{", headers, { ...(path !== undefined && { path }) });
    }),
  );
  await until(async () => (await metric("feedgate_bodies_bytes")) > 0);
  // Their first buffers.
  expect(await metric("feedgate_bodies_bytes")).toBeLessThanOrEqual(40 * 2_048);
  expect(await pings(50, key)).toEqual(new Set([200]));
  expect(await pings(50, "")).toEqual(new Set([200]));
  for (const socket of stalled) socket.destroy();
});

test("unknown callers that send much keep out each other, and nobody whose key is known", async () => {
  const keys = ["made-up", generateKey("read"), ""];
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const sent = "x".repeat(180_000);
  const stalled = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const withKey = keys[index % keys.length];
      const headers = {
        "Content-Length": "200000",
        ...form,
        ...(withKey && { "x-api-key": withKey }),
      };
      return open(sent, headers, { path: "/console/sign-out" });
    }),
  );
  await until(async () => (await metric("feedgate_bodies_bytes")) > MIB);
  // A network may have half of the room, so another has some, too.
  expect(await metric("feedgate_bodies_bytes")).toBeLessThanOrEqual(2 * MIB);
  const large = PING.replace('"id":1', `"id":"${"x".repeat(10_000)}"`);
  const headers = { "Content-Length": String(large.length) };
  const neighbour = await open(large, headers, { from: "127.0.0.2" });
  expect(await firstLineOf(neighbour)).toBe("HTTP/1.1 200 OK");
  expect(await pings(50, key)).toEqual(new Set([200]));
  const read = await callTool(gateway, key, "read_feed", { feed: feed.slug, limit: 1 });
  expect(read.isError).toBe(false);
  for (const socket of stalled) socket.destroy();
  await until(async () => (await metric("feedgate_bodies_bytes")) === 0);
});

test("answers that nobody reads are counted, once for both of their forms, and bounded", async () => {
  const ids = Array.from({ length: 100 }, (_, id) => String(id));
  const call = (from: number, reader = key) => {
    // Another order is another page.
    const wanted = [...ids.slice(from), ...ids.slice(0, from)];
    const body = toolMessage("get_records", { feed: feed.slug, ids: wanted });
    return open(body, { "Content-Length": String(body.length), "x-api-key": reader });
  };
  const before = await readsLogged();
  const first = await call(0);
  await until(async () => (await metric("feedgate_unsent_bytes")) > ANSWER_BYTES);
  expect(await metric("feedgate_unsent_bytes")).toBeLessThan(ANSWER_BYTES_MAX);
  first.destroy();
  await until(async () => (await metric("feedgate_unsent_bytes")) === 0);
  // One after another, so that none waits for a connection to the database and is refused. Several readers, because
  // on a busy machine one would take more than its share of the database's time.
  const fitting = Math.floor(UNSENT_BYTES_MAX / ANSWER_BYTES_MAX);
  for (let from = 1; from <= fitting + 4; from++) {
    await call(from, await gateway.createKey(await gateway.createAccount(), "read"));
    const unsent = Math.min(from, fitting) * ANSWER_BYTES;
    await until(async () => (await metric("feedgate_unsent_bytes")) > unsent);
    await until(async () => (await readsLogged()) === before + 1 + from);
  }
  expect(await metric("feedgate_unsent_bytes")).toBeLessThanOrEqual(UNSENT_BYTES_MAX);
  // One that is read comes whole, in both forms.
  const { content, structuredContent } = await callTool(gateway, key, "get_records", {
    feed: feed.slug,
    ids: ids.slice(0, 50),
  });
  expect(structuredContent.rows).toHaveLength(50);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
});

test("a message without a key is small, and messages with a key that call no tool are counted for it", async () => {
  const large = JSON.stringify({
    ...JSON.parse(PING),
    params: { _meta: { filler: "x".repeat(MCP_ANONYMOUS_BODY_BYTES_MAX) } },
  });
  const refused = await postTool(gateway.baseUrl, large, {});
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  const account = await gateway.createAccount();
  const [own, other] = [
    await gateway.createKey(account, "read"),
    await gateway.createKey(account, "read"),
  ];
  expect((await postTool(gateway.baseUrl, large, { "x-api-key": own })).status).toBe(200);
  expect(await pings(REVALIDATION_LIMIT + 1, own)).toEqual(new Set([200, 429]));
  expect(await pings(1, other)).toEqual(new Set([200]));
});

test("a message with more parameters than any tool has is refused unread", async () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, place) => [`x${place}`, 1]));
  for (const body of [
    toolMessage("read_feed", many),
    JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: many }),
  ]) {
    const answer = await postTool(gateway.baseUrl, body, { "x-api-key": key });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining("at most 100 parameters"),
    ]);
  }
});

test("a tool call with wrong arguments is counted, since no route counts it", async () => {
  const wrong = await gateway.createKey(await gateway.createAccount(), "read");
  const answers = await Promise.all(
    Array.from({ length: REVALIDATION_LIMIT + 1 }, () =>
      callTool(gateway, wrong, "read_feed", { feed: feed.slug, lmit: 1 }),
    ),
  );
  const codes = Map.groupBy(answers, ({ structuredContent }) => structuredContent.code);
  expect(codes.get("INVALID_PARAMETER")?.length).toBe(REVALIDATION_LIMIT);
  expect(codes.get("RATE_LIMITED")?.length).toBe(1);
  // And so is everything that is for no tool.
  for (const body of [
    toolMessage("no_tool", {}),
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_feed","arguments":[]}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
    "[]",
    "{",
  ]) {
    const { status } = await postTool(gateway.baseUrl, body, { "x-api-key": wrong });
    expect([body, status]).toEqual([body, 429]);
  }
});

test("calls whose key nobody has are counted as those without one, and a known key passes", async () => {
  const startedMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: MCP_ANONYMOUS_OF_NETWORK_LIMIT + 100 }, (_, index) =>
      postTool(gateway.baseUrl, PING, {
        "x-api-key": index % 2 === 0 ? `made-up-${index}` : generateKey("read"),
      }),
    ),
  );
  const refilled = ((performance.now() - startedMs) / WINDOW_MS) * MCP_ANONYMOUS_OF_NETWORK_LIMIT;
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(
    MCP_ANONYMOUS_OF_NETWORK_LIMIT + Math.ceil(refilled),
  );
  const limited = answers.find(({ status }) => status === 429);
  expect(await limited?.json()).toMatchObject({ code: "RATE_LIMITED" });
  expect(await pings(50, key)).toEqual(new Set([200]));
});

test("the server card shares the limit of the routes that need no key", async () => {
  const card = () => fetch(`${gateway.baseUrl}/.well-known/mcp/server-card.json`);
  expect((await card()).status).toBe(200);
  const { anonymousLimit } = gateway.gateway.services;
  expect(() => {
    for (let call = 0; call < 10_000; call++) anonymousLimit("127.0.0.1");
  }).toThrow();
  // Some calls pass meanwhile, because the limit refills by the millisecond.
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async () => (await card()).status),
  );
  expect(statuses).toContain(429);
});
