/**
 * What Prometheus is told of the process: those of prom-client's default metrics that Bun has figures for.
 *
 * Not all of them, as `collectDefaultMetrics` has it: the size of each heap space makes Bun walk the
 * whole heap, with which a server stands still for 0.1 s per 100 MB at each scrape; and Bun has no counts of
 * handles and requests, no collections to observe, and another's version.
 *
 * @module
 */
import type { Registry } from "prom-client";
import eventLoopLag from "prom-client/lib/metrics/eventLoopLag.js";
import heapSizeAndUsed from "prom-client/lib/metrics/heapSizeAndUsed.js";
import osMemoryHeap from "prom-client/lib/metrics/osMemoryHeap.js";
import processCpuTotal from "prom-client/lib/metrics/processCpuTotal.js";
import processMaxFileDescriptors from "prom-client/lib/metrics/processMaxFileDescriptors.js";
import processOpenFileDescriptors from "prom-client/lib/metrics/processOpenFileDescriptors.js";
import processStartTime from "prom-client/lib/metrics/processStartTime.js";

/** Between two looks at how late the event loop is, in milliseconds. */
const EVENT_LOOP_PRECISION_MS = 10;

export function collectProcessMetrics(registry: Registry): void {
  for (const register of [
    processCpuTotal,
    processStartTime,
    osMemoryHeap,
    heapSizeAndUsed,
    processOpenFileDescriptors,
    processMaxFileDescriptors,
    eventLoopLag,
  ]) {
    register(registry, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  }
}
