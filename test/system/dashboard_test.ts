/**
 * The dashboard's queries and the alert rules, asked of a real Prometheus that scrapes gateways under load: one with an
 * embedded PostgreSQL, and one with a primary and a replica.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import { WORKER_RESTARTS } from "../../src/workers/metrics_sum.ts";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";
import { insertKey } from "../support/insert_key.ts";
import { waitFor } from "../support/processes.ts";
import { seedFeed } from "../support/seed.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { type ServerPair, startServerPair } from "../support/standby.ts";

const ROOT = resolve(import.meta.dir, "../..");
const PROMETHEUS = Bun.which("prometheus");
if (PROMETHEUS === null) console.log("skipped: Prometheus is not installed");
const WAIT_MS_MAX = 60_000;

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: Record<"x" | "y" | "w" | "h", number>;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels }: { panels: readonly Panel[] } = await Bun.file(
  join(ROOT, "src/deploy/grafana/dashboard.json"),
).json();

describe("the dashboard", () => {
  test("each panel has an id and a place of its own", () => {
    expect(panels.length).toBeGreaterThan(20);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [place, one] of panels.entries()) {
      expect(one.gridPos.x + one.gridPos.w).toBeLessThanOrEqual(24);
      for (const { gridPos, title } of panels.slice(place + 1)) {
        const { x, y, w, h } = one.gridPos;
        const isBeside = x + w <= gridPos.x || gridPos.x + gridPos.w <= x;
        const isAbove = y + h <= gridPos.y || gridPos.y + gridPos.h <= y;
        expect([one.title, title, isBeside || isAbove]).toEqual([one.title, title, true]);
      }
    }
  });
});

describe.skipIf(PROMETHEUS === null)("Prometheus", () => {
  let pair: ServerPair;
  let gateway: Gateway;
  let served: ServedGateway;
  let prometheus: ReturnType<typeof Bun.spawn>;
  let address: string;
  let isLoaded = true;
  let loading: Promise<void>;

  beforeAll(async () => {
    pair = await startServerPair();
    const environment = {
      DATABASE_URL: pair.primaryUrl,
      DATABASE_READ_URL: pair.standbyUrl,
      // Its metrics exist only with a mail server, which is not called without a mail.
      FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
      FEEDGATE_MAIL_FROM: "feeds@example.com",
    };
    gateway = await startGateway(
      readConfig({ PORT: "0", ...environment, FEEDGATE_READ_LIMIT_FREE: "100000" }),
      createLog({ level: "silent" }),
    );
    served = await serveGateway(["serve", "--data-dir", join(temporaryFolder(), "data")], {});
    const port = freePort();
    address = `http://127.0.0.1:${port}`;
    const folder = temporaryFolder();
    const configuration = (
      await Bun.file(join(ROOT, "src/deploy/prometheus/prometheus.yaml")).text()
    )
      .replace("scrape_interval: 15s", "scrape_interval: 1s\n  evaluation_interval: 1s")
      .replace("alerts.yaml", join(ROOT, "src/deploy/prometheus/alerts.yaml"))
      .replace("10.0.0.1:3000", `127.0.0.1:${gateway.port}`)
      .replace("10.0.0.2:3000", new URL(served.baseUrl).host);
    writeFileSync(join(folder, "prometheus.yaml"), configuration);
    prometheus = Bun.spawn(
      [
        PROMETHEUS ?? "",
        `--config.file=${join(folder, "prometheus.yaml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error",
      ],
      { stdio: ["ignore", "inherit", "inherit"] },
    );
    loading = load();
    expect(await waitFor(isReady, WAIT_MS_MAX)).toBe(true);
  });

  afterAll(async () => {
    isLoaded = false;
    await loading;
    prometheus?.kill();
    await prometheus?.exited;
    await served?.stop();
    await gateway?.stop();
    await pair?.stop();
  });

  /**
   * Reads, pushes, refusals, a follower and a statement that fails. They go on until the last test, since rates need
   * two scrapes that both saw load, and on a busy machine a scrape may fail.
   */
  async function load(): Promise<void> {
    const { sql } = pair;
    const [account] = await sql`
      insert into accounts (name, max_feeds_allowed) values ('Acme', 100) returning account_id`;
    const accountId: string = account?.account_id;
    const readKey = await insertKey(sql, accountId, "read");
    const writeKey = await insertKey(sql, accountId, "write");
    const seed = { type: "collection", rows: [{ id: 1 }], isPublic: true } as const;
    const { feedId } = await seedFeed({ sql }, accountId, seed);
    const stream = await seedFeed({ sql }, accountId, { type: "stream", rows: [] });
    const get = async (path: string) => {
      const response = await fetch(gateway.baseUrl + path, { headers: { "x-api-key": readKey } });
      await response.text();
    };
    const push = async (payload: unknown) => {
      const response = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feedId}/push`, {
        method: "POST",
        headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ payload }),
      });
      await response.text();
    };
    const { database } = gateway.services;
    for (let count = 0; isLoaded; count++) {
      await get(`/v1/feed/${feedId}?offset=${count % 3}`);
      await get("/v1/catalog");
      await get("/v1/feed/none");
      await get(`/v1/feed/${stream.slug}/stream?live=long-poll&offset=now&limit=0`);
      if (count % 5 === 0) await push([{ id: count }]);
      if (count % 5 === 1) await push([{}]);
      await database.row("prove_ledger", { account_id: "no uuid" }).catch(() => undefined);
      await Bun.sleep(100);
    }
  }

  interface Answer {
    readonly status: string;
    readonly error?: string;
    readonly data: { readonly result: readonly { readonly value: readonly [number, string] }[] };
  }

  async function isReady(): Promise<boolean> {
    const response = await fetch(`${address}/-/ready`).catch(() => undefined);
    return response?.ok === true;
  }

  async function ask(expression: string): Promise<Answer> {
    const query = expression.replaceAll("$__rate_interval", "30s").replaceAll("$instance", ".*");
    const response = await fetch(`${address}/api/v1/query`, {
      method: "POST",
      body: new URLSearchParams({ query }),
    });
    return (await response.json()) as Answer;
  }

  test("answers each query of the dashboard with numbers", async () => {
    const expressions = panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => ({ title, expr })),
    );
    expect(expressions.length).toBeGreaterThan(30);
    for (const { title, expr } of expressions) {
      // The totals come some seconds after the start.
      const untilMs = performance.now() + (isRare(expr) ? 0 : WAIT_MS_MAX);
      let answer = await ask(expr);
      while (answer.status === "success" && !hasNumber(answer) && performance.now() < untilMs) {
        await Bun.sleep(500);
        answer = await ask(expr);
      }
      expect({ title, expr, answer }).toMatchObject({ title, expr, answer: { status: "success" } });
      if (!isRare(expr)) expect({ title, has: hasNumber(answer) }).toEqual({ title, has: true });
    }
  });

  test("knows each metric that a query or an alert names", async () => {
    const metrics = await Promise.all(
      [gateway.baseUrl, served.baseUrl].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    const known = new Set(
      [...metrics.join("\n").matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1] ?? ""),
    );
    // Of a gateway with workers only.
    known.add(WORKER_RESTARTS);
    const rules = await Bun.file(join(ROOT, "src/deploy/prometheus/alerts.yaml")).text();
    const text = `${rules}\n${JSON.stringify(panels)}`;
    const named = [...text.matchAll(/\b(?:feedgate|process|nodejs)_[a-z0-9_]+/g)].map(([name]) =>
      known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""),
    );
    expect(new Set(named).size).toBeGreaterThan(30);
    expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
  });

  test("evaluates all alert rules, and none fires", async () => {
    const response = await fetch(`${address}/api/v1/rules`);
    const { data } = (await response.json()) as {
      data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
    };
    const rules = data.groups.flatMap((group) => group.rules);
    expect(rules.length).toBeGreaterThan(10);
    for (const { name, health, state } of rules) {
      expect([name, health, state === "firing"]).toEqual([name, "ok", false]);
    }
  });
});

/** What is there only if something is wrong, or once a background job has had its turn. */
function isRare(expression: string): boolean {
  return /status="503"|result="failed"|ledger_balanced|feeds_overdue/.test(expression);
}

function hasNumber({
  data,
}: {
  data?: { result: readonly { value: readonly [number, string] }[] };
}) {
  return (data?.result ?? []).some(({ value }) => Number.isFinite(Number(value[1])));
}
