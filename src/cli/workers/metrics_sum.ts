/**
 * The figures of all workers as one text for Prometheus.
 *
 * Counts of a worker that has died are kept, as they were told last: a sum that shrank would be taken
 * for a restart, and all of it for new.
 *
 * @module
 */
import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "../../http/metrics.ts";

export interface MetricsSum {
  /** The newest figures of a living worker. */
  update(worker: number, snapshot: MetricsSnapshot): void;
  /** The worker has died: its counts stay, what it held at the moment goes. */
  retire(worker: number): void;
  text(): Promise<string>;
}

export function createMetricsSum(): MetricsSum {
  const living = new Map<number, MetricsSnapshot>();
  let retired: MetricsSnapshot = [];

  return {
    update(worker, snapshot) {
      living.set(worker, snapshot);
    },
    retire(worker) {
      const last = living.get(worker);
      living.delete(worker);
      if (last === undefined) return;
      // Counts of dead workers are kept as one total.
      retired = flattened([retired, last.filter(isCount)]);
    },
    text: () => AggregatorRegistry.aggregate([retired, ...living.values()]).metrics(),
  };
}

type Sample = MetricsSnapshot[number]["values"][number];

/** Two or more snapshots of counts as one, added up by name and labels. */
function flattened(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const metrics = new Map<
    string,
    { metric: MetricsSnapshot[number]; values: Map<string, Sample> }
  >();
  for (const metric of snapshots.flat()) {
    const known = metrics.get(metric.name) ?? { metric, values: new Map<string, Sample>() };
    metrics.set(metric.name, known);
    for (const sample of metric.values) {
      const key = JSON.stringify([sample.metricName, sample.labels]);
      const value = (known.values.get(key)?.value ?? 0) + sample.value;
      known.values.set(key, { ...sample, value });
    }
  }
  return [...metrics.values()].map(({ metric, values }) => ({
    ...metric,
    values: [...values.values()],
  }));
}

/** Whether a figure only ever grows, and is added up over processes. */
function isCount({ type, aggregator }: MetricsSnapshot[number]): boolean {
  // prom-client tells a metric's kind by its name.
  const isGrowing = String(type) === "counter" || String(type) === "histogram";
  return isGrowing && aggregator === "sum";
}
