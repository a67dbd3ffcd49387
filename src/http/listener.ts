/**
 * Prepares a listener: its address on this machine, its port, its certificate.
 *
 * @module
 */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { lookup } from "node:dns/promises";
import { createSecureContext } from "node:tls";
import { type Config, ConfigError, type TlsFiles } from "../config.ts";
import { present } from "../lib/assert.ts";
import { codeOf, messageOf } from "../lib/error_fields.ts";

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

/** A listener's address, and the settings that define it. */
export interface Address {
  readonly host: string;
  readonly port: number;
  readonly settings: { readonly host: string; readonly port: string };
}

/** The address for clients. */
export function publicAddress({ host, port }: Pick<Config, "host" | "port">): Address {
  return { host, port, settings: { host: "HOST", port: "PORT or --port" } };
}

/** The address for the operator, if it has its own listener. */
export function adminAddress({ admin }: Pick<Config, "admin">): Address | undefined {
  const settings = { host: "FEEDGATE_ADMIN_HOST", port: "FEEDGATE_ADMIN_PORT" };
  return admin && { ...admin, settings };
}

/** The status of a listener that is about to be closed. */
const UNAVAILABLE = 503;
/** The machine does not have the address yet, or no name server answers. */
const MAY_PASS: ReadonlySet<string> = new Set(["EADDRNOTAVAIL", "EAI_AGAIN"]);
const NO_ADDRESS_OF_OURS: ReadonlySet<string> = new Set([
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
  "EINVAL",
]);

/**
 * Resolves the host name, because a listener's error does not mention an unknown name. @throws if there is no such host
 */
export async function requireHost({ host, settings }: Address): Promise<void> {
  await lookup(host.replace(/^\[(.*)\]$/, "$1")).catch(({ code }: { code?: string }) => {
    throw foreignHost(settings, host, code);
  });
}

/**
 * Calls `listen`. @throws if the port is taken or needs privileges, or if the host is not an address of this machine.
 */
export function listenOn<Listener>(
  { host, port, settings }: Address,
  listen: () => Listener,
): Listener {
  try {
    return listen();
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (code === "EADDRINUSE") {
      throw new Error(
        `port ${port} on ${host} is in use: stop what listens there, or choose another with ${settings.port}`,
      );
    }
    if (code === "EACCES" || code === "EPERM") {
      throw new Error(
        `this account may not listen on port ${port}: choose port 1024 or higher with ${settings.port} and put a proxy in front, or grant the capability (CAP_NET_BIND_SERVICE on Linux)`,
      );
    }
    throw NO_ADDRESS_OF_OURS.has(code) ? foreignHost(settings, host, code) : error;
  }
}

/**
 * Takes a port without sharing it, then gives it back. Listeners that share their port would not notice that another
 * gateway uses it. Resolves with the port. @throws as `listenOn`
 */
export async function requireFreePort(address: Address): Promise<number> {
  const alone = listenOn(address, () =>
    Bun.serve({
      port: address.port,
      hostname: address.host,
      reusePort: false,
      fetch: () => new Response(null, { status: UNAVAILABLE }),
    }),
  );
  // Before the listener stops, because it has no port then.
  const port = present(alone.port);
  await alone.stop(true);
  return port;
}

/**
 * A supervisor does not restart the gateway after a `ConfigError`. So a failure that may pass is another error: a
 * floating address may be assigned to the machine later.
 */
function foreignHost({ host: name }: Address["settings"], host: string, code = "unknown"): Error {
  const message = `${name} must be an address of this machine, got "${host}" (${code})`;
  return MAY_PASS.has(code) ? new Error(message) : new ConfigError([message]);
}

/** @throws {ConfigError} if a file can't be read or used. */
export async function readTls({ certFile, keyFile }: TlsFiles): Promise<Tls> {
  const [cert, key] = await Promise.all([
    readPem("TLS_CERT_FILE", certFile),
    readPem("TLS_KEY_FILE", keyFile),
  ]);
  try {
    createSecureContext({ cert, key });
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
      throw new Error("the key does not match the certificate");
    }
  } catch (error) {
    const reason = messageOf(error);
    throw new ConfigError([
      `TLS_CERT_FILE and TLS_KEY_FILE can't be used (${reason}): both must be PEM files`,
    ]);
  }
  return { cert, key };
}

async function readPem(variable: string, path: string): Promise<string> {
  try {
    const text = await Bun.file(path).text();
    if (/^-----BEGIN /m.test(text)) return text;
  } catch (error) {
    throw new ConfigError([
      `${variable}: ${path} can't be read (${codeOf(error)}): check path and mode`,
    ]);
  }
  throw new ConfigError([`${variable}: ${path} is not a PEM file`]);
}
