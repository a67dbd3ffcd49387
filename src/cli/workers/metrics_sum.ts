/**
 * The figures of all workers as one text for Prometheus.
 *
 * The last counts of a worker that has died are kept. Otherwise the sum would shrink, and Prometheus would take
 * that for a restart and count all of it again.
 *
 * @module
 */
import { AggregatorRegistry } from "prom-client";
import type { MetricsSnapshot } from "../../http/metrics.ts";

export type MetricsSum = ReturnType<typeof createMetricsSum>;

export function createMetricsSum() {
  const living = new Map<number, MetricsSnapshot>();
  // Counts of all dead workers, as one total.
  let retired: Promise<object> = Promise.resolve([]);

  return {
    /** The newest figures of a living worker. */
    update(worker: number, snapshot: MetricsSnapshot): void {
      living.set(worker, snapshot);
    },
    /** The worker has died: its counts stay, what it held at the moment goes. */
    retire(worker: number): void {
      const counts = (living.get(worker) ?? []).filter(isCount);
      living.delete(worker);
      retired = retired.then((total) =>
        AggregatorRegistry.aggregate([total, counts]).getMetricsAsJSON(),
      );
    },
    text(): Promise<string> {
      const snapshots = [...living.values()];
      return retired.then((total) => AggregatorRegistry.aggregate([total, ...snapshots]).metrics());
    },
  };
}

/** Whether a figure only ever grows, and is added up over processes. */
function isCount({ type, aggregator }: MetricsSnapshot[number]): boolean {
  // prom-client names a metric's kind.
  const isGrowing = String(type) === "counter" || String(type) === "histogram";
  return isGrowing && aggregator === "sum";
}
