/**
 * The messages between supervisor and workers, over Bun's channel between parent and child.
 *
 * @module
 */
import type { Config } from "../config.ts";
import type { MetricsSnapshot } from "../http/metrics.ts";

/** The argument that makes a process a worker; no command, since only a supervisor can start one. */
export const WORKER_ARGUMENT = "feedgate-worker";

/** Whether this process was started by a supervisor. */
export function isWorker(argv: readonly string[]): boolean {
  return argv[2] === WORKER_ARGUMENT && process.send !== undefined;
}

export type ToWorker =
  /** Serve by this configuration. */
  | { readonly kind: "start"; readonly config: Config }
  /** Send your own figures. */
  | { readonly kind: "snapshot" }
  /** All workers' figures, as was asked by `sum`. */
  | { readonly kind: "summed"; readonly text: string }
  /** Drain, then end. */
  | { readonly kind: "stop" };

export type ToSupervisor =
  | { readonly kind: "listening"; readonly baseUrl: string }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  | { readonly kind: "snapshot"; readonly snapshot: MetricsSnapshot }
  /** Add the figures of all workers up. */
  | { readonly kind: "sum" };
