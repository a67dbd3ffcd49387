import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { firstLine, runFeedgate, spawnFeedgate } from "../cli/support.ts";
import { visitor } from "../pages/console/support.ts";
import { countLogged } from "../support/account_checks.ts";
import { freePort } from "../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { isRunning, listProcesses, waitFor } from "../support/processes.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const WORKERS = 2;
const READS_PAID = 100;

let gateway: TestGateway;
let feed: SeededFeed;
let supervised: ServedGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const provider = await gateway.createAccount();
  feed = await seedFeed(gateway, provider, {
    type: "collection",
    rows: [{ id: "a" }],
    callPriceNanos: 1_000,
  });
  supervised = await serve();
});

afterAll(async () => {
  await supervised.stop();
  await gateway.stop();
});

function serve(settings: Record<string, string> = {}): Promise<ServedGateway> {
  const environment = { DATABASE_URL: gateway.databaseUrl, ...settings };
  return serveGateway(["serve", "--workers", `${WORKERS}`], environment);
}

/** On a connection of its own, so that the workers share the reads. */
function read(key: string): Promise<Response> {
  return fetch(`${supervised.baseUrl}/v1/feed/${feed.feedId}`, {
    headers: { "x-api-key": key, Connection: "close" },
    keepalive: false,
  });
}

async function newKey(): Promise<string> {
  return gateway.createKey(await gateway.createAccount({ credits: 10_000 }), "read");
}

function workerPids(of: Pick<ServedGateway, "child"> = supervised): number[] {
  return listProcesses()
    .filter(({ parent }) => parent === of.child.pid)
    .filter(({ commandLine }) => commandLine.split(/\s+/).includes("feedgate-worker"))
    .map(({ pid }) => pid);
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${supervised.baseUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

describe("serve --workers", () => {
  test("of 200 reads at once over two workers, exactly the limit is granted and charged", async () => {
    const key = await newKey();
    const answers = await Promise.all(Array.from({ length: 200 }, () => read(key)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(READS_PAID);
    expect(statuses.filter((status) => status === 429)).toHaveLength(200 - READS_PAID);
    const [row] = await gateway.sql`
      select accounts.balance_nanos from api_keys join accounts using (account_id)
      order by accounts.created_at desc limit 1`;
    expect(BigInt(row?.balance_nanos)).toBe(10_000_000n - BigInt(READS_PAID) * 1_000n);
  });

  test("each worker tells callers of a trusted proxy apart", async () => {
    const trusting = await serve({ FEEDGATE_TRUSTED_PROXIES: "127.0.0.1" });
    /** Statuses of wrong keys, each on a connection of its own, so that the workers share them. */
    const tryFrom = async (caller: string, times: number) => {
      const headers = { Connection: "close", "X-Forwarded-For": caller };
      const statuses: number[] = [];
      for (let tries = 0; tries < times; tries++) {
        const form = { key: "wrong" };
        statuses.push((await visitor(trusting.baseUrl).post("/sign-in", form, headers)).status);
      }
      return new Set(statuses);
    };
    const limited = await tryFrom("203.0.113.7", 20 * WORKERS);
    expect(limited).toEqual(new Set([401, 429]));
    expect(await tryFrom("203.0.113.8", 1)).toEqual(new Set([401]));
    await trusting.stop();
  });

  test("/metrics adds the workers up, whichever answers", async () => {
    const key = await newKey();
    const answers = await Promise.all(Array.from({ length: 40 }, () => read(key)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const [row] = await gateway.sql`select count(*)::int as logged from usage_events`;
    // The text of each worker serves all who ask it within a second.
    const isShown = async () => {
      const asked = Array.from({ length: 4 }, () => metric("feedgate_usage_events_total"));
      return (await Promise.all(asked)).every((total) => total === row?.logged);
    };
    expect(await waitFor(isShown, 10_000)).toBe(true);
  });

  test("four clients that ask for /metrics at once don't wait for each other", async () => {
    const times: number[] = [];
    // Figures that are lost on the way are waited for for a second, each time.
    for (let asked = 0; asked < 3; asked++) {
      const startedMs = performance.now();
      await Promise.all(Array.from({ length: 4 }, () => metric("feedgate_usage_events_total")));
      times.push(performance.now() - startedMs);
    }
    expect(Math.min(...times)).toBeLessThan(900);
  });

  test("a worker is killed under load: another takes its place, no usage id is lost", async () => {
    const pids = workerPids();
    expect(pids).toHaveLength(WORKERS);
    const counted = await metric("feedgate_usage_events_total");
    const usageIds: string[] = [];
    let isOver = false;
    const readers = Array.from({ length: 8 }, async () => {
      while (!isOver) {
        const response = await read(await newKey()).catch(() => undefined);
        if (response?.status !== 200) continue;
        const body = (await response.json().catch(() => undefined)) as
          | { _origin: { usage_id: string } }
          | undefined;
        if (body !== undefined) usageIds.push(body._origin.usage_id);
      }
    });
    await Bun.sleep(200);
    const [victim] = pids;
    process.kill(victim as number, "SIGKILL");
    const isReplaced = () => {
      const now = workerPids();
      return now.length === WORKERS && !now.includes(victim as number);
    };
    expect(await waitFor(isReplaced, 20_000)).toBe(true);
    const before = usageIds.length;
    expect(await waitFor(() => usageIds.length > before + 10, 20_000)).toBe(true);
    isOver = true;
    await Promise.all(readers);
    expect(await countLogged(gateway.sql, usageIds)).toBe(usageIds.length);
    // What the dead one had told last stays in the sum.
    const hasGrown = async () => (await metric("feedgate_usage_events_total")) > counted;
    expect(await waitFor(hasGrown, 10_000)).toBe(true);
  });

  test("a worker that hangs is killed and replaced, which the log and a metric say", async () => {
    const program = [
      process.execPath,
      Bun.fileURLToPath(new URL("../support/supervised.ts", import.meta.url)),
    ];
    const child = spawnFeedgate([], { DATABASE_URL: gateway.databaseUrl }, program);
    const baseUrl = (await firstLine(child.stdout)).trim();
    const [victim] = workerPids({ child });
    process.kill(victim as number, "SIGSTOP");
    const isReplaced = () => {
      const now = workerPids({ child });
      return now.length === WORKERS && !now.includes(victim as number);
    };
    expect(await waitFor(isReplaced, 20_000)).toBe(true);
    const restarts = async () => {
      const response = await fetch(`${baseUrl}/metrics`, { keepalive: false });
      return /^feedgate_worker_restarts_total\{reason="hung"\} (\d+)$/m.exec(await response.text());
    };
    expect(await waitFor(async () => Number((await restarts())?.[1]) >= 1, 20_000)).toBe(true);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    const logged = await new Response(child.stderr).text();
    expect(logged).toMatch(
      new RegExp(
        `"message":"a worker does not respond; killing it","pid":${victim},"silent_ms":1600`,
      ),
    );
  });

  test("a second gateway on the port is refused, though the workers share it", async () => {
    const { port } = new URL(supervised.baseUrl);
    const { code, stderr } = await runFeedgate(["serve", "--workers", "2", "--port", port], {
      DATABASE_URL: gateway.databaseUrl,
    });
    expect(code).toBe(1);
    expect(stderr).toContain("is in use: stop what listens there");
  });

  test("the port is kept from others while the workers start: who calls is told to come later", async () => {
    const port = freePort();
    const child = spawnFeedgate(["serve", "--workers", "2", "--port", `${port}`, "--json"], {
      DATABASE_URL: gateway.databaseUrl,
    });
    const line = firstLine(child.stdout);
    const statuses = new Set<number>();
    while (!statuses.has(200)) {
      const status = await fetch(`http://127.0.0.1:${port}/healthz`, { keepalive: false }).then(
        async (response) => {
          if (response.status === 503) {
            expect(response.headers.get("retry-after")).toBe("1");
            expect(await response.json()).toMatchObject({ status: 503, code: "UNAVAILABLE" });
          }
          return response.status;
        },
        () => 0,
      );
      statuses.add(status);
      await Bun.sleep(5);
    }
    expect(statuses).toEqual(new Set([0, 503, 200]));
    expect(await line).not.toBe("");
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test("SIGTERM drains all workers: what is in flight is answered, and no process is left", async () => {
    const key = await newKey();
    const own = await serve();
    const pids = [own.child.pid, ...workerPids(own)];
    expect(pids).toHaveLength(1 + WORKERS);
    const answers = Array.from({ length: 20 }, () =>
      fetch(`${own.baseUrl}/v1/feed/${feed.feedId}`, { headers: { "x-api-key": key } }),
    );
    await Bun.sleep(20);
    const stopped = own.stop();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200)).toBe(true);
    await stopped;
    expect(await waitFor(() => !pids.some(isRunning), 20_000)).toBe(true);
  });
});
