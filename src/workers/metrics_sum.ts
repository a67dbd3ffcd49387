/**
 * Sums the metrics of all workers, as text for Prometheus.
 *
 * The last counts of a worker that has died are kept. Otherwise the sum would drop, and Prometheus would take the drop
 * for a counter reset and count everything again.
 *
 * @module
 */
import { AggregatorRegistry, Counter, Registry } from "prom-client";
import type { MetricsSnapshot } from "../http/metrics.ts";

/** Counts replaced workers. A gateway with a single process does not have this metric. */
export const WORKER_RESTARTS = "feedgate_worker_restarts_total";

/** Why a worker was replaced: it exited on its own, or it stopped responding. */
export type RestartReason = "died" | "hung";

export type MetricsSum = ReturnType<typeof createMetricsSum>;

export function createMetricsSum() {
  const living = new Map<number, MetricsSnapshot>();
  // Total counts of all workers that have died.
  let retired: Promise<object> = Promise.resolve([]);
  // The supervisor's own metrics.
  const own = new Registry();
  const restarts = new Counter({
    name: WORKER_RESTARTS,
    help: "Replaced workers, by reason: died, or hung (killed because they did not respond)",
    labelNames: ["reason"],
    registers: [own],
  });
  for (const reason of ["died", "hung"] satisfies RestartReason[]) restarts.inc({ reason }, 0);

  return {
    /** Stores the latest metrics of a running worker. */
    update(worker: number, snapshot: MetricsSnapshot): void {
      living.set(worker, snapshot);
    },
    /** Removes a worker that has died. Its counters remain in the total; its gauges do not. */
    retire(worker: number): void {
      const counts = (living.get(worker) ?? []).filter(isCount);
      living.delete(worker);
      retired = retired.then((total) =>
        AggregatorRegistry.aggregate([total, counts]).getMetricsAsJSON(),
      );
    },
    restarted(reason: RestartReason): void {
      restarts.inc({ reason });
    },
    async text(): Promise<string> {
      const snapshots = [...living.values()];
      const [total, ours] = await Promise.all([retired, own.getMetricsAsJSON()]);
      return AggregatorRegistry.aggregate([total, ours, ...snapshots]).metrics();
    },
  };
}

/** Whether a metric only increases, and is summed across processes. */
function isCount({ type, aggregator }: MetricsSnapshot[number]): boolean {
  // In a snapshot, `type` is a text such as "counter".
  const isGrowing = String(type) === "counter" || String(type) === "histogram";
  return isGrowing && aggregator === "sum";
}
