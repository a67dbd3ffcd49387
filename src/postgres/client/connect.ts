/**
 * The pool of connections, and the types of values.
 *
 * JSON stays text in both directions, `bigint` is a JavaScript bigint, and a `timestamptz` is RFC 3339 text in UTC with
 * microseconds, which a `Date` would lose. `sockets.ts` decides which host a connection uses and when it counts as
 * dead.
 *
 * @module
 */
import type { Socket } from "node:net";
import postgres from "postgres";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import { DATABASE_CONNECTIONS_MAX } from "../../limits.ts";
import { STATEMENTS } from "../generated/statements.ts";
import { type DatabaseAddress, type DatabaseHost, hostsOf } from "./address.ts";
import { createSockets } from "./sockets.ts";
import { createSurvey, type OldPrimary, type Survey } from "./survey.ts";
import { LINEAGE_QUERY, processTimelines, readLineage } from "./timelines.ts";

export type { DatabaseAddress } from "./address.ts";

const OID_JSON = 114;
const OID_JSONB = 3802;
const OID_TIMESTAMPTZ = 1184;
const OID_BIGINT = 20;

const same = (text: string) => text;

/** Converts `2026-11-21 06:27:00.123+00`, PostgreSQL's format in UTC, to RFC 3339. A fraction has six digits. */
function rfc3339(text: string): string {
  const [seconds = "", fraction] = text.replace(/\+00$/, "").split(".");
  return `${seconds.replace(" ", "T")}${fraction === undefined ? "" : `.${fraction.padEnd(6, "0")}`}Z`;
}

const TYPES = {
  // Without an identity type, the driver would encode JSON text a second time.
  json: { to: OID_JSON, from: [OID_JSON, OID_JSONB], serialize: same, parse: same },
  timestamptz: { to: OID_TIMESTAMPTZ, from: [OID_TIMESTAMPTZ], serialize: same, parse: rfc3339 },
  bigint: { to: OID_BIGINT, from: [OID_BIGINT], serialize: String, parse: BigInt },
};

export type Connections = ReturnType<typeof connect>;

export interface ConnectOptions {
  /** The most connections. @default DATABASE_CONNECTIONS_MAX */
  readonly connectionsMax?: number;
  /**
   * Milliseconds after which a statement is cancelled. 0 for no limit. @default 5000
   *
   * A connection that is silent for 1 s more than this counts as dead and is closed. So statements that may run longer,
   * as in a migration, need their own pool with 0.
   */
  readonly statementTimeoutMs?: number;
  /** Milliseconds to open a socket, and then again until the first statement. @default 2500 */
  readonly connectTimeoutMs?: number;
  /** Called with each socket, for a caller that must be able to close it immediately. */
  readonly onSocket?: (socket: Socket) => void;
  /** Finds the newest primary, shared with others. @default `surveyHosts(address)` */
  readonly survey?: Survey | undefined;
}

const STATEMENT_TIMEOUT_MS = 5_000;
/** Extra time for the answer of a cancelled statement. */
const SILENCE_MARGIN_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_500;
const END_WAIT_SECONDS = 1;
/** Seconds between two attempts of one connection. The driver's own pause grows to 20 s. */
const RECONNECT_PAUSE_SECONDS = 0.2;

/** Opens a pool. Nothing is sent before the first query. */
export function connect(address: DatabaseAddress, options: ConnectOptions = {}) {
  const { url, sockets, settings } = settingsOf(address, options);
  const openSocket = createSockets({
    ...sockets,
    timelines: processTimelines,
    survey: options.survey ?? surveyHosts(address),
  });
  const pool = {
    ...settings,
    async socket() {
      const socket = await openSocket();
      options.onSocket?.(socket);
      return socket;
    },
  };
  // The driver's types don't know the option `socket`.
  return postgres(url, pool);
}

/** Returns how to find the newest primary. Undefined if the address names one host, or replicas. */
export function surveyHosts(
  address: DatabaseAddress,
  onOldPrimary?: (found: OldPrimary) => void,
): Survey | undefined {
  const { url, sockets, settings } = settingsOf(address, {});
  const { hosts, wantedRole, connectTimeoutMs } = sockets;
  if (hosts.length === 1 || wantedRole !== "primary") return undefined;
  /** A session of its own on one host, even if that is an old primary. */
  const withHost = async <Result>(
    host: DatabaseHost,
    work: (session: ReturnType<typeof postgres>) => Promise<Result>,
  ) => {
    const socket = createSockets({ ...sockets, hosts: [host] });
    const own = { ...settings, max: 1, socket };
    const session = postgres(url, own);
    try {
      return await work(session);
    } finally {
      await session.end({ timeout: END_WAIT_SECONDS });
    }
  };
  return createSurvey({
    hosts,
    timelines: processTimelines,
    timeoutMs: connectTimeoutMs / hosts.length,
    onOldPrimary,
    probe: (host) =>
      withHost(host, async (session) => {
        const [row] = await session.unsafe(LINEAGE_QUERY);
        return readLineage(row?.lineage);
      }),
    mark: (host, { system, timeline }) =>
      withHost(host, async (session) => {
        await session.unsafe(STATEMENTS.keep_timeline, [system, timeline]);
      }),
  });
}

/** Settings of a pool for the driver and the sockets. */
function settingsOf(address: DatabaseAddress, options: ConnectOptions) {
  const { statementTimeoutMs = STATEMENT_TIMEOUT_MS, connectTimeoutMs = CONNECT_TIMEOUT_MS } =
    options;
  const { url, commits, ...hosts } = hostsOf(address);
  const { isPooled = false } = address;
  const sockets = {
    ...hosts,
    connectTimeoutMs,
    silenceMs: statementTimeoutMs === 0 ? undefined : statementTimeoutMs + SILENCE_MARGIN_MS,
  };
  const settings = {
    max: options.connectionsMax ?? DATABASE_CONNECTIONS_MAX,
    connect_timeout: connectTimeoutMs / MS_PER_SECOND,
    idle_timeout: 0,
    max_lifetime: null,
    backoff: () => RECONNECT_PAUSE_SECONDS,
    // Our socket is already encrypted, if configured.
    ssl: false as const,
    // Behind a pooler, the next transaction may run on a connection that has not prepared the statement.
    prepare: !isPooled,
    onnotice: () => {},
    types: TYPES,
    // `array_literal.ts` encodes arrays, and no statement's row contains one. Fetching their types would cost each new
    // connection an extra query to the catalog.
    fetch_types: false,
    connection: {
      application_name: "feedgate",
      TimeZone: "UTC",
      DateStyle: "ISO",
      // A pooler refuses settings that it can't keep separate for each client.
      ...(!isPooled && {
        statement_timeout: statementTimeoutMs,
        // A usage id that a client has seen is in the log after any crash, whatever the settings of the database or
        // role.
        synchronous_commit: commits,
        // A statement that waited for a lock must see what was committed during the wait. (A pooler must be configured
        // to do this.)
        default_transaction_isolation: "read committed" as const,
        // Our statements take a millisecond. Compiling them, which PostgreSQL does where a table has no statistics yet,
        // takes hundreds.
        jit: "off",
      }),
    },
  };
  return { url, sockets, settings };
}

/** Runs work on a single session without a time limit: a copy, a transaction, a migration. */
export async function withConnection<Result>(
  address: DatabaseAddress,
  work: (connection: Connections) => Promise<Result>,
): Promise<Result> {
  const connection = connect(address, { connectionsMax: 1, statementTimeoutMs: 0 });
  try {
    return await work(connection);
  } finally {
    await connection.end({ timeout: END_WAIT_SECONDS });
  }
}
