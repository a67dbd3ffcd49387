/**
 * Messages between the supervisor and its workers, over Bun's channel between parent and child.
 *
 * @module
 */
import type { Config } from "../config.ts";
import type { Tls } from "../http/listener.ts";
import type { ListenerNumbers } from "../http/load/shared_port.ts";
import type { MetricsSnapshot } from "../http/metrics.ts";

/** The argument that makes a process a worker. It is not a command, because only a supervisor can start a worker. */
export const WORKER_ARGUMENT = "feedgate-worker";

/** Whether this process was started by a supervisor. */
export function isWorker(argv: readonly string[]): boolean {
  return argv[2] === WORKER_ARGUMENT && process.send !== undefined;
}

export type ToWorker =
  /** Serve with this configuration and certificate. */
  | { readonly kind: "start"; readonly config: Config; readonly tls: Tls | undefined }
  /** Run a step of the certificate's replacement. */
  | { readonly kind: "certificate"; readonly step: CertificateStep }
  /** Send your metrics. */
  | { readonly kind: "snapshot" }
  /** The metrics of all workers, in response to `sum`. */
  | { readonly kind: "summed"; readonly text: string }
  /** Drain, then exit. */
  | { readonly kind: "stop" };

/** The steps of `CertificateHolder`. */
export type CertificateStep =
  | { readonly act: "open"; readonly tls: Tls }
  | { readonly act: "steer"; readonly to: ListenerNumbers }
  | { readonly act: "noteConnections" }
  | { readonly act: "retire" };

export type ToSupervisor =
  /** The step has finished, or failed. */
  | { readonly kind: "certificate"; readonly failure: string | undefined }
  | { readonly kind: "listening"; readonly baseUrl: string }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  | { readonly kind: "snapshot"; readonly snapshot: MetricsSnapshot }
  /** Request the metrics of all workers. */
  | { readonly kind: "sum" };
