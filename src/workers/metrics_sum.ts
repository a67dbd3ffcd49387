/**
 * The figures of all workers as one text for Prometheus.
 *
 * The last counts of a worker that has died are kept. Otherwise the sum would shrink, and Prometheus would take
 * that for a restart and count all of it again.
 *
 * @module
 */
import { AggregatorRegistry, Counter, Registry } from "prom-client";
import type { MetricsSnapshot } from "../http/metrics.ts";

/** Counts replaced workers; a gateway that is one process has none. */
export const WORKER_RESTARTS = "feedgate_worker_restarts_total";

/** Why a worker was replaced: it ended by itself, or it no longer answered. */
export type RestartReason = "died" | "hung";

export type MetricsSum = ReturnType<typeof createMetricsSum>;

export function createMetricsSum() {
  const living = new Map<number, MetricsSnapshot>();
  // Counts of all dead workers, as one total.
  let retired: Promise<object> = Promise.resolve([]);
  // The supervisor's own.
  const own = new Registry();
  const restarts = new Counter({
    name: WORKER_RESTARTS,
    help: "Replaced workers, by reason: died, or hung (killed because they did not respond)",
    labelNames: ["reason"],
    registers: [own],
  });
  for (const reason of ["died", "hung"] satisfies RestartReason[]) restarts.inc({ reason }, 0);

  return {
    /** The newest figures of a living worker. */
    update(worker: number, snapshot: MetricsSnapshot): void {
      living.set(worker, snapshot);
    },
    /** Removes a worker that has died: its counters stay in the total, its gauges do not. */
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

/** Whether a figure only ever grows, and is added up over processes. */
function isCount({ type, aggregator }: MetricsSnapshot[number]): boolean {
  // prom-client names a metric's kind.
  const isGrowing = String(type) === "counter" || String(type) === "histogram";
  return isGrowing && aggregator === "sum";
}
