/**
 * A PostgreSQL that listens on TCP, IPv4 and IPv6, with a certificate of its own authority.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { connect } from "../../src/postgres/client/connect.ts";
import { createCluster } from "../../src/postgres/embedded/cluster.ts";
import { findPrograms, makeDataDir, placeSite } from "../../src/postgres/embedded/site.ts";
import { giveToPostgres, startCluster } from "./cluster.ts";
import { temporaryFolder } from "./folders.ts";
import { freePort } from "./free_port.ts";

export interface TlsPostgres {
  readonly port: number;
  /** PEM files: the authority that signed the server's certificate, and an unrelated one. */
  readonly caFile: string;
  readonly otherCaFile: string;
  /** The certificate of the role `certified`, which authenticates only by it. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Sets whether it accepts encrypted connections, starting with the next one. */
  setTls(isOn: boolean): Promise<void>;
  stop(): Promise<void>;
}

/** The addresses that it listens on. The certificate covers all but 127.0.0.2. */
const ADDRESSES = "127.0.0.1,127.0.0.2,::1";
const NAMES = "DNS:localhost,IP:127.0.0.1,IP:::1";
const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
const CERTIFIED = "certified";
const POLL_MS = 10;

/** @throws if openssl is not installed, or IPv6 is not available */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  makeAuthority(file("ca"));
  makeAuthority(file("other"));
  makeAuthority(file("clients"));
  openssl(
    ...["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-subj", "/CN=database"],
    ...["-addext", `subjectAltName=${NAMES}`, "-keyout", file("server.key")],
    ...["-out", file("server.pem")],
  );
  openssl(
    ...["-CA", file("clients.pem"), "-CAkey", file("clients.key"), "-subj", `/CN=${CERTIFIED}`],
    ...["-keyout", file("client.key"), "-out", file("client.pem")],
  );
  const site = placeSite(makeDataDir(file("data")));
  await createCluster(site, await findPrograms(site));
  const rules = join(site.cluster, "pg_hba.conf");
  writeFileSync(rules, `hostssl all ${CERTIFIED} all cert\n${readFileSync(rules, "utf8")}`);
  giveToPostgres(site, folder);
  const port = freePort();
  const settings = [
    `listen_addresses=${ADDRESSES}`,
    `ssl_cert_file=${file("server.pem")}`,
    `ssl_key_file=${file("server.key")}`,
    `ssl_ca_file=${file("clients.pem")}`,
  ];
  const child = await startCluster(site, {
    cluster: site.cluster,
    socketDir: folder,
    port,
    settings,
  });
  return {
    port,
    caFile: file("ca.pem"),
    otherCaFile: file("other.pem"),
    certFile: file("client.pem"),
    keyFile: file("client.key"),
    async setTls(isOn) {
      const url = `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`;
      const sql = connect({ url }, { connectionsMax: 1, statementTimeoutMs: 0 });
      await sql.unsafe(`alter system set ssl = ${isOn ? "on" : "off"}`);
      await sql`select pg_reload_conf()`;
      while ((await sql`show ssl`)[0]?.ssl !== (isOn ? "on" : "off")) await Bun.sleep(POLL_MS);
      await sql.end();
    },
    async stop() {
      child.kill("SIGQUIT");
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

function makeAuthority(path: string): void {
  openssl("-subj", `/CN=${basename(path)}`, "-keyout", `${path}.key`, "-out", `${path}.pem`);
}

function openssl(...args: string[]): void {
  const made = spawnSync("openssl", ["req", "-x509", ...NEW_KEY, ...args]);
  if (made.status !== 0) throw new Error(`openssl: ${made.stderr}`);
}
