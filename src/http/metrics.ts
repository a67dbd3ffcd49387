/**
 * What the gateway tells Prometheus: low-cardinality, no account and no feed. Decisions 10.
 *
 * "No usage" and "metering broken" differ: `feedgate_reads_answered_total` counts answers that carry a
 * usage id, `feedgate_usage_events_total` the events that the database committed for them; the second
 * is never smaller while metering works, and both stand still when nobody reads.
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
import { type PlainCount, PlainCounter, PlainHistogram } from "./plain_metrics.ts";
import { collectProcessMetrics } from "./process_metrics.ts";

/** Figures of one process, as they go to another. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValueWithName<string>>[];

const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export class Metrics {
  readonly #registry = new Registry();
  readonly #registers = [this.#registry];
  readonly contentType = this.#registry.contentType;

  readonly #requests = this.#plainCounter(
    "feedgate_http_requests_total",
    "Answers by route and status",
    ["route", "status"],
  );
  readonly #seconds = new PlainHistogram({
    name: "feedgate_http_request_duration_seconds",
    help: "Time from request to answer by route",
    buckets: SECONDS_BUCKETS,
    registry: this.#registry,
  });
  readonly #batches = new PlainHistogram({
    name: "feedgate_admission_batch_reads",
    help: "Reads decided by one statement",
    buckets: BATCH_BUCKETS,
    registry: this.#registry,
  }).of();
  readonly #decisions = this.#plainCounter(
    "feedgate_admission_decisions_total",
    "Decisions by operation and outcome",
    ["operation", "outcome"],
  );
  readonly #usageEvents = this.#plainCounter(
    "feedgate_usage_events_total",
    "Usage events that the database committed",
  ).of();
  readonly #credits = this.#plainCounter("feedgate_credits_charged_total", "Credits charged").of();
  readonly #reads = this.#plainCounter(
    "feedgate_reads_answered_total",
    "Answers sent that carry a usage id",
  ).of();
  readonly #pages = this.#plainCounter(
    "feedgate_page_lookups_total",
    "Pages asked of memory, by whether they were there",
    ["result"],
  );
  readonly #pageHits = this.#pages.of({ result: "hit" });
  readonly #pageMisses = this.#pages.of({ result: "miss" });
  readonly #replicaReads = this.#counter(
    "feedgate_replica_reads_total",
    "Reads answered by the replica, or by the primary since it was behind, failed, or rests",
    ["outcome"],
  );
  readonly #pushes = this.#counter("feedgate_pushes_total", "Pushes by feed type and outcome", [
    "feed_type",
    "outcome",
  ]);
  readonly #rows = this.#counter("feedgate_pushed_rows_total", "Rows of stored pushes", [
    "feed_type",
  ]);
  readonly #jobs = this.#counter("feedgate_maintenance_runs_total", "Runs of background jobs", [
    "job",
    "result",
  ]);
  readonly #outcomes = new Map<string, Map<string, PlainCount>>();
  #sum: (() => Promise<string | undefined>) | undefined;

  constructor() {
    collectProcessMetrics(this.#registry);
  }

  /** A route's counter: one call for each of its answers. */
  answersOf(route: string): (status: number, seconds: number) => void {
    const buckets = this.#seconds.of({ route });
    const counts = new Map<number, PlainCount>();
    return (status, value) => {
      let counted = counts.get(status);
      if (counted === undefined) {
        counted = this.#requests.of({ route, status: String(status) });
        counts.set(status, counted);
      }
      counted.count += 1;
      buckets.add(value);
    };
  }

  /** One admission batch that was sent. */
  batchSent(size: number): void {
    this.#batches.add(size);
  }

  /** One decision of a batch. */
  decided(decision: {
    operation: string;
    outcome: string;
    isLogged: boolean;
    credits: number;
  }): void {
    const { operation, outcome, isLogged, credits } = decision;
    let outcomes = this.#outcomes.get(operation);
    if (outcomes === undefined) {
      outcomes = new Map();
      this.#outcomes.set(operation, outcomes);
    }
    let counted = outcomes.get(outcome);
    if (counted === undefined) {
      counted = this.#decisions.of({ operation, outcome });
      outcomes.set(outcome, counted);
    }
    counted.count += 1;
    if (isLogged) this.#usageEvents.count += 1;
    this.#credits.count += credits;
  }

  /** One answer with a usage id of its own; replays under an idempotency key have none. */
  readAnswered(): void {
    this.#reads.count += 1;
  }

  /** One page asked of memory. */
  pageLookedUp(isHit: boolean): void {
    (isHit ? this.#pageHits : this.#pageMisses).count += 1;
  }

  /** One read that a replica was there for: who answered it, and why. */
  replicaAsked(outcome: "answered" | "behind" | "failed" | "resting"): void {
    this.#replicaReads.inc({ outcome });
  }

  /** One push that was stored or refused. */
  pushed(push: { feedType: string; outcome: "stored" | "refused"; rows: number }): void {
    const { feedType, outcome, rows } = push;
    this.#pushes.inc({ feed_type: feedType, outcome });
    if (outcome === "stored") this.#rows.inc({ feed_type: feedType }, rows);
  }

  /** One run of a background job. */
  maintained(job: string, isFailed: boolean): void {
    this.#jobs.inc({ job, result: isFailed ? "failed" : "done" });
  }

  /** A value that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.set(read());
      },
    });
  }

  /** All of it in Prometheus' text format; of all processes, where `sumBy` says how. */
  async text(): Promise<string> {
    return (await this.#sum?.()) ?? this.#registry.metrics();
  }

  /** This process's figures. */
  snapshot(): Promise<MetricsSnapshot> {
    // prom-client's type leaves out the values.
    return this.#registry.getMetricsAsJSON() as Promise<MetricsSnapshot>;
  }

  /** Where several processes share the port: how to add them up; undefined: only our own, after all. */
  sumBy(sum: () => Promise<string | undefined>): void {
    this.#sum = sum;
  }

  #plainCounter(name: string, help: string, labelNames: string[] = []): PlainCounter {
    return new PlainCounter({ name, help, labelNames, registers: this.#registers });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: this.#registers });
  }
}
