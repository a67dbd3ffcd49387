import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { Socket, Subprocess } from "bun";
import { UNSENT_BYTES_MAX, WAITS_PER_ACCOUNT_MAX } from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { whenBusy } from "../support/pace.ts";
import { PROGRAM } from "../support/program.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const BUNDLE = "/docs/assets/swagger-ui-bundle.js";
const BYTES_PER_MB = 1_000_000;
/** Over 304 descriptors the listener rests, over 228 calls are refused. */
const DESCRIPTORS = 400;
/** Their connections are not idle, and stay below what the listener rests at. */
const FOLLOWING_ACCOUNTS = 12;
const SILENT = "";
const DRIPPED = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";

let gateway: TestGateway;
let owner: string;
let key: string;
let large: SeededFeed;
/** What a test has started. */
let served: Subprocess<"ignore", "pipe", "inherit">;
let baseUrl: string;
let sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  owner = await gateway.createAccount();
  key = await gateway.createKey(owner, "read");
  const text = "x".repeat(50_000);
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, text }));
  large = await seedFeed(gateway, owner, { type: "collection", rows });
});
afterAll(() => gateway.stop());
afterEach(async () => {
  for (const socket of sockets) socket.end();
  sockets = [];
  served.kill("SIGKILL");
  await served.exited;
});

/** A gateway in a process of its own, with so many descriptors. */
async function serve(descriptors = 8_192): Promise<void> {
  served = Bun.spawn(
    [
      ...["sh", "-c", `ulimit -n ${descriptors}; exec "$0" "$@"`],
      ...[...PROGRAM, "serve", "--port", "0", "--json"],
    ],
    {
      env: {
        ...process.env,
        DATABASE_URL: gateway.databaseUrl,
        LOG_LEVEL: "silent",
        FEEDGATE_READ_LIMIT_FREE: "100000",
        // What one account reads here takes a slow machine more than an account's share of a minute.
        FEEDGATE_DATABASE_MS: "1000000",
        // Its memory is measured, so its allocator is an operator's, not that of tests (`shared_run.ts`).
        MIMALLOC_PURGE_DELAY: undefined,
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const { value } = await served.stdout.getReader().read();
  baseUrl = (JSON.parse(new TextDecoder().decode(value)) as { base_url: string }).base_url;
}

/** Connections that send this much and read nothing. Resolves when each has connected or been refused. */
async function connectMany(count: number, sent: string): Promise<void> {
  const { hostname, port } = new URL(baseUrl);
  const connecting = Array.from({ length: count }, () =>
    Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        open(socket) {
          socket.pause();
          socket.write(sent);
        },
        data() {},
        error() {},
      },
    }),
  );
  const settled = await Promise.allSettled(connecting);
  sockets.push(...settled.flatMap((each) => (each.status === "fulfilled" ? each.value : [])));
}

function ask(path: string, caller = key): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${caller}\r\n\r\n`;
}

function get(path: string): Promise<Response> {
  return fetch(baseUrl + path, { headers: { "x-api-key": key }, keepalive: false });
}

/** Seconds of processor time of the gateway. */
function processorSeconds(): number {
  const fields = readFileSync(`/proc/${served.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The most memory that the gateway has had. */
function megabytesMax(): number {
  const status = readFileSync(`/proc/${served.pid}/status`, "utf8");
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1_024) / BYTES_PER_MB;
}

/** Milliseconds until a call is served again. */
async function untilServed(): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const status = await get("/v1/account").then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200) return performance.now() - startedMs;
    await Bun.sleep(50);
  }
}

describe.skipIf(process.platform !== "linux")("more connections than descriptors", () => {
  test.each([
    ["send nothing", SILENT],
    ["send a part of a request", DRIPPED],
  ])(
    "more connections than descriptors that %s cost no processor time, and service is back when they have gone",
    async (_, sent) => {
      await serve(DESCRIPTORS);
      await untilServed();
      await connectMany(2 * DESCRIPTORS, sent);
      await Bun.sleep(300);
      const before = processorSeconds();
      await Bun.sleep(3_000);
      expect(processorSeconds() - before).toBeLessThan(0.4);
      // Bun gives a request 10 s, and looks every 4.
      expect(await untilServed()).toBeLessThan(whenBusy(15_000));
    },
  );

  test("more connections than descriptors that rest after a call are closed, and service is back within three seconds", async () => {
    await serve(DESCRIPTORS);
    await untilServed();
    await connectMany(2 * DESCRIPTORS, ask("/healthz"));
    expect(await untilServed()).toBeLessThan(whenBusy(3_000));
  });

  test("while there are too many connections, calls are 503 and end theirs; probes are answered", async () => {
    await serve(DESCRIPTORS);
    await untilServed();
    const events = [{ id: 1, event_timestamp: "2026-01-01T00:00:00Z" }];
    const stream = await seedFeed(gateway, owner, { type: "stream", rows: events });
    for (let accounts = 0; accounts < FOLLOWING_ACCOUNTS; accounts++) {
      const follower = await gateway.createKey(await gateway.createAccount(), "read");
      const asked = ask(`/v1/feed/${stream.slug}/stream?live=sse&offset=now`, follower);
      await connectMany(WAITS_PER_ACCOUNT_MAX, asked);
    }
    for (const path of ["/v1/account", BUNDLE]) {
      let refused = await get(path);
      // The gateway counts its connections now and then.
      while (refused.status === 200) refused = await get(path);
      expect([refused.status, refused.headers.get("connection")]).toEqual([503, "close"]);
      expect(refused.headers.get("retry-after")).not.toBeNull();
    }
    expect((await get("/healthz")).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.terminate();
    expect(await untilServed()).toBeLessThan(whenBusy(3_000));
  });
});

describe.skipIf(process.platform !== "linux")("clients that don't read", () => {
  test("1,500 clients that ask for the docs' largest file and don't read cost less than 300 MB in all", async () => {
    await serve();
    await get(BUNDLE);
    await connectMany(1_500, ask(BUNDLE));
    await Bun.sleep(3_000);
    expect(megabytesMax()).toBeLessThan(300);
  });

  test("150 clients that ask for the index of 10,000 skills and don't read cost less than 300 MB in all", async () => {
    // What keeps the catalog's pages would take half a minute.
    await gateway.sql`alter table feeds disable trigger user`;
    await gateway.sql`
      insert into feeds (
        account_id, name, description, endpoint_path, feed_type, status, is_public, published_at,
        price_type, call_price_nanos, first_pushed_at, last_sync_at
      )
      select
        ${owner}, 'Many ' || place, 'Numbers of ' || place, 'many-' || place, 'singleton',
        'active', true, now(), 'free', 0, now(), now()
      from generate_series(1, 10000) as places (place)`;
    await gateway.sql`alter table feeds enable trigger user`;
    await serve();
    await connectMany(150, ask("/.well-known/agent-skills/index.json"));
    await Bun.sleep(3_000);
    expect(megabytesMax()).toBeLessThan(300);
  });

  test("300 clients that ask for 5 MB each and don't read cost a bounded part, and one that reads gets all", async () => {
    await serve();
    const page = `/v1/feed/${large.slug}?limit=100`;
    const whole = (await (await get(page)).json()) as { data: unknown };
    await connectMany(300, ask(page));
    await Bun.sleep(3_000);
    const metrics = await (await get("/metrics")).text();
    const unsentBytes = Number(/^feedgate_unsent_bytes (\d+)$/m.exec(metrics)?.[1]);
    expect(unsentBytes).toBeLessThanOrEqual(UNSENT_BYTES_MAX);
    expect(((await (await get(page)).json()) as { data: unknown }).data).toEqual(whole.data);
    expect(megabytesMax()).toBeLessThan(450);
  });
});
