/**
 * Reads where the database is: one host or several, a socket, encrypted or not.
 *
 * The driver knows several hosts and `target_session_attrs`, too; but with several it never gives up,
 * and it takes a standby for a server that can be written to. So it is told of one host only, and its
 * sockets come from us (`sockets.ts`).
 *
 * @module
 */
import { ConfigError, PORT_MAX } from "../../config.ts";

/** Where the database is: an address, or the private socket of the embedded one. */
export type DatabaseAddress =
  | {
      readonly url: string;
      /** Behind it is a PgBouncer in transaction mode: what belongs to a session is not to be had. */
      readonly isPooled?: boolean;
      /** Only a standby will do: a server that was promoted goes ways of its own. */
      readonly isReplica?: boolean;
    }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };

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

/** Which server will do: one that can be written to, one that follows another, or either. */
export type WantedRole = "primary" | "standby" | "any";

export interface AddressedHosts {
  /** In the order in which they are tried. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly encryption: Encryption;
  /** A server of another role is passed over. */
  readonly wantedRole: WantedRole;
  /** For the driver: user, password and database, with one host. */
  readonly url: string | undefined;
  /** For the driver, where there is no address. */
  readonly session: { readonly user: string; readonly database: string } | undefined;
}

const PORT_DEFAULT = 5432;
const ENCRYPTION_MODES: Readonly<Record<string, EncryptionMode>> = {
  disable: "none",
  false: "none",
  allow: "prefer",
  prefer: "prefer",
  require: "require",
  true: "require",
  "verify-ca": "verify-ca",
  "verify-full": "verify-full",
};

/** @throws where the address can't be used; the message repeats no part of it that may be a secret. */
export function hostsOf(address: DatabaseAddress): AddressedHosts {
  if (!("url" in address)) {
    const { host, port, user, database } = address;
    return {
      hosts: [{ host, port }],
      encryption: { mode: "none" },
      wantedRole: "any",
      url: undefined,
      session: { user, database },
    };
  }
  const parts = /^([a-z][a-z0-9+.-]*:\/\/)((?:[^@/?#]*@)?)([^/?#]*)(.*)$/i.exec(address.url);
  if (parts === null) throw new ConfigError(["a database's address must begin with postgres://"]);
  const [, scheme, user, authority = "", rest] = parts;
  const url = new URL(`${scheme}${user}localhost${rest}`);
  const named = takeParameter(url, "host");
  const target = takeParameter(url, "target_session_attrs");
  const portGiven = takeParameter(url, "port");
  if (!isPort(portGiven)) {
    throw new ConfigError([`port in a database's address must be a port, got "${portGiven}"`]);
  }
  const port = Number(portGiven ?? PORT_DEFAULT);
  const given = authority.split(",").map((each) => hostOf(each, port));
  // `?host=/run/postgresql` names a socket or other hosts, as in libpq.
  const hosts = named?.split(",").map((host) => ({ host, port: given[0]?.port ?? port })) ?? given;
  return {
    hosts: hosts as [DatabaseHost, ...DatabaseHost[]],
    wantedRole: address.isReplica ? readReplicaTarget(target) : readTarget(target, hosts.length),
    encryption: takeEncryption(url),
    url: url.href,
    session: undefined,
  };
}

/** Without it, of several hosts the one that can be written to is meant: a gateway writes. */
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
  const mode = Object.hasOwn(ENCRYPTION_MODES, named) ? ENCRYPTION_MODES[named] : undefined;
  if (mode === undefined) {
    throw new ConfigError([
      `sslmode in a database's address must be disable, prefer, require, verify-ca or verify-full, got "${named}"`,
    ]);
  }
  const caFile = takeParameter(url, "sslrootcert");
  if (caFile === undefined || caFile === "system") return { mode };
  // Who names an authority wants it to be looked at. The same in libpq.
  return { mode: mode === "require" ? "verify-ca" : mode, caFile };
}

function takeParameter(url: URL, name: string): string | undefined {
  const value = url.searchParams.get(name) ?? undefined;
  url.searchParams.delete(name);
  return value;
}

/** `name`, `name:port`, `[::1]:port`; nothing is the machine itself. @throws {ConfigError} */
function hostOf(text: string, portDefault: number): DatabaseHost {
  const parts = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(text);
  const [, bracketed, plain, port] = parts ?? [];
  if (parts === null || !isPort(port)) {
    // Not repeated: where a password holds a slash, a part of it stands here.
    throw new ConfigError([
      "a database's address must name its hosts as name, name:port or [IPv6]:port; in a password, / is written %2F",
    ]);
  }
  const host = bracketed || plain || "localhost";
  return { host: decodeURIComponent(host), port: port === undefined ? portDefault : Number(port) };
}

function isPort(text: string | undefined): boolean {
  return (
    text === undefined || (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= PORT_MAX)
  );
}
