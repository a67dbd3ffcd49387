/**
 * Metrics of the process: those of prom-client's default metrics that Bun has figures for.
 *
 * `collectDefaultMetrics` would add all of them. But to measure each heap space, Bun traverses the whole heap, which
 * blocks a server for 0.1 s per 100 MB at each scrape. Bun also doesn't count handles, requests, or garbage
 * collections, and reports the version of Node.js that it emulates.
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

/** How often the delay of the event loop is measured, in milliseconds. */
const EVENT_LOOP_PRECISION_MS = 50;

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
