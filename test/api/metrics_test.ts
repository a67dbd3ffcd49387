import { afterAll, describe, expect, test } from "bun:test";
import { Metrics } from "../../src/http/metrics.ts";
import { startTestGateway } from "../support/gateway.ts";
import { waitFor } from "../support/processes.ts";
import { seedFeed } from "../support/seed.ts";

const gateway = await startTestGateway({}, { hasJobs: true });
afterAll(() => gateway.stop());
const owner = await gateway.createAccount();
const writeKey = await gateway.createKey(owner, "write");
// An owner reads its own feeds free.
const readKey = await gateway.createKey(await gateway.createAccount({ credits: 100 }), "read");
const paid = await seedFeed(gateway, owner, {
  type: "collection",
  rows: [{ id: 1 }, { id: 2 }],
  callPriceNanos: 1_500,
});

/** Value of a sample by its name and labels as printed. */
async function samples(): Promise<Map<string, number>> {
  const text = await (await gateway.get("/metrics")).text();
  return new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => {
        const at = line.lastIndexOf(" ");
        return [line.slice(0, at), Number(line.slice(at + 1))];
      }),
  );
}

/** What the calls added to a sample. */
async function added(calls: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await samples();
  await calls();
  const after = await samples();
  return (name) => (after.get(name) ?? 0) - (before.get(name) ?? 0);
}

describe("metrics", () => {
  test("show of the process what Bun has figures for, without a walk over its heap", async () => {
    const names = [...(await samples()).keys()].filter((name) => /^(process|nodejs)_/.test(name));
    for (const name of [
      "process_cpu_seconds_total",
      "process_start_time_seconds",
      "process_resident_memory_bytes",
      "process_open_fds",
      "process_max_fds",
      "nodejs_heap_size_used_bytes",
      "nodejs_eventloop_lag_p99_seconds",
    ]) {
      expect(names).toContain(name);
    }
    // Bun walks the whole heap for it, and nothing is served meanwhile.
    expect(names.filter((name) => name.startsWith("nodejs_heap_space_"))).toEqual([]);
  });

  test("are for the machine itself, unless a token is asked for: no proxy, and no name that points here", async () => {
    const { port } = new URL(gateway.baseUrl);
    for (const headers of [
      { "X-Forwarded-For": "203.0.113.9" },
      { Forwarded: "for=203.0.113.9" },
      { Host: `metrics.example:${port}` },
    ] as Record<string, string>[]) {
      expect((await gateway.get("/metrics", undefined, headers)).status).toBe(404);
    }
    const guarded = await gateway.startPeer({ FEEDGATE_METRICS_TOKEN: "scrape-me-0123456789" });
    const headers = {
      "X-Forwarded-For": "203.0.113.9",
      Authorization: "Bearer scrape-me-0123456789",
    };
    expect((await fetch(`${guarded.baseUrl}/metrics`, { headers })).status).toBe(200);
    // The key comes before the parameters.
    expect((await fetch(`${guarded.baseUrl}/metrics?x=1`)).status).toBe(401);
  });

  test("a text serves all who ask within its time", async () => {
    const metrics = new Metrics({ textMs: 60_000 });
    const first = metrics.text();
    metrics.answered({ route: "/x", status: 200, seconds: 0.1 });
    expect(metrics.text()).toBe(first);
  });

  test("a counter's name ends in _total, and no other metric's does", async () => {
    const text = await (await gateway.get("/metrics")).text();
    const types = [...text.matchAll(/^# TYPE (feedgate_\S+) (\S+)$/gm)];
    expect(types.length).toBeGreaterThan(10);
    const misnamed = types.filter(
      ([, name = "", type]) => name.endsWith("_total") !== (type === "counter"),
    );
    expect(misnamed.map(([line]) => line)).toEqual([]);
    expect(types.map(([, name]) => name)).toContain("feedgate_database_statements_total");
  });

  test("usage events are never fewer than answers with a usage id, and move with them", async () => {
    const by = await added(async () => {
      const path = `/v1/feed/${paid.slug}`;
      expect((await gateway.get(path, readKey)).status).toBe(200);
      expect((await gateway.get(path, readKey)).status).toBe(200);
      expect((await gateway.get(`${path}/metadata`, readKey)).status).toBe(200);
      expect((await gateway.get("/v1/catalog", readKey)).status).toBe(200);
      expect((await gateway.get("/v1/search?q=x", readKey)).status).toBe(200);
      // None of these has a usage id.
      expect((await gateway.get("/v1/account", readKey)).status).toBe(200);
      expect((await gateway.get(path, readKey, { "If-None-Match": "*" })).status).toBe(304);
      expect((await gateway.get(`${path}?limit=0`, readKey)).status).toBe(400);
    });
    expect(by("feedgate_reads_answered_total")).toBe(5);
    expect(by("feedgate_usage_events_total")).toBe(5);
    expect(by("feedgate_credits_charged_total")).toBe(3);
    expect(by('feedgate_http_requests_total{route="/v1/feed/{id}",status="200"}')).toBe(2);
    expect(by('feedgate_http_requests_total{route="/v1/feed/{id}",status="304"}')).toBe(1);
    expect(by('feedgate_http_requests_total{route="/v1/feed/{id}",status="400"}')).toBe(1);
    expect(by('feedgate_http_request_duration_seconds_count{route="/v1/feed/{id}"}')).toBe(4);
    expect(
      by('feedgate_http_request_duration_seconds_bucket{le="+Inf",route="/v1/feed/{id}"}'),
    ).toBe(4);
    expect(by('feedgate_page_lookups_total{result="miss"}')).toBe(1);
    expect(by('feedgate_page_lookups_total{result="hit"}')).toBe(1);
  });

  test("a replay under an Idempotency-Key answers with an event that was counted before", async () => {
    const headers = { "Idempotency-Key": "metrics" };
    const by = await added(async () => {
      for (let call = 0; call < 2; call++) {
        expect((await gateway.get(`/v1/feed/${paid.slug}`, readKey, headers)).status).toBe(200);
      }
    });
    expect(by("feedgate_usage_events_total")).toBe(1);
    expect(by("feedgate_reads_answered_total")).toBe(1);
  });

  test("pushes and rows are counted by feed type and outcome, dry runs not", async () => {
    const path = `/v1/provider/feed/${paid.feedId}/push`;
    const by = await added(async () => {
      const payload = [{ id: 3 }, { id: 4 }, { id: 5 }];
      expect((await gateway.send("POST", path, writeKey, { payload })).status).toBe(200);
      expect((await gateway.send("POST", path, writeKey, { payload: [{}] })).status).toBe(422);
      const dry = await gateway.send("POST", `${path}?dry_run=true`, writeKey, { payload });
      expect(dry.status).toBe(200);
    });
    expect(by('feedgate_pushes_total{feed_type="collection",outcome="stored"}')).toBe(1);
    expect(by('feedgate_pushes_total{feed_type="collection",outcome="refused"}')).toBe(1);
    expect(by('feedgate_pushed_rows_total{feed_type="collection"}')).toBe(3);
  });

  test("queues, pool and memory are shown, and no label names an account or feed", async () => {
    const found = await samples();
    for (const name of [
      "feedgate_admission_waiting",
      "feedgate_database_running",
      "feedgate_database_waiting",
      "feedgate_page_cache_bytes",
      "feedgate_bodies_bytes",
      "feedgate_schema_checks_waiting",
      "feedgate_admission_batch_reads_count",
    ]) {
      expect([...found.keys()]).toContain(name);
    }
    const text = await (await gateway.get("/metrics")).text();
    expect(text).not.toContain(paid.feedId);
    expect(text).not.toContain(paid.slug);
    expect(text).not.toContain("fg_");
  });

  test("say which program it is, that its database answers, and which statements failed", async () => {
    const found = await samples();
    const builds = [...found.keys()].filter((name) => name.startsWith("feedgate_build_info"));
    expect(builds).toEqual([
      expect.stringMatching(
        /^feedgate_build_info\{version="\d+\.\d+\.\d+(-dev)?",commit="[0-9a-z-]+"\}$/,
      ),
    ]);
    expect(found.get("feedgate_database_up")).toBe(1);
    const { database } = gateway.gateway.services;
    const by = await added(async () => {
      for (let count = 0; count < 2; count++) {
        await expect(database.row("prove_ledger", { account_id: "no uuid" })).rejects.toThrow();
      }
    });
    expect(by('feedgate_database_errors_total{sqlstate="22P02"}')).toBe(2);
    // Those that fail take time, too.
    const timed = "feedgate_database_statement_duration_seconds";
    expect(by(`${timed}_count{pool="requests"}`)).toBeGreaterThanOrEqual(2);
    expect(by(`${timed}_bucket{le="+Inf",pool="requests"}`)).toBeGreaterThanOrEqual(2);
    expect(by(`${timed}_sum{pool="requests"}`)).toBeGreaterThan(0);
  });

  test("say what background jobs have found, and when each last succeeded", async () => {
    // The first check of the ledger comes soon after the start, and the next one in ten minutes.
    const isChecked = await waitFor(
      async () => (await samples()).has("feedgate_ledger_balanced"),
      30_000,
    );
    expect(isChecked).toBe(true);
    await gateway.sql`
      insert into findings (name, amount, since, found_at)
      values
        ('overdue feeds', 3, now() - interval '2 hours', now()),
        ('ledger check', 0, null, '2026-11-21T00:00:00Z')
      on conflict (name) do update
      set amount = excluded.amount, since = excluded.since, found_at = excluded.found_at`;
    gateway.gateway.services.http.metrics.maintained("ledger check", false);
    // A scrape before may have read the findings, which are kept for a moment.
    const isSeen = async () => (await samples()).get("feedgate_feeds_overdue") === 3;
    expect(await waitFor(isSeen, 30_000)).toBe(true);
    const found = await samples();
    expect(found.get("feedgate_feeds_overdue")).toBe(3);
    expect(found.get("feedgate_feeds_overdue_seconds_max")).toBeGreaterThanOrEqual(7_200);
    expect(found.get("feedgate_feeds_overdue_seconds_max")).toBeLessThan(7_300);
    expect(found.get("feedgate_ledger_balanced")).toBe(1);
    expect(found.get("feedgate_ledger_checked_timestamp_seconds")).toBe(
      Date.parse("2026-11-21T00:00:00Z") / 1_000,
    );
    const job = 'feedgate_job_last_success_timestamp_seconds{job="ledger check"}';
    expect(Math.abs((found.get(job) ?? 0) - Date.now() / 1_000)).toBeLessThan(10);
    await gateway.sql`
      insert into totals_progress (name, complete_until) values ('sales', '2026-11-22T00:00:00Z')
      on conflict (name) do update set complete_until = excluded.complete_until`;
    await gateway.sql`update findings set amount = 1 where name = 'ledger check'`;
    const isChanged = async () => (await samples()).get("feedgate_ledger_balanced") === 0;
    expect(await waitFor(isChanged, 30_000)).toBe(true);
    const later = await samples();
    const complete = later.get("feedgate_totals_complete_timestamp_seconds");
    expect(complete).toBeGreaterThanOrEqual(Date.parse("2026-11-22T00:00:00Z") / 1_000);
  });
});
