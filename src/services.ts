/**
 * The objects that the features share, created once per process.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { Admission } from "./admission/admission.ts";
import { Keys } from "./api/callers/callers.ts";
import { createNetworkLimit } from "./api/callers/network_limit.ts";
import { OperatorsListener } from "./api/callers/operators_listener.ts";
import { StrangersBodies } from "./api/callers/strangers_bodies.ts";
import { registerDatabaseMetrics } from "./api/operations/database_metrics.ts";
import { type Config, listenerUrl } from "./config.ts";
import { Feeds } from "./feeds/find.ts";
import { Viewers } from "./feeds/viewers.ts";
import { Waits } from "./feeds/waits.ts";
import type { HttpContext } from "./http/call.ts";
import { Cors } from "./http/cors.ts";
import { BodyBudget } from "./http/load/body_budget.ts";
import { unsentBodies } from "./http/load/unsent_bodies.ts";
import { Metrics } from "./http/metrics.ts";
import { assert } from "./lib/assert.ts";
import type { Log } from "./lib/log.ts";
import { networkList } from "./lib/network_list.ts";
import { findCommit, VERSION } from "./lib/program_version.ts";
import { watchStandstill } from "./lib/standstill.ts";
import { createThrottle, createThrottles } from "./lib/throttle.ts";
import {
  ACCOUNT_REFUSALS_AT_ONCE_MAX,
  ACCOUNT_REFUSALS_PER_SECOND,
  ACCOUNTS_REFUSED_MAX,
  ANONYMOUS_LIMIT,
  ANONYMOUS_OF_NETWORK_LIMIT,
  BODIES_BYTES_MAX,
  IMPORT_PROGRESS_MS,
  PAGES_MADE_LIMIT,
  PAGES_MADE_OF_NETWORK_LIMIT,
  REFUSALS_AT_ONCE_MAX,
  REFUSALS_PER_SECOND,
  REFUSALS_WAIT_SECONDS_MAX,
  REFUSALS_WAITING_MAX,
  REPEAT_WAIT_MS,
  ROW_EVENTS_MS,
  WAIT_POLL_MS,
} from "./limits.ts";
import { NoticeMails, stopMails } from "./notices/notice_mails.ts";
import { registerNoticeMetrics } from "./notices/notice_metrics.ts";
import { WebhookSender } from "./notices/webhook_sender.ts";
import type { WebhookSettings } from "./notices/webhooks.ts";
import { registerMailMetrics } from "./people/mail/mail_metrics.ts";
import { MailSender } from "./people/mail/mail_sender.ts";
import type { OutgoingMail } from "./people/mail/outgoing_mail.ts";
import type { Database } from "./postgres/client/database.ts";
import type { Databases } from "./postgres/open_database.ts";
import { createReader } from "./postgres/replica/reader.ts";
import { createRowSchemas } from "./push/schema/row_schemas.ts";

const SECRET_BYTES = 32;

export type Services = Awaited<ReturnType<typeof createServices>>;

interface ServicesOptions {
  readonly config: Config;
  readonly databases: Databases;
  readonly log: Log;
  /** See `Metrics`. */
  readonly metricsTextMs?: number | undefined;
  /** @default INTERVALS */
  readonly intervals?: Intervals | undefined;
  /** See `MailSender`. */
  readonly onMail?: ((mail: OutgoingMail) => void) | undefined;
}

/** Intervals of repeated messages and queries, and how long a caller waits for another, in milliseconds. */
export interface Intervals {
  /** Between progress lines of an import. */
  readonly importProgress: number;
  /** Between `rows` events of a follower, at least. */
  readonly rowEvents: number;
  /** Between queries for changes of awaited feeds. */
  readonly waitPoll: number;
  /** How long a repeated call of an operator waits for the first one. */
  readonly repeatWait: number;
}

const INTERVALS: Intervals = {
  importProgress: IMPORT_PROGRESS_MS,
  rowEvents: ROW_EVENTS_MS,
  waitPoll: WAIT_POLL_MS,
  repeatWait: REPEAT_WAIT_MS,
};

/** Creates the objects. The secret that they share is created with the database. */
export async function createServices({
  config,
  databases,
  log,
  metricsTextMs,
  intervals = INTERVALS,
  onMail,
}: ServicesOptions) {
  const { database, operatorDatabase, importDatabase, openSnapshot, replica } = databases;
  watchStandstill();
  const state = {
    baseUrl: config.baseUrl ?? listenerUrl(config),
    isDraining: false,
    isLeaving: (_request: Request): boolean => false,
    /** Whether there are more connections than are served. */
    isCrowded: () => false,
  };
  const metrics = new Metrics({ textMs: metricsTextMs });
  metrics.info("feedgate_build_info", "Version and commit of this program", {
    labels: ["version", "commit"],
    read: () => ({ version: VERSION, commit: findCommit() ?? "unknown" }),
  });
  registerDatabaseMetrics(metrics, databases, { log, slowMs: config.slowStatementMs });
  const waiting = {
    waitSecondsMax: REFUSALS_WAIT_SECONDS_MAX,
    waitingMax: REFUSALS_WAITING_MAX,
  };
  const refusals = createThrottle({
    ...waiting,
    perSecond: REFUSALS_PER_SECOND,
    burstMax: REFUSALS_AT_ONCE_MAX,
  });
  metrics.gauge(
    "feedgate_unsent_bytes",
    "Bytes of large responses that clients have not read yet",
    () => unsentBodies.bytes,
  );
  const refusalsOf = createThrottles(
    {
      ...waiting,
      perSecond: ACCOUNT_REFUSALS_PER_SECOND,
      burstMax: ACCOUNT_REFUSALS_AT_ONCE_MAX,
    },
    ACCOUNTS_REFUSED_MAX,
  );
  metrics.gauge("feedgate_refusals_waiting", "Delayed 503 responses", () => refusals.waiting);
  const spans =
    config.tracing && (await import("./api/operations/spans.ts")).createSpans(config.tracing);
  const http: HttpContext = {
    baseUrl: () => state.baseUrl,
    isDraining: () => state.isDraining,
    isLeaving: (request) => state.isLeaving(request),
    isCrowded: () => state.isCrowded(),
    cors: config.corsOrigins && new Cors(config.corsOrigins),
    hasConsole: config.hasConsole,
    log,
    loggedStatusMin: config.loggedStatusMin,
    metrics,
    trace: spans?.record,
    refusals,
    refusalsOf,
  };
  const admission = new Admission({ database, observer: metrics, log });
  metrics.gauge(
    "feedgate_admission_waiting",
    "Reads waiting for admission",
    () => admission.waiting,
  );
  const waits = new Waits({ database, log, pollMs: intervals.waitPoll });
  metrics.gauge("feedgate_waits", "Readers waiting for a change", () => waits.open);
  const viewers = new Viewers(waits);
  metrics.gauge("feedgate_viewers", "Open pages that update live", () => viewers.open);
  const bodies = new BodyBudget(BODIES_BYTES_MAX);
  const operatorsListener = new OperatorsListener({
    isSeparate: config.admin !== undefined,
    trustedProxies: config.trustedProxies && networkList(config.trustedProxies),
  });
  const strangersBodies = new StrangersBodies(operatorsListener);
  metrics.gauge(
    "feedgate_bodies_bytes",
    "Memory used by request bodies, in bytes",
    () => bodies.bytes + strangersBodies.bytes,
  );
  const rowSchemas = createRowSchemas();
  metrics.gauge(
    "feedgate_schema_checks_waiting",
    "Schemas, and pushes with a locked schema, that are waiting to be checked",
    () => rowSchemas.waiting,
  );
  metrics.count(
    "feedgate_database_statements_total",
    "Statements sent to the database",
    () => database.statementCount,
  );
  metrics.gauge("feedgate_database_running", "Statements that are running", () => database.running);
  metrics.gauge(
    "feedgate_database_waiting",
    "Statements waiting for a connection",
    () => database.waiting,
  );
  const reader = createReader(
    database,
    replica && { replica, log, onRead: (outcome) => metrics.replicaAsked(outcome) },
  );
  if (replica !== undefined) {
    metrics.gauge("feedgate_replica_up", "Whether reads are sent to the replica", () =>
      Number(reader.hasReplica),
    );
  }
  // A separate pool, so that its small statements wait for neither reads nor long background steps.
  const mail =
    config.mail &&
    new MailSender({ config: config.mail, database: operatorDatabase, log, onSent: onMail });
  if (mail !== undefined) registerMailMetrics(metrics, mail, operatorDatabase);
  // The fee of future sales.
  const rate = { rate_millionths: config.platformFeeMillionths };
  const kept = await database.row("keep_fee_rate", rate);
  if (kept?.is_later) {
    log.warn("the fee starts after the last sale, because the clock was set back", {
      begins: kept.since,
    });
  }
  const incarnation = await keptSetting(database, "incarnation", "");
  const proposed = randomBytes(SECRET_BYTES).toString("base64url");
  const secret = config.cursorSecret ?? (await keptSetting(database, "cursor_secret", proposed));
  const webhookGuard = { allowsPrivate: config.isWebhookPrivate, trial: config.webhookTrial };
  // Sealed without the incarnation, so that a restored database keeps its webhooks.
  const webhooks: WebhookSettings = {
    database: operatorDatabase,
    secret,
    baseUrl: http.baseUrl,
    ...webhookGuard,
  };
  const notices = new WebhookSender({ database: operatorDatabase, log, secret, ...webhookGuard });
  registerNoticeMetrics(metrics, notices, operatorDatabase);
  return {
    config,
    database,
    /** Separate connections for the operator's API. */
    operatorDatabase,
    /** Separate connections for the steps of imports. */
    importDatabase,
    /** A session with one snapshot of the database, for an export. */
    openSnapshot,
    /** The free space on the database's disk, if known. */
    diskRoom: databases.diskRoom,
    /** Pages, catalog, and search: from a replica if it is current enough. */
    reader,
    log,
    http,
    intervals,
    operatorsListener,
    /** Shared by all calls without a key. */
    anonymousLimit: createNetworkLimit({
      limit: ANONYMOUS_LIMIT,
      networkLimit: ANONYMOUS_OF_NETWORK_LIMIT,
      of: "calls without a key",
    }),
    /**
     * For pages that are built for people without a key. It is separate from that of API calls, so that a crawler locks
     * out no agent. A cached page costs almost nothing, and is not counted.
     */
    pageLimit: createNetworkLimit({
      limit: PAGES_MADE_LIMIT,
      networkLimit: PAGES_MADE_OF_NETWORK_LIMIT,
      of: "pages",
    }),
    keys: new Keys(database, admission),
    /** Active feeds only, for readers. */
    feeds: new Feeds(database, { isActiveOnly: true }),
    /** Feeds in any state, for pushes and edits. */
    storedFeeds: new Feeds(database, { isActiveOnly: false }),
    admission,
    /** Readers that wait for a feed to change. */
    waits,
    /** People with an open page that updates by itself. */
    viewers,
    rowSchemas,
    /** Bodies of known accounts: push, create, edit, and MCP. */
    bodies,
    /** Bodies of all others, limited separately so that they block no account. */
    strangersBodies,
    /** Seals cursors. The same in every process on this database, and different in each incarnation. */
    cursorSecret: secret + incarnation,
    /** Changes when the database is restored, because data versions are then assigned again. Initially "". */
    incarnation,
    /** The address for payments in a 402. */
    billingUrl: () => config.billingUrl ?? `${state.baseUrl}/billing`,
    /** Whether accounts can pay for credits by themselves (`POST /v1/topups`). A 402 mentions it. */
    canTopUp: config.topups !== undefined,
    /** Sends queued mails. Wake it after queueing one. Undefined if mail is not configured. */
    mail,
    /** Undefined if traces are off. */
    spans,
    /** Calls webhooks. Wake it after making a delivery. */
    notices,
    /** Mails of notices. Undefined if mail is not configured. */
    noticeMails:
      mail &&
      new NoticeMails({ database: operatorDatabase, sender: mail, secret, baseUrl: http.baseUrl }),
    /** Unsubscribes the recipient of the link from mails of one kind. */
    stopMails: (token: string) => stopMails({ database: operatorDatabase, secret }, token),
    webhooks,
    /** What the operator's functions work with. */
    operator: () => ({
      database: operatorDatabase,
      limits: config.limits,
      baseUrl: http.baseUrl(),
      hasMail: mail !== undefined,
      webhooks,
    }),
    /** The payment methods, for texts that explain how to pay. */
    payingWays: {
      takesCards: config.topups?.stripe !== undefined,
      takesX402: config.topups?.x402 !== undefined,
    },
    /** Updated once the listener's address is known, and when a drain begins. */
    state,
  };
}

/** The database's value of the setting. If there is none, stores `proposed`. */
async function keptSetting(database: Database, name: string, proposed: string): Promise<string> {
  const row = await database.row("keep_setting", { name, value: proposed });
  assert(row !== undefined, "keep_setting returns one row");
  return row.value;
}
