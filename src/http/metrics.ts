/**
 * The gateway's metrics for Prometheus. No label is an account or a feed, so there are few series.
 *
 * Two counters show whether metering works. `feedgate_reads_answered_total` counts answers with a usage id, and
 * `feedgate_usage_events_total` the events that the database has committed for them. While metering works, the second
 * is never smaller.
 *
 * @module
 */
import {
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from "prom-client";
import { MS_PER_SECOND } from "../lib/time_units.ts";
import { METRICS_TEXT_MS } from "../limits.ts";
import { PlainCounter, PlainHistogram } from "./plain_metrics.ts";
import { collectProcessMetrics } from "./process_metrics.ts";

/** The metrics of one process, in the form that is sent to another process. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValueWithName<string>>[];

const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const REFUSAL_STATUS_MIN = 400;
const ERROR_STATUS_MIN = 500;
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly contentType = this.#registry.contentType;

  readonly #requests = this.#counter(
    "feedgate_http_requests_total",
    "Responses, by route and status",
    ["route", "status"],
  );
  readonly #seconds = new PlainHistogram({
    name: "feedgate_http_request_duration_seconds",
    help: "Time from request to response, by route, excluding the time that a request waits for a change",
    labelNames: ["route"],
    buckets: SECONDS_BUCKETS,
    registry: this.#registry,
  });
  readonly #batches = new PlainHistogram({
    name: "feedgate_admission_batch_reads",
    help: "Reads per admission statement",
    buckets: BATCH_BUCKETS,
    registry: this.#registry,
  });
  readonly #statements = new PlainHistogram({
    name: "feedgate_database_statement_duration_seconds",
    help: "Time from sending a statement to receiving its last row, by connection pool",
    labelNames: ["pool"],
    buckets: SECONDS_BUCKETS,
    registry: this.#registry,
  });
  readonly #decisions = this.#counter(
    "feedgate_admission_decisions_total",
    "Admission decisions, by operation and outcome",
    ["operation", "outcome"],
  );
  readonly #usageEvents = this.#counter(
    "feedgate_usage_events_total",
    "Usage events committed to the database",
  );
  readonly #credits = this.#counter("feedgate_credits_charged_total", "Credits charged");
  readonly #reads = this.#counter(
    "feedgate_reads_answered_total",
    "Responses sent that contain a usage id",
  );
  readonly #pages = this.#counter(
    "feedgate_page_lookups_total",
    "Lookups in the page cache, by result",
    ["result"],
  );
  readonly #replicaReads = this.#counter(
    "feedgate_replica_reads_total",
    "Reads that could use the replica, by outcome: answered by it, or by the primary because the replica was behind, failed, or was resting after failures",
    ["outcome"],
  );
  readonly #pushes = this.#counter("feedgate_pushes_total", "Pushes, by feed type and outcome", [
    "feed_type",
    "outcome",
  ]);
  readonly #rows = this.#counter(
    "feedgate_pushed_rows_total",
    "Rows stored by pushes, by feed type",
    ["feed_type"],
  );
  readonly #jobs = this.#counter(
    "feedgate_maintenance_runs_total",
    "Steps of background jobs, by job and result",
    ["job", "result"],
  );
  readonly #jobsDone = new Gauge({
    name: "feedgate_job_last_success_timestamp_seconds",
    help: "Time of the last successful step of a background job in this process",
    labelNames: ["job"],
    registers: this.#registers,
    aggregator: "max",
  });
  #sum: (() => Promise<string | undefined>) | undefined;

  readonly #textMs: number;
  #text: Promise<string> | undefined;
  #textMadeMs = 0;

  /** @param textMs how long a text is reused for all requests, in milliseconds: building it blocks the event loop. */
  constructor({ textMs = METRICS_TEXT_MS }: { readonly textMs?: number | undefined } = {}) {
    this.#textMs = textMs;
    collectProcessMetrics(this.#registry);
  }

  /** Counts an answer, and the seconds since its request. */
  answered(answer: { route: string; status: number; seconds: number }): void {
    const { route, status, seconds } = answer;
    this.#requests.add(1, route, String(status));
    this.#seconds.add(seconds, route);
  }

  /** Counts an admission batch that was sent. */
  batchSent(size: number): void {
    this.#batches.add(size);
  }

  /** Counts a statement that was sent over the connections of a pool. */
  stated(pool: string, seconds: number): void {
    this.#statements.add(seconds, pool);
  }

  /** Counts a decision of admission. */
  decided(decision: {
    operation: string;
    outcome: string;
    isLogged: boolean;
    credits: number;
  }): void {
    const { operation, outcome, isLogged, credits } = decision;
    this.#decisions.add(1, operation, outcome);
    if (isLogged) this.#usageEvents.add(1);
    this.#credits.add(credits);
  }

  /** Counts an answer with its own usage id. Replays of an Idempotency-Key have none. */
  readAnswered(): void {
    this.#reads.add(1);
  }

  /** Counts a page that was looked up in the cache. */
  pageLookedUp(isHit: boolean): void {
    this.#pages.add(1, isHit ? "hit" : "miss");
  }

  /** Counts a read while there is a replica: which server answered, and why. */
  replicaAsked(outcome: "answered" | "behind" | "failed" | "resting"): void {
    this.#replicaReads.add(1, outcome);
  }

  /** Counts a push that was stored or refused. */
  pushed(push: { feedType: string; outcome: "stored" | "refused"; rows: number }): void {
    const { feedType, outcome, rows } = push;
    this.#pushes.add(1, feedType, outcome);
    if (outcome === "stored") this.#rows.add(rows, feedType);
  }

  /**
   * The counts since the start that are saved to the database by minute, by name: refused answers by status, errors,
   * and pushes. Probes are omitted, because users of the gateway don't send them.
   */
  countsSinceStart(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const add = (name: string, count: number) => counts.set(name, (counts.get(name) ?? 0) + count);
    for (const { labels, count } of this.#requests.sinceStart()) {
      const status = Number(labels.status);
      if (PROBES.has(labels.route ?? "")) continue;
      if (status >= ERROR_STATUS_MIN) add("errors", count);
      else if (status >= REFUSAL_STATUS_MIN) add(`refused_${status}`, count);
    }
    for (const { labels, count } of this.#pushes.sinceStart()) {
      add(labels.outcome === "stored" ? "pushes" : "refused_pushes", count);
    }
    for (const { count } of this.#rows.sinceStart()) add("pushed_rows", count);
    return counts;
  }

  /** Counts a run of a background job. */
  maintained(job: string, isFailed: boolean): void {
    this.#jobs.add(1, job, isFailed ? "failed" : "done");
    if (!isFailed) this.#jobsDone.set({ job }, Date.now() / MS_PER_SECOND);
  }

  /**
   * A value that is read when Prometheus collects, and omitted while it is undefined. The values of several processes
   * are summed, unless `over` says otherwise.
   */
  gauge(
    name: string,
    help: string,
    read: () => number | undefined | Promise<number | undefined>,
    over: "sum" | "min" | "max" = "sum",
  ): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      aggregator: over,
      async collect() {
        const value = await read();
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }

  /** A counter that is kept elsewhere. It only grows. */
  count(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  /** Counters that are kept elsewhere, by the value of the label. They only grow. */
  counts(name: string, help: string, label: string, read: () => Iterable<[string, number]>): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: this.#registers,
      collect() {
        this.reset();
        for (const [value, count] of read()) this.inc({ [label]: value }, count);
      },
    });
  }

  /** Information in labels, such as a version, which is read at the first scrape. Its value is 1. */
  info<Label extends string>(
    name: string,
    help: string,
    { labels, read }: { labels: readonly Label[]; read: () => Readonly<Record<Label, string>> },
  ): void {
    let found: Readonly<Record<Label, string>> | undefined;
    new Gauge({
      name,
      help,
      labelNames: labels,
      registers: this.#registers,
      aggregator: "max",
      collect() {
        found ??= read();
        this.set(found, 1);
      },
    });
  }

  /** Prometheus' text format: the sum of all processes if `sumBy` was called, else this process alone. */
  text(): Promise<string> {
    const nowMs = performance.now();
    if (this.#text === undefined || nowMs >= this.#textMadeMs + this.#textMs) {
      this.#textMadeMs = nowMs;
      this.#text = this.#makeText();
    }
    return this.#text;
  }

  async #makeText(): Promise<string> {
    return (await this.#sum?.()) ?? this.#registry.metrics();
  }

  /** The metrics of this process. */
  snapshot(): Promise<MetricsSnapshot> {
    // prom-client's type omits the values.
    return this.#registry.getMetricsAsJSON() as Promise<MetricsSnapshot>;
  }

  /**
   * Sets how the metrics of several processes are summed. If `sum` returns undefined, `text` covers this process alone.
   */
  sumBy(sum: () => Promise<string | undefined>): void {
    this.#sum = sum;
  }

  #counter(name: string, help: string, labelNames: string[] = []): PlainCounter {
    return new PlainCounter({ name, help, labelNames, registers: this.#registers });
  }
}
