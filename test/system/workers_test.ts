import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Subprocess } from "bun";
import { countLogged } from "../support/account_checks.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";

const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const WORKERS = 2;
const READS_PAID = 100;

interface Supervised {
  readonly process: Subprocess<"ignore", "pipe", "inherit">;
  readonly baseUrl: string;
}

let gateway: TestGateway;
let feed: SeededFeed;
let supervised: Supervised;

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
  supervised.process.kill("SIGTERM");
  await supervised.process.exited;
  await gateway.stop();
});

async function serve(): Promise<Supervised> {
  const child = Bun.spawn(
    [process.execPath, MAIN, "serve", "--workers", `${WORKERS}`, "--port", "0", "--json"],
    {
      env: { ...process.env, DATABASE_URL: gateway.databaseUrl, LOG_LEVEL: "silent" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    },
  );
  const { value } = await child.stdout.getReader().read();
  const announced = JSON.parse(new TextDecoder().decode(value)) as { base_url: string };
  return { process: child, baseUrl: announced.base_url };
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

function workerPids(of: Supervised = supervised): number[] {
  const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,args="]);
  return stdout
    .toString()
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent]) => Number(parent) === of.process.pid)
    .filter((fields) => fields.includes("feedgate-worker"))
    .map(([pid]) => Number(pid));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5_000;
  while (!(await isSo())) {
    if (Date.now() > deadline) throw new Error("it did not become so in time");
    await Bun.sleep(20);
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${supervised.baseUrl}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(name));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

describe("serve --workers", () => {
  test("200 reads at once over both workers: exactly the limit is granted and charged", async () => {
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

  test("/metrics adds the workers up, whichever answers", async () => {
    const before = await metric("feedgate_usage_events_total");
    const key = await newKey();
    const answers = await Promise.all(Array.from({ length: 40 }, () => read(key)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    for (let asked = 0; asked < 4; asked++) {
      expect(await metric("feedgate_usage_events_total")).toBe(before + 40);
    }
  });

  test("four who ask for /metrics at once wait for none of each other", async () => {
    await metric("feedgate_usage_events_total");
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: 4 }, () => metric("feedgate_usage_events_total")));
    // Figures that are lost on the way are waited for for a second.
    expect(performance.now() - startedMs).toBeLessThan(900);
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
    await until(() => {
      const now = workerPids();
      return now.length === WORKERS && !now.includes(victim as number);
    });
    await Bun.sleep(300);
    isOver = true;
    await Promise.all(readers);
    expect(usageIds.length).toBeGreaterThan(10);
    expect(await countLogged(gateway.sql, usageIds)).toBe(usageIds.length);
    // What the dead one had told last stays in the sum.
    expect(await metric("feedgate_usage_events_total")).toBeGreaterThan(counted);
  });

  test("a second gateway on the port is refused, though the workers share it", async () => {
    const child = Bun.spawn(
      [
        process.execPath,
        MAIN,
        "serve",
        "--workers",
        "2",
        "--port",
        new URL(supervised.baseUrl).port,
      ],
      {
        env: { ...process.env, DATABASE_URL: gateway.databaseUrl, LOG_LEVEL: "silent" },
        stdout: "ignore",
        stderr: "pipe",
      },
    );
    expect(await child.exited).toBe(1);
    expect(await new Response(child.stderr).text()).toContain("is in use: stop what listens there");
  });

  test("SIGTERM drains all workers: what is in flight is answered, and no process is left", async () => {
    const key = await newKey();
    const own = await serve();
    const pids = [own.process.pid, ...workerPids(own)];
    expect(pids).toHaveLength(1 + WORKERS);
    const answers = Array.from({ length: 20 }, () =>
      fetch(`${own.baseUrl}/v1/feed/${feed.feedId}`, { headers: { "x-api-key": key } }),
    );
    await Bun.sleep(20);
    own.process.kill("SIGTERM");
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(await own.process.exited).toBe(0);
    await until(() => pids.every((pid) => !isRunning(pid)));
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
