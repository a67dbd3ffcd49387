import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectSocket, type Socket } from "node:net";
import {
  BODIES_BYTES_MAX,
  DATABASE_WAIT_MS_MAX,
  IDLE_SECONDS_MAX,
  LIMITS_DEFAULT,
} from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { whenBusy } from "../support/pace.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const MS_PER_SECOND = 1_000;
/** Bun looks after its connections every 4 s. */
const IDLE_MS_MAX = (IDLE_SECONDS_MAX + 8) * MS_PER_SECOND;
const ROW_CHARACTERS = 50_000;

let gateway: TestGateway;
let accountId: string;
let readKey: string;
let writeKey: string;
let feed: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway(
    { FEEDGATE_READ_LIMIT_FREE: "1000000", FEEDGATE_PUSH_LIMIT: "1000000" },
    { waitMsMax: DATABASE_WAIT_MS_MAX },
  );
  accountId = await gateway.createAccount();
  readKey = await gateway.createKey(accountId, "read");
  writeKey = await gateway.createKey(accountId, "write");
  const text = "x".repeat(ROW_CHARACTERS);
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, text }));
  feed = await seedFeed(gateway, accountId, { type: "collection", rows });
});
afterAll(() => gateway.stop());

function open(): Socket {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connectSocket(Number(port), hostname);
  socket.on("error", () => {});
  return socket;
}

function pushHead(more: string): string {
  return `POST /v1/provider/feed/${feed.feedId}/push HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${writeKey}\r\n${more}\r\n\r\n`;
}

describe("overload", () => {
  test("reads that wait for an admission that stands still are 503 with Retry-After within 2 s", async () => {
    expect((await gateway.get(`/v1/feed/${feed.slug}?limit=1`, readKey)).status).toBe(200);
    const session = await gateway.sql.reserve();
    await session`begin`;
    await session`select from accounts where account_id = ${accountId} for update`;
    const timed = async () => {
      const startedMs = performance.now();
      const answer = await gateway.get(`/v1/feed/${feed.slug}?limit=1`, readKey);
      return { answer, ms: performance.now() - startedMs };
    };
    // This one flies, and stands still with the lock; the others of its account wait for it.
    const flying = timed();
    await Bun.sleep(50);
    const waiting = await Promise.all(Array.from({ length: 100 }, timed));
    await Bun.sleep(500);
    const late = await Promise.all(Array.from({ length: 100 }, timed));
    await session`rollback`;
    session.release();
    for (const { answer, ms } of [...waiting, ...late]) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(ms).toBeLessThan(whenBusy(2_000));
    }
    // By then a newcomer is not even let in.
    expect(Math.max(...late.map(({ ms }) => ms))).toBeLessThan(whenBusy(2_000));
    expect((await flying).answer.status).toBe(200);
    expect((await gateway.get(`/v1/feed/${feed.slug}?limit=1`, readKey)).status).toBe(200);
  });
});

describe("bodies in one process's hands", () => {
  /** Uploads of the first account that send a byte of many and then stand still. */
  function upload(count: number): Socket[] {
    return Array.from({ length: count }, () => {
      const socket = open();
      socket.write(pushHead(`Content-Length: ${LIMITS_DEFAULT.requestBodyBytes}`));
      socket.write("[");
      return socket;
    });
  }

  function push(to: SeededFeed = feed, key = writeKey): Promise<Response> {
    const path = `/v1/provider/feed/${to.feedId}/push`;
    return gateway.send("POST", path, key, { payload: [{ id: "new" }] });
  }

  async function end(uploads: readonly Socket[]): Promise<void> {
    for (const socket of uploads) socket.destroy();
    while (gateway.gateway.services.bodies.bytes > 0) await Bun.sleep(5);
  }

  test("a provider whose uploads have taken its share of memory gets 503 at once, uncounted; others push, and so does it when its uploads end", async () => {
    const { bodies } = gateway.gateway.services;
    const otherId = await gateway.createAccount();
    const otherKey = await gateway.createKey(otherId, "write");
    const otherFeed = await seedFeed(gateway, otherId, { type: "collection", rows: [] });
    const remaining = async () => Number((await push()).headers.get("x-ratelimit-remaining"));
    const before = await remaining();
    const shareBytes = BODIES_BYTES_MAX / 2;
    const { requestBodyBytes } = LIMITS_DEFAULT;
    const heldCount = shareBytes / requestBodyBytes;
    const uploads = upload(2 * heldCount);
    while (bodies.bytes < shareBytes) await Bun.sleep(5);
    const refused = await push();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ code: "UNAVAILABLE", retry_after_ms: 1_000 });
    const edited = await gateway.send(
      "PATCH",
      `/v1/provider/feed/${feed.feedId}/edit`,
      writeKey,
      {},
    );
    expect(edited.status).toBe(503);
    expect((await push(otherFeed, otherKey)).status).toBe(200);
    expect(bodies.bytes).toBe(shareBytes);
    await end(uploads);
    // Those that ended within their body count, as every push that is refused for what it is.
    expect(before - (await remaining())).toBe(heldCount + 1);
  });
});

describe("slow clients", () => {
  test("a client that sends nothing, sends a byte a second, or never reads is disconnected", async () => {
    const page = `GET /v1/feed/${feed.slug}?limit=100 HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${readKey}\r\n\r\n`;
    const slow: Record<string, (socket: Socket) => Timer | undefined> = {
      "sends nothing": () => undefined,
      "drips a head": (socket) => {
        socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ");
        return setInterval(() => socket.write("a"), MS_PER_SECOND);
      },
      "drips a body": (socket) => {
        socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
        return setInterval(() => socket.write("a"), MS_PER_SECOND);
      },
    };
    const startedMs = performance.now();
    const endings = Object.values(slow).map((behave) => {
      const socket = open();
      const timer = behave(socket);
      socket.resume();
      return new Promise<number>((resolve) => {
        socket.on("close", () => {
          clearInterval(timer);
          resolve(performance.now() - startedMs);
        });
      });
    });
    const unread = open();
    unread.pause();
    unread.write(page.repeat(3));
    for (const ms of await Promise.all(endings)) expect(ms).toBeLessThan(whenBusy(IDLE_MS_MAX));

    // What was left unread in the gateway is gone with its connection.
    let received = 0;
    unread.on("data", (bytes) => {
      received += bytes.length;
    });
    const closed = new Promise((resolve) => unread.on("close", resolve));
    await Bun.sleep(2_000);
    unread.resume();
    await closed;
    expect(received).toBeLessThan(3 * 100 * ROW_CHARACTERS);
  });
});
