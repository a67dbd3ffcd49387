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
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValueWithName,
  Registry,
} from "prom-client";
import { Observations, Tallies, type Tally } from "./tallies.ts";

/** Figures of one process, as they go to another. */
export type MetricsSnapshot = MetricObjectWithValues<MetricValueWithName<string>>[];

export interface Metrics {
  /** A route's counter: one call for each of its answers. */
  answersOf(route: string): (status: number, seconds: number) => void;
  /** One admission batch that was sent. */
  batchSent(size: number): void;
  /** One decision of a batch. */
  decided(decision: {
    operation: string;
    outcome: string;
    isLogged: boolean;
    credits: number;
  }): void;
  /** One answer with a usage id of its own; replays under an idempotency key have none. */
  readAnswered(): void;
  /** One page asked of memory. */
  pageLookedUp(isHit: boolean): void;
  /** One read that a replica was there for: who answered it, and why. */
  replicaAsked(outcome: "answered" | "behind" | "failed" | "resting"): void;
  /** One push that was stored or refused. */
  pushed(push: { feedType: string; outcome: "stored" | "refused"; rows: number }): void;
  /** One run of a background job. */
  maintained(job: string, isFailed: boolean): void;
  /** A value that is read when it is asked for. */
  gauge(name: string, help: string, read: () => number): void;
  /** All of it in Prometheus' text format; of all processes, where `sumBy` says how. */
  text(): Promise<string>;
  /** This process's figures. */
  snapshot(): Promise<MetricsSnapshot>;
  /** Where several processes share the port: how to add them up; undefined: only our own, after all. */
  sumBy(sum: () => Promise<string | undefined>): void;
  readonly contentType: string;
}

const SECONDS_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const BATCH_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Tallies({
    name: "feedgate_http_requests_total",
    help: "Answers by route and status",
    labelNames: ["route", "status"],
    registers,
  });
  const durations: Observations[] = [];
  const seconds = new Histogram({
    name: "feedgate_http_request_duration_seconds",
    help: "Time from request to answer by route",
    labelNames: ["route"],
    buckets: SECONDS_BUCKETS,
    registers,
    collect() {
      for (const observations of durations) observations.tell();
    },
  });
  const batches = new Histogram({
    name: "feedgate_admission_batch_reads",
    help: "Reads decided by one statement",
    buckets: BATCH_BUCKETS,
    registers,
  });
  const decisions = new Tallies({
    name: "feedgate_admission_decisions_total",
    help: "Decisions by operation and outcome",
    labelNames: ["operation", "outcome"],
    registers,
  });
  const usageEvents = new Tallies({
    name: "feedgate_usage_events_total",
    help: "Usage events that the database committed",
    registers,
  });
  const credits = new Tallies({
    name: "feedgate_credits_charged_total",
    help: "Credits charged",
    registers,
  });
  const reads = new Tallies({
    name: "feedgate_reads_answered_total",
    help: "Answers sent that carry a usage id",
    registers,
  });
  const pages = new Tallies({
    name: "feedgate_page_lookups_total",
    help: "Pages asked of memory, by whether they were there",
    labelNames: ["result"],
    registers,
  });
  const replicaReads = new Counter({
    name: "feedgate_replica_reads_total",
    help: "Reads answered by the replica, or by the primary since it was behind, failed, or rests",
    labelNames: ["outcome"],
    registers,
  });
  const pushes = new Counter({
    name: "feedgate_pushes_total",
    help: "Pushes by feed type and outcome",
    labelNames: ["feed_type", "outcome"],
    registers,
  });
  const rows = new Counter({
    name: "feedgate_pushed_rows_total",
    help: "Rows of stored pushes",
    labelNames: ["feed_type"],
    registers,
  });
  const jobs = new Counter({
    name: "feedgate_maintenance_runs_total",
    help: "Runs of background jobs",
    labelNames: ["job", "result"],
    registers,
  });
  const usageEventTally = usageEvents.of();
  const creditTally = credits.of();
  const readTally = reads.of();
  const pageHits = pages.of({ result: "hit" });
  const pageMisses = pages.of({ result: "miss" });
  const outcomesOf = new Map<string, Map<string, Tally>>();
  let sum: (() => Promise<string | undefined>) | undefined;

  return {
    answersOf(route) {
      const histogram = seconds.labels({ route });
      const observations = new Observations((value) => histogram.observe(value));
      durations.push(observations);
      const tallies = new Map<number, Tally>();
      return (status, value) => {
        let tally = tallies.get(status);
        if (tally === undefined) {
          tally = requests.of({ route, status: String(status) });
          tallies.set(status, tally);
        }
        tally.count += 1;
        observations.add(value);
      };
    },
    batchSent: (size) => batches.observe(size),
    decided({ operation, outcome, isLogged, credits: charged }) {
      let outcomes = outcomesOf.get(operation);
      if (outcomes === undefined) {
        outcomes = new Map();
        outcomesOf.set(operation, outcomes);
      }
      let tally = outcomes.get(outcome);
      if (tally === undefined) {
        tally = decisions.of({ operation, outcome });
        outcomes.set(outcome, tally);
      }
      tally.count += 1;
      if (isLogged) usageEventTally.count += 1;
      creditTally.count += charged;
    },
    readAnswered() {
      readTally.count += 1;
    },
    pageLookedUp(isHit) {
      (isHit ? pageHits : pageMisses).count += 1;
    },
    replicaAsked: (outcome) => replicaReads.inc({ outcome }),
    pushed(push) {
      pushes.inc({ feed_type: push.feedType, outcome: push.outcome });
      if (push.outcome === "stored") rows.inc({ feed_type: push.feedType }, push.rows);
    },
    maintained: (job, isFailed) => jobs.inc({ job, result: isFailed ? "failed" : "done" }),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    text: async () => (await sum?.()) ?? registry.metrics(),
    snapshot: () => registry.getMetricsAsJSON() as Promise<MetricsSnapshot>,
    sumBy(summed) {
      sum = summed;
    },
    contentType: registry.contentType,
  };
}
