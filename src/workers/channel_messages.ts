/**
 * The messages between supervisor and workers, over Bun's channel between parent and child.
 *
 * @module
 */
import type { Config } from "../config.ts";
import type { Tls } from "../http/listener.ts";
import type { ListenerNumbers } from "../http/load/shared_port.ts";
import type { MetricsSnapshot } from "../http/metrics.ts";

/** The argument that makes a process a worker; no command, since only a supervisor can start one. */
export const WORKER_ARGUMENT = "feedgate-worker";

/** Whether this process was started by a supervisor. */
export function isWorker(argv: readonly string[]): boolean {
  return argv[2] === WORKER_ARGUMENT && process.send !== undefined;
}

export type ToWorker =
  /** Serve by this configuration, with this certificate. */
  | { readonly kind: "start"; readonly config: Config; readonly tls: Tls | undefined }
  /** A step of the replacement of the certificate. */
  | { readonly kind: "certificate"; readonly step: CertificateStep }
  /** Send your own figures. */
  | { readonly kind: "snapshot" }
  /** All workers' figures, as was asked by `sum`. */
  | { readonly kind: "summed"; readonly text: string }
  /** Drain, then end. */
  | { readonly kind: "stop" };

/** The calls of `CertificateHolder`. */
export type CertificateStep =
  | { readonly act: "open"; readonly tls: Tls }
  | { readonly act: "steer"; readonly to: ListenerNumbers }
  | { readonly act: "noteConnections" }
  | { readonly act: "retire" };

export type ToSupervisor =
  /** The step is done, or has failed. */
  | { readonly kind: "certificate"; readonly failure: string | undefined }
  | { readonly kind: "listening"; readonly baseUrl: string }
  | { readonly kind: "failed"; readonly message: string; readonly code: string | undefined }
  | { readonly kind: "snapshot"; readonly snapshot: MetricsSnapshot }
  /** Add the figures of all workers up. */
  | { readonly kind: "sum" };
