/**
 * `serve`: runs a gateway until a signal arrives, then drains it for up to 10 seconds.
 *
 * @module
 */
import { closeSync, openSync } from "node:fs";
import { isatty } from "node:tty";
import { shellActor } from "../../accounts/actor.ts";
import {
  type Config,
  isBaseUrlMissing,
  operatorsUrl,
  PORT_MAX,
  signUpWarning,
} from "../../config.ts";
import { present } from "../../lib/assert.ts";
import { createLog, type Log } from "../../lib/log.ts";
import { fullVersion } from "../../lib/program_version.ts";
import { DRAIN_EXIT_MS } from "../../limits.ts";
import { connectReach } from "../../oauth/reach.ts";
import { judgeConnections } from "../../operator/examine.ts";
import { createOperatorLink } from "../../operator/sign_in_links.ts";
import type { Database } from "../../postgres/client/database.ts";
import { noteGateway } from "../../postgres/embedded/gateways.ts";
import { type Gateway, startGateway } from "../../server.ts";
import { startWorkers } from "../../workers/supervisor.ts";
import { defineCommand, type Options } from "../command.ts";
import { howToStop, typed } from "../hints.ts";
import { notifySystemd } from "../notify_systemd.ts";
import { flag, integer, text, workers } from "../options.ts";
import type { Output } from "../output.ts";

/** Options of `serve` and `demo`. */
export const LISTEN_OPTIONS = {
  port: integer("port to listen on; default PORT, else 3000; 0 picks a free port", {
    least: 0,
    most: PORT_MAX,
  }),
  host: text("address to listen on; default HOST, else 127.0.0.1", {
    placeholder: "H",
    lengthMax: 253,
  }),
} satisfies Options;

/** The configuration, overridden by the command line. */
export function listenConfig(
  config: Config,
  given: { readonly port?: number | undefined; readonly host?: string | undefined },
): Config {
  return { ...config, port: given.port ?? config.port, host: given.host ?? config.host };
}

/** The command `serve`. */
export const serve = defineCommand({
  words: "serve",
  about: "migrate the database, then run the gateway until SIGINT or SIGTERM",
  makesDatabase: true,
  options: {
    ...LISTEN_OPTIONS,
    "no-migrate": flag(
      "refuse to start if the schema is outdated; for a role that can't change it",
    ),
    workers: workers("worker processes; auto: one per processor core; default 1, unsupervised"),
  },
  run: async ({ config, values, output }) => {
    const migrates = values["no-migrate"] !== true;
    const listening = { ...listenConfig(config, values), migrates };
    const { workers: count } = values;
    const onStart = async (served: Listening, database: Database, log: Log) => {
      await announce(served, output);
      await warnOfConnections(database, { config, log, processes: count ?? 1 });
      const row = output.isJson ? undefined : await database.row("has_accounts", {});
      if (row?.has_accounts === false) output.note(nextSteps(served, config));
      if (!output.isJson && config.hasConsole)
        await offerConsole(served, { database, config, output });
    };
    if (count === undefined) {
      await serveUntilSignal(listening, (served, log) =>
        onStart(served, served.services.database, log),
      );
    } else {
      await untilSignal(listening, {
        start: (log) => startWorkers({ config: listening, log, count }),
        onStart: (served, log) => onStart(served, served.database, log),
      });
    }
    return undefined;
  },
});

/** A gateway, or several workers that share a port. */
type Listening = Pick<Gateway, "baseUrl" | "port" | "adminPort" | "reloadCertificate" | "stop">;

function announce(
  { baseUrl, port: listening, adminPort }: Listening,
  output: Output,
): Promise<void> {
  return output.write(
    output.isJson
      ? `${JSON.stringify({ base_url: baseUrl, docs_url: `${baseUrl}/docs`, port: listening, ...(adminPort !== undefined && { admin_port: adminPort }) })}\n`
      : `Feedgate is running at ${baseUrl} (docs at ${baseUrl}/docs)${adminPort === undefined ? "" : `, for operators on port ${adminPort}`}\n`,
  );
}

interface Offering {
  readonly database: Database;
  readonly config: Config;
  readonly output: Output;
}

/**
 * Offers the operator a sign-in link while there are no admin keys. It is shown only on a terminal: elsewhere, standard
 * error goes to a journal or a container's log, whose readers could use the link.
 */
async function offerConsole(
  listening: Listening,
  { database, config, output }: Offering,
): Promise<void> {
  const row = await database.row("has_admin_keys", {});
  if (row?.has_admin_keys !== false) return;
  if (output.statusColumns === undefined) {
    output.note(`To sign in to the console, run: ${typed("console", config)}\n`);
    return;
  }
  const baseUrl = operatorsUrl(config, listening);
  const operator = { database, limits: config.limits, baseUrl };
  const { url } = await createOperatorLink(operator, shellActor("at the start"));
  output.note(
    `Sign in to the console (link valid once, for 15 minutes):\n  ${url}\nTo get another link, run: ${typed("console", config)}\n`,
  );
}

/** Warns early, because requests slow down or fail once PostgreSQL has no connections left. */
async function warnOfConnections(
  database: Database,
  { config, log, processes }: { config: Config; log: Log; processes: number },
): Promise<void> {
  if (config.isDatabasePooled) return;
  const room = await database.row("find_connection_room", {});
  const { health, found, hint } = judgeConnections(present(room), processes);
  if (health !== "ok") log.warn(`database connections may run out: ${found}`, { processes, hint });
}

/** How to create the first account and key. Names the data folder, because commands may run in another directory. */
function nextSteps({ baseUrl }: Listening, config: Config): string {
  return [
    "There are no accounts yet. To create one and a key for it, run in another terminal:",
    `  ${typed("account create --name NAME", config)}`,
    `  ${typed("key create --account ID --permission read", config)}`,
    `How to use a key: ${baseUrl}/docs`,
    `Stop the gateway ${howToStop(config)}`,
    "",
  ].join("\n");
}

/** A parent that forwards a signal sends it a second time. Within this time, the two count as one. */
const SAME_SIGNAL_MS = 250;
const STANDARD_INPUT = 0;
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Serves until a signal arrives. `onStart` runs once the gateway listens; a signal does not wait for it. */
export function serveUntilSignal(
  config: Config,
  onStart: (gateway: Gateway, log: Log) => Promise<void>,
  options: Parameters<typeof startGateway>[2] = {},
): Promise<void> {
  return untilSignal(config, { start: (log) => startGateway(config, log, options), onStart });
}

/** Creates the log, and warns of likely mistakes in the environment. */
function logOf(config: Config): Log {
  const log = createLog({ level: config.logLevel });
  for (const warning of [...config.warnings, signUpWarning(config)]) {
    if (warning !== undefined) log.warn(warning);
  }
  if (isBaseUrlMissing(config)) {
    log.warn(
      `HOST is ${config.host} and FEEDGATE_BASE_URL is not set, so links in responses work only on this machine; set FEEDGATE_BASE_URL to the address that clients use`,
    );
  }
  if (connectReach(config) === "own_machine") {
    const isPublic = config.baseUrl !== undefined;
    const sentence =
      "agents can connect by OAuth only from this machine, because FEEDGATE_BASE_URL is not an https address";
    if (isPublic) log.warn(sentence);
    else log.info(sentence);
  }
  return log;
}

interface Serving<Served extends Listening> {
  start(log: Log): Promise<Served>;
  onStart(served: Served, log: Log): Promise<void>;
}

async function untilSignal<Served extends Listening>(
  config: Config,
  { start, onStart }: Serving<Served>,
): Promise<void> {
  const { databaseUrl, dataDir } = config;
  const log = logOf(config);
  // Before the database starts: a signal during the start must not leave it running.
  const { signalled, onHangup } = catchSignals(log);
  const note = databaseUrl === undefined ? await noteGateway(dataDir) : undefined;
  try {
    const served = await start(log);
    onHangup(() => served.reloadCertificate());
    note?.tell({ clients: served.baseUrl, operators: operatorsUrl(config, served) });
    log.info("serving", { version: fullVersion(), base_url: served.baseUrl });
    const endNotices = await notifySystemd({ environment: process.env, log });
    try {
      await Promise.race([onStart(served, log), signalled]);
      await signalled;
    } finally {
      endNotices();
      await served.stop();
      log.info("stopped");
    }
  } finally {
    note?.takeBack();
  }
}

/**
 * `signalled` resolves at the first signal to stop. A second signal, or the end of the drain period, ends the process.
 *
 * SIGHUP calls the handler that `onHangup` sets, and is ignored before the gateway serves. If the terminal was closed,
 * which sends the same signal, SIGHUP stops the gateway.
 */
function catchSignals(log: Log) {
  const { promise: signalled, resolve } = Promise.withResolvers<void>();
  let firstMs: number | undefined;
  let hangup = async () => {};
  const stop = (signal: string) => {
    firstMs = performance.now();
    log.info("stopping after requests in flight are answered", { signal });
    setTimeout(() => process.exit(1), DRAIN_EXIT_MS).unref();
    resolve();
  };
  for (const [signal, code] of Object.entries(SIGNAL_CODES)) {
    process.on(signal, () => {
      if (firstMs === undefined) stop(signal);
      else if (performance.now() - firstMs > SAME_SIGNAL_MS) process.exit(code);
    });
  }
  // False under `nohup`, which replaces standard input.
  const hadTerminal = isatty(STANDARD_INPUT);
  process.on("SIGHUP", () => {
    if (firstMs !== undefined) return;
    if (hadTerminal && !hasTerminal()) stop("SIGHUP");
    else hangup().catch((error) => log.error("SIGHUP could not be handled", { error }));
  });
  return {
    signalled,
    onHangup(call: () => Promise<void>) {
      hangup = call;
    },
  };
}

/** Whether the process's terminal is still there. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
