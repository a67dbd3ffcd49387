/**
 * A worker: one of several gateway processes on a port. It serves with the supervisor's configuration until it is told
 * to stop, receives a signal, or loses its supervisor.
 *
 * @module
 */

import type { CertificateHolder } from "../http/certificate_reload.ts";
import { codeOf, messageOf } from "../lib/error_fields.ts";
import { createLog } from "../lib/log.ts";
import { DRAIN_MS_MAX } from "../limits.ts";
import { type Gateway, startGateway } from "../server.ts";
import type { CertificateStep, ToSupervisor, ToWorker } from "./channel_messages.ts";

/** How long `/metrics` waits for the sum. After that, the worker returns its own metrics. */
const SUM_WAIT_MS = 3_000;

/** Serves until stopped. Resolves with the exit code. */
export async function runWorker(): Promise<number> {
  const stopped = Promise.withResolvers<void>();
  const started = Promise.withResolvers<Extract<ToWorker, { kind: "start" }>>();
  const sums: ((text: string) => void)[] = [];
  let gateway: Gateway | undefined;
  process.on("message", async (message: ToWorker) => {
    switch (message.kind) {
      case "start":
        started.resolve(message);
        break;
      case "certificate":
        if (gateway !== undefined) await answerStep(gateway.certificates, message.step);
        break;
      case "snapshot":
        if (gateway === undefined) return;
        send({ kind: "snapshot", snapshot: await gateway.services.http.metrics.snapshot() });
        break;
      case "summed":
        for (const resolve of sums.splice(0)) resolve(message.text);
        break;
      case "stop":
        stopped.resolve();
        break;
    }
  });
  process.on("disconnect", () => stopped.resolve());
  // The supervisor replaces the certificate of all workers. A signal to the process group also reaches this process.
  process.on("SIGHUP", () => {});
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stopped.resolve());
  try {
    const { config, tls } = await started.promise;
    gateway = await startGateway(config, createLog({ level: config.logLevel }), {
      isPortShared: true,
      tls,
    });
  } catch (error) {
    send({ kind: "failed", message: messageOf(error), code: codeOf(error) });
    return 1;
  }
  gateway.services.http.metrics.sumBy(() => {
    const text = new Promise<string>((resolve) => sums.push(resolve));
    send({ kind: "sum" });
    return Promise.race([text, Bun.sleep(SUM_WAIT_MS).then(() => undefined)]);
  });
  send({ kind: "listening", baseUrl: gateway.baseUrl });
  await stopped.promise;
  setTimeout(() => process.exit(1), DRAIN_MS_MAX).unref();
  await gateway.stop();
  return 0;
}

async function answerStep(holder: CertificateHolder, step: CertificateStep): Promise<void> {
  try {
    await take(holder, step);
    send({ kind: "certificate", failure: undefined });
  } catch (error) {
    send({ kind: "certificate", failure: messageOf(error) });
  }
}

function take(holder: CertificateHolder, step: CertificateStep): Promise<void> {
  switch (step.act) {
    case "open":
      return holder.open(step.tls);
    case "steer":
      return holder.steer(step.to);
    case "noteConnections":
      return holder.noteConnections();
    case "retire":
      return holder.retire();
  }
}

function send(message: ToSupervisor): void {
  // Without a supervisor, this worker is about to stop.
  if (process.connected) process.send?.(message);
}
