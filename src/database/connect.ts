/**
 * The pool of connections, and the types that cross it.
 *
 * JSON stays text in both directions, `bigint` is a JavaScript bigint, and a `timestamptz` is RFC 3339
 * text in UTC with the microseconds that a `Date` would lose.
 *
 * @module
 */
import postgres from "postgres";

/** Where the database is: an address, or the private socket of the embedded one. */
export type DatabaseAddress =
  | { readonly url: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };

const OID_JSON = 114;
const OID_JSONB = 3802;
const OID_TIMESTAMPTZ = 1184;
const OID_BIGINT = 20;

const same = (text: string) => text;

/** `2026-11-21 06:27:00.123+00`, as PostgreSQL prints it in UTC, as RFC 3339. */
function rfc3339(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11).replace(/\+00$/, "Z")}`;
}

const TYPES = {
  // Without an identity type the driver would encode JSON text a second time.
  json: { to: OID_JSON, from: [OID_JSON, OID_JSONB], serialize: same, parse: same },
  timestamptz: { to: OID_TIMESTAMPTZ, from: [OID_TIMESTAMPTZ], serialize: same, parse: rfc3339 },
  bigint: { to: OID_BIGINT, from: [OID_BIGINT], serialize: String, parse: BigInt },
};

export type Connections = ReturnType<typeof connect>;

export interface ConnectOptions {
  /** Connections at most. @default 10 */
  readonly connectionsMax?: number;
  /** A statement that runs longer is cancelled, in milliseconds; 0 for no bound. @default 5000 */
  readonly statementTimeoutMs?: number;
}

const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_SECONDS = 5;

/** Opens a pool; nothing is sent before the first query. */
export function connect(address: DatabaseAddress, options: ConnectOptions = {}) {
  const settings = {
    max: options.connectionsMax ?? 10,
    connect_timeout: CONNECT_TIMEOUT_SECONDS,
    idle_timeout: 0,
    max_lifetime: null,
    prepare: true,
    onnotice: () => {},
    types: TYPES,
    connection: {
      application_name: "feedgate",
      TimeZone: "UTC",
      statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    },
  };
  if (!("url" in address)) return postgres({ ...settings, ...address });
  const { url, host } = splitHost(address.url);
  return postgres(url, { ...settings, ...(host !== undefined && { host }) });
}

/** `?host=/run/postgresql` names a socket, as in libpq; the driver takes it as an option only. */
function splitHost(address: string): { url: string; host: string | undefined } {
  if (!URL.canParse(address)) return { url: address, host: undefined };
  const url = new URL(address);
  const host = url.searchParams.get("host") ?? undefined;
  url.searchParams.delete("host");
  return { url: host === undefined ? address : url.href, host };
}
