/**
 * Runs several gateway processes on one port (`serve --workers N`), and supervises them.
 *
 * The supervisor itself serves nothing. It opens and migrates the database, so that an embedded PostgreSQL outlives any
 * worker. It also takes the port, to verify that it is free, and holds it until the workers share it. A worker that
 * dies is restarted, after a pause that grows while it keeps dying. A worker that misses several heartbeats is killed
 * first, because the system would keep assigning connections to it. Workers share nothing but the database, which alone
 * ensures every guarantee. So if a worker dies, only its requests in flight are lost.
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
  /** Number of workers. */
  readonly count: number;
  /** @default HEARTBEAT */
  readonly heartbeat?: Heartbeat;
}

/** Determines when a worker counts as hung. */
export interface Heartbeat {
  /** Milliseconds between two messages to a worker. Also the maximum age of the metrics that remain if it dies. */
  readonly everyMs: number;
  /** Consecutive unanswered messages. Counted instead of time, because a suspended machine resumes all processes. */
  readonly missedMax: number;
}

const HEARTBEAT: Heartbeat = { everyMs: 2_500, missedMax: 4 };

/** Pause between the death of a worker and the next start. */
const PAUSE_MS_MIN = 50;
const PAUSE_MS_MAX = 5_000;
/** A worker that ran this long did not die of the same cause again, so the pause is reset. */
const STEADY_MS = 30_000;
const START_MS_MAX = 60_000;
/** How long a step of the certificate's replacement waits for a worker. */
const STEP_MS_MAX = 5_000;
/** How long a sum waits for metrics. A late worker counts with its previous ones. */
const SNAPSHOT_WAIT_MS = 1_000;

type Child = Subprocess<"ignore", "inherit", "inherit">;

interface Context {
  readonly config: Config;
  readonly log: Log;
  readonly sum: MetricsSum;
  /** Workers that are running. */
  readonly workers: Set<Worker>;
  /** Resolves once the sum has the latest metrics of every worker. */
  readonly figures: SingleFlight<void, unknown>;
  /** The certificate for new workers. */
  tls: Tls | undefined;
  isStopping: boolean;
}

/**
 * Starts workers. `stop` drains all of them, then closes the database.
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

/** Starts a worker, and replaces it whenever it dies. Resolves when the first one serves. */
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
  /** The base URL. Resolves once the worker serves. */
  readonly listening: Promise<string>;
  /** Exit code or signal. Resolves when the worker exits. */
  readonly exited: Promise<number | string>;
  readonly isServing: boolean;
  /** Whether the worker was killed because it stopped responding. */
  readonly isHung: boolean;
  /** Counts unanswered messages, and kills the worker if there are too many. Does nothing before the worker serves. */
  beat(heartbeat: Heartbeat): void;
  /** Requests the worker's metrics. Resolves once they are stored. */
  snapshot(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a worker. It is one of `workers` until it exits. */
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
        // If the worker has exited, its counts are already in the total of dead workers.
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
    // The name in process listings.
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
      // The worker has died, but its exit has not been reported yet.
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
  // Callers await the same promise. Restarts watch the exit instead.
  listening.promise.then(
    () => clearTimeout(late),
    () => child.kill("SIGKILL"),
  );
  send({ kind: "start", config: context.config, tls: context.tls });
  // One step at a time. A worker that has exited or does not respond delays no other worker.
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

/** A port that is held for workers to share. Until they serve, callers get a 503. */
interface HeldPort {
  readonly port: number;
  release(): Promise<void>;
}

/**
 * Takes the port exclusively first, because workers that share it can't detect another gateway on it. Then holds it for
 * them, because the system could assign a free port to an outgoing connection.
 */
async function holdPort(address: Address): Promise<HeldPort> {
  await requireHost(address);
  const port = await requireFreePort(address);
  const shared = listenOn(address, () =>
    Bun.serve({ port, hostname: address.host, reusePort: true, fetch: startingAnswer }),
  );
  return { port, release: () => shared.stop(true) };
}

/** The 503 while the workers start. */
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

/** Holds the ports that the workers will share. */
async function holdPorts(config: Config) {
  // Report an unusable certificate here, once, rather than in every worker.
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
