/**
 * Reads where the database is: one host or several, a socket, encrypted or not.
 *
 * The driver knows several hosts and `target_session_attrs`, too. But with several it never gives up, and
 * it takes a standby for a server that can be written to. So it is told of one host only, and its sockets
 * come from us (`sockets.ts`).
 *
 * @module
 */
import { ConfigError } from "../../config.ts";

/** Where a database is. */
export interface DatabaseAddress {
  /** As libpq takes it. `postgres://user@localhost:5432/database?host=/folder` names a socket. */
  readonly url: string;
  /** Behind it is a PgBouncer in transaction mode, where nothing belongs to a session. */
  readonly isPooled?: boolean;
  /** Only a standby will do: a server that was promoted has its own history. */
  readonly isReplica?: boolean;
}

/** One server. */
export interface DatabaseHost {
  /** A name, an IP address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
}

/**
 * As in libpq: `prefer` and `require` take any certificate, `verify-ca` one that an authority has signed,
 * and `verify-full` one that names the host, too.
 */
export type EncryptionMode = "none" | "prefer" | "require" | "verify-ca" | "verify-full";

export interface Encryption {
  readonly mode: EncryptionMode;
  /** PEM file of the authorities that are trusted; absent: those that Bun knows. */
  readonly caFile?: string;
}

/** The role of the server that is wanted: a primary, a standby, or either. */
export type WantedRole = "primary" | "standby" | "any";

export interface AddressedHosts {
  /** In the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly encryption: Encryption;
  /** A server of another role is passed over. */
  readonly wantedRole: WantedRole;
  /** For the driver: user, password and database, with one host. */
  readonly url: string;
}

const PORT_DEFAULT = 5432;
const ENCRYPTION_MODES: ReadonlyMap<string, EncryptionMode> = new Map([
  ["disable", "none"],
  ["false", "none"],
  ["allow", "prefer"],
  ["prefer", "prefer"],
  ["require", "require"],
  ["true", "require"],
  ["verify-ca", "verify-ca"],
  ["verify-full", "verify-full"],
]);

/** @throws {ConfigError} if the address can't be used; the message repeats no part that may be a secret. */
export function hostsOf(address: DatabaseAddress): AddressedHosts {
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
    hosts,
    wantedRole: address.isReplica ? readReplicaTarget(target) : readTarget(target, hosts.length),
    encryption: takeEncryption(url),
    url: url.href,
  };
}

/** Without a target, several hosts mean the one that can be written to: a gateway writes. */
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
        `target_session_attrs in DATABASE_URL must be read-write, primary or any, got "${target}": the gateway writes`,
      ]);
  }
}

function readReplicaTarget(target = "standby"): WantedRole {
  if (target === "standby") return target;
  throw new ConfigError([
    `target_session_attrs in DATABASE_READ_URL must be standby or absent, got "${target}": it names replicas`,
  ]);
}

function takeEncryption(url: URL): Encryption {
  const named = takeParameter(url, "sslmode") ?? takeParameter(url, "ssl") ?? "disable";
  const mode = ENCRYPTION_MODES.get(named);
  if (mode === undefined) {
    throw new ConfigError([
      `sslmode in a database's address must be disable, prefer, require, verify-ca or verify-full, got "${named}"`,
    ]);
  }
  const caFile = takeParameter(url, "sslrootcert");
  if (caFile === undefined || caFile === "system") return { mode };
  // An authority that is named is to be checked. The same in libpq.
  return { mode: mode === "require" ? "verify-ca" : mode, caFile };
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

/** `name`, `name:port`, `[::1]:port`; without a name, the machine itself. @throws {ConfigError} */
function hostOf(text: string, portDefault: number): DatabaseHost {
  const url = URL.parse(`postgres://${/^(:|$)/.test(text) ? `localhost${text}` : text}`);
  if (url === null || url.port === "0") {
    // Not repeated: where a password holds a slash, a part of it stands here.
    throw new ConfigError([
      "a database's address must name its hosts as name, name:port or [IPv6]:port; in a password, / is written %2F",
    ]);
  }
  const host = decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  return { host, port: Number(url.port || portDefault) };
}
