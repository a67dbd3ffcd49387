import { afterEach, describe, expect, test } from "bun:test";
import type { Socket } from "bun";
import { unsentBodies } from "../../../src/http/load/unsent_bodies.ts";
import { respond } from "../../../src/http/respond.ts";
import { eventStream, eventText, KEEP_ALIVE } from "../../../src/http/sse_body.ts";
import { SharedInterval } from "../../../src/lib/shared_interval.ts";
import { UNSENT_BYTES_MAX } from "../../../src/limits.ts";

const MIB = 1_024 * 1_024;
const UNREAD_MS = 500;
const COMMENT_MS = 100;
/** Bun looks every 4 seconds for connections to close. */
const CLOSE_MS_MAX = 8_000;

interface Source {
  readonly url: URL;
  readonly server: Bun.Server<undefined>;
  made: number;
  onEndCalls: number;
  /** Generators that have ended. */
  ended: number;
  /** How long each event takes to come, in milliseconds. */
  eventMs: number;
}

let source: Source;
let sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets) socket.terminate();
  sockets = [];
  await source.server.stop(true);
});

/** Serves each client `count` events as fast as it takes them; each is made by how many were made before. */
function serve(eventOf: (made: number) => string, count = Number.POSITIVE_INFINITY): Source {
  async function* events() {
    try {
      for (let index = 0; index < count; index++) {
        yield eventOf(source.made++);
        await Bun.sleep(source.eventMs);
      }
    } finally {
      source.ended += 1;
    }
  }
  const server = Bun.serve({
    port: 0,
    development: false,
    fetch(request) {
      server.timeout(request, 0);
      const onEnd = () => {
        source.onEndCalls += 1;
        server.timeout(request, 1);
      };
      return respond(
        eventStream(events(), {
          comments: new SharedInterval(COMMENT_MS),
          unreadMsMax: UNREAD_MS,
          onEnd,
        }),
      );
    },
  });
  source = { url: server.url, server, made: 0, onEndCalls: 0, ended: 0, eventMs: 1 };
  return source;
}

interface SilentClient {
  readonly socket: Socket;
  readonly received: () => number;
}

/** Asks, and reads nothing until it is told to. */
async function connectSilent(): Promise<SilentClient> {
  let received = 0;
  const socket = await Bun.connect({
    hostname: source.url.hostname,
    port: Number(source.url.port),
    socket: {
      open(opened) {
        opened.pause();
        opened.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
      },
      data(_, bytes) {
        received += bytes.length;
      },
      error() {},
    },
  });
  sockets.push(socket);
  return { socket, received: () => received };
}

async function until(isSo: () => boolean, msMax: number): Promise<void> {
  const endMs = performance.now() + msMax;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error("it did not come to that in time");
    await Bun.sleep(20);
  }
}

describe("eventStream", () => {
  test.each([10_000, 200_000, 10 * MIB])(
    "closes a client that takes no event of %d bytes, and makes one at most beyond what the kernel holds",
    async (bytes) => {
      const event = eventText({ name: "rows", data: "x".repeat(bytes) });
      serve(() => event);
      const client = await connectSilent();
      await until(() => source.onEndCalls === 1, 20_000);
      await until(() => source.server.pendingRequests === 0, CLOSE_MS_MAX);
      const made = source.made;
      client.socket.resume();
      let before = -1;
      while (client.received() > before) {
        before = client.received();
        await Bun.sleep(200);
      }
      expect(before).toBeGreaterThan(0);
      // A part of one is on its way.
      expect(made * event.length - client.received()).toBeLessThan(2 * event.length);
      expect(source).toMatchObject({ made, onEndCalls: 1, ended: 1 });
      expect(unsentBodies.bytes).toBe(0);
    },
  );

  test("ends the generator once when a client goes away in the middle", async () => {
    serve(() => eventText({ name: "rows", data: "x".repeat(200_000) }));
    const leaving = new AbortController();
    const response = await fetch(source.url, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => source.ended === 1, 2_000);
    const { made } = source;
    await Bun.sleep(100);
    expect(source).toMatchObject({ made, onEndCalls: 1, ended: 1 });
    expect(unsentBodies.bytes).toBe(0);
  });

  test("sends events of any size as they are, and ends with the last", async () => {
    const event = eventText({ name: "rows", id: "1", data: "ä€😀".repeat(100_000) });
    serve(() => event, 3);
    expect(await (await fetch(source.url)).text()).toBe(event.repeat(3));
    expect(source).toMatchObject({ made: 3, onEndCalls: 1, ended: 1 });
  });

  test("sends comments while no event comes, and events whole among them", async () => {
    const event = eventText({ name: "rows", data: "x".repeat(200_000) });
    serve(() => event, 3);
    source.eventMs = 450;
    const startedMs = performance.now();
    const text = await (await fetch(source.url)).text();
    expect(text.replaceAll(KEEP_ALIVE, "")).toBe(event.repeat(3));
    const comments = text.split(event).map((between) => between.length / KEEP_ALIVE.length);
    expect(comments[0]).toBe(0);
    // Four are due; a busy machine's events and comments come late.
    for (const count of comments.slice(1)) expect(count).toBeGreaterThan(0);
    const most = Math.ceil((performance.now() - startedMs) / COMMENT_MS);
    expect(comments.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(most);
  });

  test("goes on for a client that was slow to take a comment", async () => {
    const quiet = Promise.withResolvers<void>();
    async function* events() {
      yield eventText({ name: "rows", data: "1" });
      await quiet.promise;
    }
    let isEnded = false;
    const { body } = eventStream(events(), {
      comments: new SharedInterval(COMMENT_MS),
      unreadMsMax: UNREAD_MS,
      onEnd: () => {
        isEnded = true;
      },
    });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await reader.read();
    await Bun.sleep(0.8 * UNREAD_MS);
    for (let comments = 0; comments < (2 * UNREAD_MS) / COMMENT_MS; comments += 1) {
      expect(new TextDecoder().decode((await reader.read()).value)).toBe(KEEP_ALIVE);
    }
    expect(isEnded).toBe(false);
    quiet.resolve();
    await reader.cancel();
    expect(isEnded).toBe(true);
  });

  test("gives up the slowest where clients that do not read would hold too much", async () => {
    const data = "x".repeat(10 * MIB);
    serve((made) => eventText({ name: "rows", id: `${made}`, data }));
    let bytesMost = 0;
    for (let clients = 0; clients < 9; clients++) {
      await connectSilent();
      await until(() => source.made > clients, 2_000);
      bytesMost = Math.max(bytesMost, unsentBodies.bytes);
    }
    expect(bytesMost).toBeGreaterThan(UNSENT_BYTES_MAX / 2);
    expect(bytesMost).toBeLessThanOrEqual(UNSENT_BYTES_MAX);
    await until(() => source.onEndCalls === 9 && unsentBodies.bytes === 0, 5_000);
    expect(source.ended).toBe(9);
  });
});
