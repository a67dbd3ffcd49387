/**
 * Several gateway processes on one port (`serve --workers N`), and the one that watches over them.
 *
 * The supervisor serves nothing. It opens and migrates the database, so that an embedded PostgreSQL
 * outlives any worker, takes the port to see that it is free, and keeps it until the workers share it.
 * One that dies is started again, after a pause that grows while it keeps dying. One that answers no message for
 * several heartbeats is killed first: the system would still hand it connections. No worker holds what
 * another needs: every guarantee is the database's, so a worker's death costs the requests that it had in
 * hand and nothing else.
 *
 * @module
 */
import type { Subprocess } from "bun";
import type { Config } from "../config.ts";
import { type CertificateHolder, createCertificateReload } from "../http/certificate_reload.ts";
import {
  type Address,
  adminAddress,
  listenOn,
  publicAddress,
  readTls,
  requireFreePort,
  requireHost,
  type Tls,
} from "../http/listener.ts";
import { problemAnswer, unavailable } from "../http/problem_details.ts";
import { respond } from "../http/respond.ts";
import { present } from "../lib/assert.ts";
import type { Log } from "../lib/log.ts";
import { ownCommand } from "../lib/own_process.ts";
import { createSingleFlight, type SingleFlight } from "../lib/single_flight.ts";
import { DRAIN_WORKER_MS } from "../limits.ts";
import { openDatabase } from "../postgres/open_database.ts";
import {
  type CertificateStep,
  type ToSupervisor,
  type ToWorker,
  WORKER_ARGUMENT,
} from "./channel_messages.ts";
import { createMetricsSum, type MetricsSum } from "./metrics_sum.ts";

export interface WorkersOptions {
  readonly config: Config;
  readonly log: Log;
  /** How many processes. */
  readonly count: number;
  /** @default HEARTBEAT */
  readonly heartbeat?: Heartbeat;
}

/** When a worker counts as hung. */
export interface Heartbeat {
  /** Between two messages to a worker, in ms. Its answers are the figures that outlive it, so they are as old at most. */
  readonly everyMs: number;
  /** Messages in a row without an answer. Beats are counted, not time: a machine that slept wakes all at once. */
  readonly missedMax: number;
}

const HEARTBEAT: Heartbeat = { everyMs: 2_500, missedMax: 4 };

/** From the death of a worker to its next start. */
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 5_000;
/** A worker that lived so long died of something new: the pause is short again. */
const STEADY_MS = 30_000;
const START_MS_MAX = 60_000;
/** How long a step of replacing the certificate waits for a worker. */
const STEP_MS_MAX = 5_000;
/** How long a sum waits for figures; a worker that is late counts with its figures before. */
const SNAPSHOT_WAIT_MS = 1_000;

type Child = Subprocess<"ignore", "inherit", "inherit">;

interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly sum: MetricsSum;
  /** Those that live now. */
  readonly workers: Set<Worker>;
  /** Resolves with the newest figures of every worker in the sum. */
  readonly figures: SingleFlight<void, unknown>;
  /** The certificate of workers that start. */
  tls: Tls | undefined;
  isStopping: boolean;
}

/**
 * Workers that serve; `stop` drains all of them, then leaves the database.
 *
 * @throws if the database can't be reached, the port is taken, or a worker can't start.
 */
export async function startWorkers({ config, log, count, heartbeat = HEARTBEAT }: WorkersOptions) {
  const { database, close } = await openDatabase(config, { connectionsMax: 1, log });
  const held = await holdPorts(config).catch(async (error) => {
    await close();
    throw error;
  });
  const { port, admin, tls } = held;
  const workers = new Set<Worker>();
  const context: Context = {
    config: { ...config, port, admin },
    log,
    sum: createMetricsSum(),
    workers,
    figures: createSingleFlight(() => Promise.all([...workers].map((worker) => worker.snapshot()))),
    tls,
    isStopping: false,
  };
  const reloadCertificate = createCertificateReload({
    files: config.tls,
    log,
    holders: () => [...workers].filter(({ isServing }) => isServing),
    onRead: (read) => {
      context.tls = read;
    },
  });
  const beats = setInterval(() => {
    for (const worker of workers) worker.beat(heartbeat);
    context.figures
      .ask()
      .catch((error) => log.warn("could not collect the workers' metrics", { error }));
  }, heartbeat.everyMs);
  const stop = async () => {
    context.isStopping = true;
    clearInterval(beats);
    await Promise.all([...workers].map((worker) => worker.stop()));
    await held.release();
    await close();
  };
  try {
    const starts = Array.from({ length: count }, (_, number) => keepWorker(context, number + 1));
    const [baseUrl] = await Promise.all(starts);
    await held.release();
    return {
      baseUrl: present(baseUrl),
      port,
      adminPort: admin?.port,
      database,
      reloadCertificate,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts a worker and, whenever it dies from then on, the next in its place. Resolves at the first. */
async function keepWorker(context: Context, number: number): Promise<string> {
  const first = startWorker(context);
  const baseUrl = await first.listening;
  keepAlive(context, number, first).catch((error) => {
    context.log.error("a worker is no longer supervised", { worker: number, error });
  });
  return baseUrl;
}

async function keepAlive(context: Context, number: number, first: Worker): Promise<void> {
  let worker = first;
  let pauseMs = PAUSE_MS_MIN;
  for (;;) {
    const sinceMs = performance.now();
    const exit = await worker.exited;
    if (context.isStopping) return;
    context.sum.restarted(worker.isHung ? "hung" : "died");
    pauseMs = performance.now() - sinceMs > STEADY_MS ? PAUSE_MS_MIN : pauseMs;
    context.log.error("a worker died; starting another", {
      worker: number,
      exit,
      pause_ms: pauseMs,
    });
    await Bun.sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX);
    if (context.isStopping) return;
    worker = startWorker(context);
    worker.listening.catch((error) => {
      context.log.error("a worker did not start", { worker: number, error });
    });
  }
}

interface Worker extends CertificateHolder {
  /** The base URL, once it serves. */
  readonly listening: Promise<string>;
  /** Exit code or signal. */
  readonly exited: Promise<number | string>;
  readonly isServing: boolean;
  /** Whether it was killed because it no longer answered. */
  readonly isHung: boolean;
  /** Counts what it has not answered, and kills it if that is too much. Not before it serves. */
  beat(heartbeat: Heartbeat): void;
  /** Resolves with its newest figures kept. */
  snapshot(): Promise<void>;
  stop(): Promise<void>;
}

/** A new worker, which is among the workers until it exits. */
function startWorker(context: Context): Worker {
  const listening = Promise.withResolvers<string>();
  let answered = Promise.withResolvers<void>();
  let stepped = Promise.withResolvers<void>();
  let isServing = false;
  let isHung = false;
  let missed = 0;
  const receive = (message: ToSupervisor) => {
    missed = 0;
    switch (message.kind) {
      case "listening":
        isServing = true;
        listening.resolve(message.baseUrl);
        break;
      case "failed":
        listening.reject(Object.assign(new Error(message.message), { code: message.code }));
        break;
      case "snapshot":
        // The counts of a worker that has exited are among those of the dead.
        if (context.workers.has(worker)) context.sum.update(child.pid, message.snapshot);
        answered.resolve();
        break;
      case "certificate":
        if (message.failure === undefined) stepped.resolve();
        else stepped.reject(new Error(message.failure));
        break;
      case "sum":
        context.figures
          .ask()
          .then(() => context.sum.text())
          .then((text) => send({ kind: "summed", text }))
          .catch((error) => context.log.warn("could not sum the workers' metrics", { error }));
        break;
    }
  };
  const child: Child = Bun.spawn([...ownCommand(), WORKER_ARGUMENT], {
    // What a list of processes shows.
    argv0: process.execPath,
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    serialization: "advanced",
    ipc: receive,
  });
  const send = (message: ToWorker) => {
    try {
      child.send(message);
    } catch (error) {
      // It has died, and we have not heard of it yet.
      context.log.debug("a worker can't be reached", { pid: child.pid, kind: message.kind, error });
    }
  };
  const late = setTimeout(
    () => listening.reject(new Error(`a worker was not ready within ${START_MS_MAX} ms`)),
    START_MS_MAX,
  );
  const exited = child.exited.then((code) => {
    context.workers.delete(worker);
    context.sum.retire(child.pid);
    clearTimeout(late);
    listening.reject(
      new Error(`a worker exited before it was ready (${child.signalCode ?? code})`),
    );
    answered.resolve();
    return child.signalCode ?? code;
  });
  // Callers await the same promise; a restart looks at the exit instead.
  listening.promise.then(
    () => clearTimeout(late),
    () => child.kill("SIGKILL"),
  );
  send({ kind: "start", config: context.config, tls: context.tls });
  // One step at a time. A worker that has ended, or does not answer, holds up none of the others.
  const step = async (taken: CertificateStep) => {
    stepped = Promise.withResolvers<void>();
    send({ kind: "certificate", step: taken });
    await Promise.race([stepped.promise, exited, Bun.sleep(STEP_MS_MAX)]);
  };
  const worker: Worker = {
    listening: listening.promise,
    exited,
    get isServing() {
      return isServing;
    },
    get isHung() {
      return isHung;
    },
    open: (replacement) => step({ act: "open", tls: replacement }),
    steer: (to) => step({ act: "steer", to }),
    noteConnections: () => step({ act: "noteConnections" }),
    retire: () => step({ act: "retire" }),
    beat({ everyMs, missedMax }) {
      if (!isServing) return;
      missed += 1;
      if (missed <= missedMax || isHung) return;
      isHung = true;
      context.log.error("a worker does not respond; killing it", {
        pid: child.pid,
        silent_ms: missedMax * everyMs,
      });
      child.kill("SIGKILL");
    },
    async snapshot() {
      answered = Promise.withResolvers<void>();
      send({ kind: "snapshot" });
      await Promise.race([answered.promise, exited, Bun.sleep(SNAPSHOT_WAIT_MS)]);
    },
    async stop() {
      send({ kind: "stop" });
      const killing = setTimeout(() => child.kill("SIGKILL"), DRAIN_WORKER_MS);
      await exited;
      clearTimeout(killing);
    },
  };
  context.workers.add(worker);
  return worker;
}

/** A port of ours, which workers can share. Who calls it meanwhile is told to come later. */
interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Takes the port for ourselves alone: workers share it, so none of them would see that another gateway
 * has it. Then keeps it for them: a free one would soon be that of somebody's outgoing connection.
 */
async function holdPort(address: Address): Promise<HeldPort> {
  await requireHost(address);
  const port = await requireFreePort(address);
  const shared = listenOn(address, () =>
    Bun.serve({ port, hostname: address.host, reusePort: true, fetch: startingAnswer }),
  );
  return { port, release: () => shared.stop(true) };
}

/** 503 of a gateway whose workers have still to start. */
function startingAnswer(request: Request): Response {
  return respond(
    problemAnswer(unavailable("The gateway is starting. Try again in a second."), {
      requestId: Bun.randomUUIDv7(),
      isKeyed: false,
      baseUrl: new URL(request.url).origin,
      retryAfterSeconds: 1,
    }),
  );
}

/** The ports that the workers share, and their release. */
async function holdPorts(config: Config) {
  // Refuse here, once, what no worker could use.
  const tls = config.tls && (await readTls(config.tls));
  const open = await holdPort(publicAddress(config));
  const address = adminAddress(config);
  try {
    const own = address && (await holdPort(address));
    return {
      port: open.port,
      tls,
      admin: address && own && { host: address.host, port: own.port },
      release: async () => {
        await Promise.all([open.release(), own?.release()]);
      },
    };
  } catch (error) {
    await open.release();
    throw error;
  }
}
