/**
 * Parses a database's address: one or more hosts, a socket, encrypted or not.
 *
 * The driver supports several hosts and `target_session_attrs`. But with several hosts it never gives up, and it
 * mistakes a standby for a writable server. So it gets a single host, and `sockets.ts` opens its sockets.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { ConfigError } from "../../config.ts";
import { codeOf } from "../../lib/error_fields.ts";

/** The location of a database. */
export interface DatabaseAddress {
  /** In libpq's format. `postgres://user@localhost:5432/database?host=/folder` names a socket. */
  readonly url: string;
  /** Whether PgBouncer in transaction mode is in front of it, in which case there is no session state. */
  readonly isPooled?: boolean;
  /** Whether it must be a standby. A server that was promoted has its own history. */
  readonly isReplica?: boolean;
}

/** One server. */
export interface DatabaseHost {
  /** A name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

export interface Encryption {
  readonly mode: (typeof ENCRYPTION_MODES)[number];
  /** The trusted authorities, as PEM text. @default those of Bun */
  readonly authorities?: string;
  /** The client's certificate chain and its key, as PEM texts. @default none */
  readonly client?: { readonly certificate: string; readonly key: string };
}

/** The role that the server must have: a primary, a standby, or either. */
export type WantedRole = "primary" | "standby" | "any";

const PORT_DEFAULT = 5432;
/**
 * As in libpq: `prefer` and `require` accept any certificate, `verify-ca` one that an authority has signed, and
 * `verify-full` one that also names the host.
 */
const ENCRYPTION_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
/** Other names of modes. `allow` is libpq's. */
const MODE_ALIASES = new Map([
  ["false", "disable"],
  ["allow", "prefer"],
  ["true", "require"],
]);

/** @throws {ConfigError} if the address can't be used. The message omits all parts that may be secret. */
export function hostsOf(address: DatabaseAddress) {
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/i.exec(address.url);
  if (parts === null) throw new ConfigError(["a database's address must begin with postgres://"]);
  const [, scheme, user, authority = "", rest] = parts;
  const url = new URL(`${scheme}${user}localhost${rest}`);
  const named = takeParameter(url, "host");
  const target = takeParameter(url, "target_session_attrs");
  const { port } = hostOf(`:${takeParameter(url, "port") ?? ""}`, PORT_DEFAULT);
  const [first = "", ...others] = authority.split(",");
  const given = [hostOf(first, port), ...others.map((each) => hostOf(each, port))] as const;
  // `?host=/run/postgresql` names a socket or other hosts, as in libpq.
  const [socket = "", ...sockets] = named?.split(",") ?? [];
  const at = (host: string) => ({ host, port: given[0].port });
  const hosts = named === undefined ? given : ([at(socket), ...sockets.map(at)] as const);
  return {
    /** In the order in which they are tried. */
    hosts,
    /** Servers of another role are skipped. */
    wantedRole: address.isReplica ? readReplicaTarget(target) : readTarget(target, hosts.length),
    encryption: takeEncryption(url),
    commits: takeCommits(url),
    /** For the driver, with user, password, database, and one host. */
    url: url.href,
  };
}

/** Without a target, several hosts mean the writable one, because a gateway writes. */
function readTarget(target: string | undefined, hostCount: number): WantedRole {
  switch (target) {
    case undefined:
      return hostCount > 1 ? "primary" : "any";
    case "read-write":
    case "primary":
      return "primary";
    case "any":
      return "any";
    default:
      throw new ConfigError([
        `target_session_attrs in DATABASE_URL must be read-write, primary or any, got "${target}", because the gateway writes`,
      ]);
  }
}

function readReplicaTarget(target = "standby"): WantedRole {
  if (target === "standby") return target;
  throw new ConfigError([
    `target_session_attrs in DATABASE_READ_URL must be standby or absent, got "${target}", because the address is for replicas`,
  ]);
}

/**
 * What a commit waits for: `on` (the disks of the server and of its synchronous standbys), or `remote_apply`, which
 * waits for more.
 */
function takeCommits(url: URL): "on" | "remote_apply" {
  const named = takeParameter(url, "synchronous_commit") ?? "on";
  if (named === "on" || named === "remote_apply") return named;
  throw new ConfigError([
    `synchronous_commit in a database's address must be on or remote_apply, got "${named}", because commits must survive a crash`,
  ]);
}

function takeEncryption(url: URL): Encryption {
  const named = takeParameter(url, "sslmode") ?? takeParameter(url, "ssl") ?? "disable";
  const mode = ENCRYPTION_MODES.find((each) => each === (MODE_ALIASES.get(named) ?? named));
  if (mode === undefined) {
    throw new ConfigError([
      `sslmode in a database's address must be disable, prefer, require, verify-ca or verify-full, got "${named}"`,
    ]);
  }
  const caFile = takeParameter(url, "sslrootcert");
  const client = takeClient(url);
  const encryption = { mode, ...(client !== undefined && { client }) };
  if (caFile === undefined || caFile === "system") return encryption;
  // If an authority is named, certificates are checked, as in libpq.
  return {
    ...encryption,
    mode: mode === "require" ? "verify-ca" : mode,
    authorities: readPem("sslrootcert", caFile),
  };
}

/**
 * As in libpq, a server may ask for them, and sslmode decides whether there is any encryption. An empty parameter
 * counts as missing, because an address may be assembled from variables.
 */
function takeClient(url: URL): Encryption["client"] {
  const certFile = takeParameter(url, "sslcert") || undefined;
  const keyFile = takeParameter(url, "sslkey") || undefined;
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new ConfigError(["a database's address must set both sslcert and sslkey, or neither"]);
  }
  return { certificate: readPem("sslcert", certFile), key: readPem("sslkey", keyFile) };
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError([`${parameter} names ${path}, which can't be read (${codeOf(error)})`]);
  }
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

/** Parses `name`, `name:port`, or `[::1]:port`. Without a name, it is this machine. @throws {ConfigError} */
function hostOf(text: string, portDefault: number): DatabaseHost {
  const url = URL.parse(`postgres://${/^(:|$)/.test(text) ? `localhost${text}` : text}`);
  if (url === null || url.port === "0") {
    // The text is not repeated, because it is a part of the password if the password contains a slash.
    throw new ConfigError([
      "a database's address must list its hosts as name, name:port or [IPv6]:port; in a password, write / as %2F",
    ]);
  }
  const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  return { host, port: Number(url.port || portDefault) };
}
