/**
 * Starts and stops a gateway, in order: database, schema, services, listener, and back.
 *
 * @module
 */
import nodeHttp from "node:http";
import { createApp } from "./app.ts";
import { type Config, listenerUrl } from "./config.ts";
import { type CertificateHolder, createCertificateReload } from "./http/certificate_reload.ts";
import {
  type Address,
  adminAddress,
  listenOn,
  publicAddress,
  readTls,
  requireFreePort,
  requireHost,
  type Tls,
} from "./http/listener.ts";
import { BoundedListener } from "./http/load/connections.ts";
import { steerConnections } from "./http/load/shared_port.ts";
import { createJobs, type Job } from "./jobs/jobs.ts";
import { startMaintenance } from "./jobs/maintenance.ts";
import { startMinuteCounts } from "./jobs/minute_counts.ts";
import { assert } from "./lib/assert.ts";
import { messageOf } from "./lib/error_fields.ts";
import type { Log } from "./lib/log.ts";
import { within } from "./lib/within.ts";
import {
  DRAIN_WORKER_MS,
  IDLE_SECONDS_MAX,
  REQUEST_HEAD_BYTES_MAX,
  SERVER_BODY_BYTES_MAX,
} from "./limits.ts";
import { createNoticeJobs } from "./notices/notice_jobs.ts";
import type { OutgoingMail } from "./people/mail/outgoing_mail.ts";
import { sendMails } from "./people/mail/send_mails_job.ts";
import {
  type Databases,
  openDatabases,
  POOL_CLOSE_MS_MAX,
  type PoolOptions,
} from "./postgres/open_database.ts";
import { createServices, type Intervals, type Services } from "./services.ts";
import { finishTopups } from "./topups/finish.ts";
import { forgetTopups } from "./topups/forget.ts";
import { recheckTopups } from "./topups/recheck.ts";
import type { Ways } from "./topups/way.ts";

/** A running gateway. */
export interface Gateway {
  /** The public address, without a trailing slash. */
  readonly baseUrl: string;
  readonly port: number;
  /** Port of the operator routes' listener, if they have their own. */
  readonly adminPort: number | undefined;
  readonly services: Services;
  /** The listeners, whose certificate can be replaced. */
  readonly certificates: CertificateHolder;
  /** Reads the files of the certificate again (`http/certificate_reload.ts`). Resolves when the old one is out of use. */
  reloadCertificate(): Promise<void>;
  /** Drains: answers requests in flight, then closes listener, database, and embedded PostgreSQL. */
  stop(): Promise<void>;
}

/** Of a failed job's error, in UTF-16 units. */
const FAILURE_LENGTH_MAX = 300;
/** How long answers have `Connection: close` during a drain before the listener stops, in ms. */
const CLOSING_NOTICE_MS = 300;
/** How long requests in flight may still take: longer than a statement may. */
const ANSWER_WAIT_MS = 6_000;
/** How long each step after them may take. */
const CLOSE_WAIT_MS = 500;
/** Slow uploads; admission and maintenance; the last writes. */
const CLOSE_STEPS = 3;

interface GatewayOptions extends PoolOptions {
  /** Whether other processes listen on the same port (`workers/`). @default false */
  readonly isPortShared?: boolean;
  /** The certificate. @default the one in the configured files */
  readonly tls?: Tls | undefined;
  /** How long a drain is announced before the listener stops, in ms. @default CLOSING_NOTICE_MS */
  readonly closingNoticeMs?: number;
  /** How long a text of `/metrics` is reused for all callers, in milliseconds. @default METRICS_TEXT_MS */
  readonly metricsTextMs?: number;
  /** See `createServices`. */
  readonly intervals?: Intervals;
  /** Whether it takes part in the background jobs (`jobs/jobs.ts`), and saves its counts every minute. @default true */
  readonly hasJobs?: boolean;
  /** Called for each mail that was sent. */
  readonly onMail?: (mail: OutgoingMail) => void;
}

/** Windows has no shared ports, and no SIGHUP after which one would be needed. */
const CAN_SHARE_PORTS = process.platform !== "win32";

/** Serves until `stop`. @throws if the database can't be reached or the port is taken. */
export async function startGateway(
  config: Config,
  log: Log,
  options: GatewayOptions = {},
): Promise<Gateway> {
  // Before the database is opened, so that an invalid host or file is reported first.
  const admin = adminAddress(config);
  await requireHost(publicAddress(config));
  if (admin !== undefined) await requireHost(admin);
  const tls = options.tls ?? (config.tls && (await readTls(config.tls)));
  const isReplaceable = tls !== undefined && options.isPortShared !== true && CAN_SHARE_PORTS;
  const listening = isReplaceable ? await withFreePorts(config) : config;
  const databases = await openDatabases(config, log, options);
  try {
    const services = await createServices({
      config: listening,
      databases,
      log,
      metricsTextMs: options.metricsTextMs,
      intervals: options.intervals,
      onMail: options.onMail,
    });
    const isPortShared = options.isPortShared === true || isReplaceable;
    return serve(services, { ...options, databases, tls, isPortShared });
  } catch (error) {
    await databases.close();
    throw error;
  }
}

/** The configuration with ports that no other gateway uses, though this one will share them with itself. */
async function withFreePorts(config: Config): Promise<Config> {
  const port = await requireFreePort(publicAddress(config));
  const admin = adminAddress(config);
  const adminPort = admin && (await requireFreePort(admin));
  return {
    ...config,
    port,
    ...(config.admin && adminPort && { admin: { ...config.admin, port: adminPort } }),
  };
}

interface ServeOptions extends GatewayOptions {
  readonly databases: Databases;
  readonly tls: Tls | undefined;
}

function serve(services: Services, options: ServeOptions): Gateway {
  const { databases, closingNoticeMs = CLOSING_NOTICE_MS, hasJobs = true } = options;
  const { config, http, keys, log, mail, state } = services;
  const listeners: BoundedListener[] = [];
  // Of the process: `Bun.serve` has no such option.
  Object.assign(nodeHttp, { maxHeaderSize: REQUEST_HEAD_BYTES_MAX });
  // Read at each start of a listener.
  let { tls } = options;
  const listenOptions = () => ({
    // Elysia shares the port by default, and two gateways would silently split the requests.
    reusePort: options.isPortShared === true,
    maxRequestBodySize: SERVER_BODY_BYTES_MAX,
    // In development mode, Bun answers an error outside our routes with its stack.
    development: false,
    ...(tls !== undefined && { tls }),
    // For a request as a whole, however steadily it arrives. Routes with bodies extend it.
    idleTimeout: IDLE_SECONDS_MAX,
  });
  let ways: Ways;
  const admin = adminAddress(config);
  try {
    const created = createApp(services);
    const { app, fetchForOperators } = created;
    ways = created.ways;
    listeners.push(
      listen(services, publicAddress(config), (port) => {
        app.listen({ ...listenOptions(), hostname: config.host, port });
        assert(app.server !== null, "an app that listens has a server");
        return app.server;
      }),
    );
    if (admin !== undefined) {
      listeners.push(
        listen(services, admin, (port) =>
          Bun.serve({
            ...listenOptions(),
            hostname: admin.host,
            port,
            fetch: fetchForOperators,
          }),
        ),
      );
    }
  } catch (error) {
    for (const each of listeners) each.stop(true);
    release(services);
    throw error;
  }
  const [listener, adminListener] = listeners;
  assert(listener !== undefined, "the public listener is the first");
  const { port } = listener;
  state.isCrowded = () => listener.isCrowded;
  state.isLeaving = (request) => listeners.some((each) => each.isLeaving(request));
  const certificates: CertificateHolder = {
    open: async (replacement) => {
      tls = replacement;
      for (const each of listeners) each.replace();
    },
    steer: async (to) => {
      for (const each of listeners) steerConnections(each.port, to);
    },
    noteConnections: async () => {
      for (const each of listeners) each.noteConnections();
    },
    retire: async () => {
      for (const each of listeners) each.retire();
    },
  };
  state.baseUrl = config.baseUrl ?? listenerUrl({ ...config, port });
  const onFailed = (job: string, error: unknown) =>
    databases.background.row("note_failed_job", { job, error: firstLineOf(messageOf(error)) });
  /** Runs jobs side by side with those of other calls, which they neither delay nor wait for. */
  const inBackground = (jobs: readonly Job[]) =>
    hasJobs
      ? startMaintenance({
          database: databases.background,
          log,
          metrics: http.metrics,
          onFailed,
          jobs,
        })
      : undefined;
  const background = [
    inBackground(
      createJobs({
        usageRetentionDays: config.usageRetentionDays,
        auditRetentionDays: config.auditRetentionDays,
        flushKeyUses: () => keys.flushUses(),
        survey: databases.survey,
      }),
    ),
    // Waits for external answers. It runs even without a payment method: a payment that was pending when its method was
    // switched off becomes an alert.
    inBackground([finishTopups(ways, log), recheckTopups(ways.x402, log), forgetTopups()]),
    // Mails and notices must not be late because of the other jobs.
    mail && inBackground([sendMails(mail)]),
    inBackground(createNoticeJobs({ sender: services.notices, mails: services.noticeMails })),
  ];
  const minuteCounts = hasJobs
    ? startMinuteCounts({
        database: databases.background,
        log,
        read: () => http.metrics.countsSinceStart(),
      })
    : undefined;
  let stopping: Promise<void> | undefined;
  return {
    baseUrl: state.baseUrl,
    port,
    adminPort: adminListener?.port,
    services,
    certificates,
    reloadCertificate: createCertificateReload({
      files: config.tls,
      log,
      holders: () => [certificates],
    }),
    stop: () => {
      stopping ??= drain(services, {
        listeners,
        stopJobs: () =>
          Promise.all([
            ...background.map((jobs) => jobs?.stop()),
            mail?.stop(),
            services.notices.stop(),
          ]),
        minuteCounts,
        closingNoticeMs,
      }).finally(async () => {
        release(services);
        await services.spans?.end();
        return databases.close();
      });
      return stopping;
    },
  };
}

/** Omits the statement's text, which may follow the first line. */
function firstLineOf(message: string): string {
  return (message.split("\n")[0] ?? "").slice(0, FAILURE_LENGTH_MAX);
}

function listen(
  { log }: Services,
  address: Address,
  listenAt: (port: number) => ReturnType<typeof Bun.serve>,
): BoundedListener {
  return listenOn(address, () => new BoundedListener((port = address.port) => listenAt(port), log));
}

interface Draining {
  readonly listeners: readonly BoundedListener[];
  readonly stopJobs: () => Promise<unknown>;
  readonly minuteCounts: ReturnType<typeof startMinuteCounts> | undefined;
  readonly closingNoticeMs: number;
}

/** Answers requests in flight, and writes what is pending. Each step has a time limit. */
async function drain(
  services: Services,
  { listeners, stopJobs, minuteCounts, closingNoticeMs }: Draining,
): Promise<void> {
  const { admission, keys, log, state, waits } = services;
  state.isDraining = true;
  waits.drain();
  const jobsStopped = stopJobs();
  await Bun.sleep(closingNoticeMs);
  const stopAll = (isForced: boolean) =>
    Promise.all(listeners.map((listener) => listener.stop(isForced)));
  await within(stopAll(false), ANSWER_WAIT_MS);
  // A request without an answer by now will never get one, such as a slow upload.
  await within(stopAll(true), CLOSE_WAIT_MS);
  await within(Promise.all([admission.idle(), jobsStopped]), CLOSE_WAIT_MS);
  const finish = async (what: string, writing: Promise<unknown> | undefined) => {
    try {
      const isLate = (await within(Promise.resolve(writing), CLOSE_WAIT_MS)) === "late";
      if (isLate) log.warn("not written in time", { what });
    } catch (error) {
      log.warn("not written", { what, error });
    }
  };
  await Promise.all([
    finish("last uses of keys", keys.flushUses()),
    finish("counts of the last minute", minuteCounts?.stop()),
  ]);
}

/** Stops background work. */
function release({ reader, rowSchemas, state }: Services): void {
  state.isDraining = true;
  rowSchemas.close();
  reader.close();
}

assert(
  CLOSING_NOTICE_MS + ANSWER_WAIT_MS + CLOSE_STEPS * CLOSE_WAIT_MS + POOL_CLOSE_MS_MAX <
    DRAIN_WORKER_MS,
  "a drain leaves time to stop the database",
);
