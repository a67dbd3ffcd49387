import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { ConfigError, readConfig } from "../../../../src/config.ts";
import { createLog } from "../../../../src/lib/log.ts";
import { hostsOf } from "../../../../src/postgres/client/address.ts";
import { connect } from "../../../../src/postgres/client/connect.ts";
import { startGateway } from "../../../../src/server.ts";
import { startTlsPostgres, type TlsPostgres } from "../../../support/tls_postgres.ts";

const OPENSSL = Bun.which("openssl");
if (OPENSSL === null) console.log("skipped: openssl is not installed, which makes the certificate");

describe.skipIf(OPENSSL === null)("sslmode in DATABASE_URL", () => {
  let server: TlsPostgres;
  beforeAll(async () => {
    server = await startTlsPostgres();
    await server.setTls(true);
  });
  afterAll(() => server.stop());

  /** Whether the connection is encrypted, and to which address; or why there is none. */
  async function reach(host: string, query: Record<string, string>, before = "") {
    const parameters = new URLSearchParams(query);
    const url = `postgres://postgres@${before}${host}:${server.port}/postgres?${parameters}`;
    const sql = connect({ url }, { connectionsMax: 1 });
    try {
      const [row] = await sql`
        select ssl, host(inet_server_addr()) as address
        from pg_stat_ssl where pid = pg_backend_pid()`;
      return { isEncrypted: row?.ssl, address: row?.address };
    } catch (error) {
      return (error as { code?: string }).code ?? (error as Error).message;
    } finally {
      await sql.end({ timeout: 0 });
    }
  }
  const full = () => ({ sslmode: "verify-full", sslrootcert: server.caFile });

  test("without sslmode nothing is encrypted; prefer and require encrypt and take any certificate", async () => {
    const address = "127.0.0.1";
    expect(await reach(address, {})).toEqual({ isEncrypted: false, address });
    expect(await reach(address, { sslmode: "disable" })).toEqual({ isEncrypted: false, address });
    expect(await reach(address, { sslmode: "prefer" })).toEqual({ isEncrypted: true, address });
    expect(await reach(address, { sslmode: "require" })).toEqual({ isEncrypted: true, address });
  });

  test("verify-full takes a certificate of the given authority that names the host, by name, IPv4 or IPv6", async () => {
    expect(await reach("localhost", full())).toMatchObject({ isEncrypted: true });
    for (const [host, address] of [
      ["127.0.0.1", "127.0.0.1"],
      ["[::1]", "::1"],
    ] as const) {
      expect(await reach(host, full())).toEqual({ isEncrypted: true, address });
    }
  });

  test("verify-full refuses another host's certificate, and one of an unknown authority", async () => {
    expect(await reach("127.0.0.2", full())).toBe("ERR_TLS_CERT_ALTNAME_INVALID");
    const unknown = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(await reach(host, { ...full(), sslrootcert: server.otherCaFile })).toBe(unknown);
      expect(await reach(host, { sslmode: "verify-full" })).toBe(unknown);
    }
  });

  test("verify-ca, and require with an authority, check the signature and not the name", async () => {
    for (const sslmode of ["verify-ca", "require"]) {
      const given = { sslmode, sslrootcert: server.caFile };
      expect(await reach("127.0.0.2", given)).toMatchObject({ isEncrypted: true });
      const other = { sslmode, sslrootcert: server.otherCaFile };
      expect(await reach("127.0.0.2", other)).toBe("UNABLE_TO_VERIFY_LEAF_SIGNATURE");
    }
  });

  test("sslcert and sslkey prove who the client is, also of an encrypted connection that checks the server", async () => {
    const owner = connect(
      { url: `postgres://postgres@localhost:${server.port}/postgres?sslmode=require` },
      { connectionsMax: 1 },
    );
    await owner`create role certified login`;
    await owner.end();
    const userOf = async (query: Record<string, string>) => {
      const parameters = new URLSearchParams({ ...full(), ...query });
      const url = `postgres://certified@localhost:${server.port}/postgres?${parameters}`;
      const sql = connect({ url }, { connectionsMax: 1 });
      const user = sql`select current_user as name`.then(([row]) => row?.name);
      return user.catch((error) => error.code).finally(() => sql.end({ timeout: 0 }));
    };
    expect(await userOf({ sslcert: server.certFile, sslkey: server.keyFile })).toBe("certified");
    expect(await userOf({})).toBe("28000");
  });

  test("require refuses a server without encryption, and prefer takes it", async () => {
    await server.setTls(false);
    expect(await reach("127.0.0.1", { sslmode: "require" })).toBe("ECONNREFUSED");
    expect(await reach("127.0.0.1", full())).toBe("ECONNREFUSED");
    expect(await reach("127.0.0.1", { sslmode: "prefer" })).toMatchObject({ isEncrypted: false });
    await server.setTls(true);
  });

  test("a server that sends more than its consent to encryption is refused", async () => {
    const liar = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write("SN"));
    });
    await new Promise<void>((resolve) => liar.listen(0, "127.0.0.1", resolve));
    const { port } = liar.address() as AddressInfo;
    const sql = connect(
      { url: `postgres://u@127.0.0.1:${port}/d?sslmode=require` },
      { connectionsMax: 1, connectTimeoutMs: 500 },
    );
    const reason = await sql`select 1`.catch((error) => error as Error);
    expect(String(reason)).toContain("before encryption was established");
    await sql.end({ timeout: 0 });
    liar.close();
  });

  test("of several hosts with ports of their own, also IPv6 ones, the one that answers is used", async () => {
    const dead = "[::1]:1,127.0.0.1:1,";
    expect(await reach("[::1]", full(), dead)).toEqual({ isEncrypted: true, address: "::1" });
    const mixed = "127.0.0.1:1,[::1]:1,";
    expect(await reach("127.0.0.1", {}, mixed)).toMatchObject({ address: "127.0.0.1" });
  });

  test("a gateway serves from a database that it verifies, over IPv6", async () => {
    const query = new URLSearchParams(full());
    const url = `postgres://postgres@[::1]:1,[::1]:${server.port}/postgres?${query}`;
    const gateway = await startGateway(
      readConfig({ PORT: "0", DATABASE_URL: url }),
      createLog({ level: "silent" }),
    );
    expect((await fetch(`${gateway.baseUrl}/readyz`)).status).toBe(200);
    const sql = connect({ url }, { connectionsMax: 1 });
    const [row] = await sql`
      select bool_and(ssl) as encrypted from pg_stat_ssl
      join pg_stat_activity using (pid) where application_name = 'feedgate'`;
    expect(row?.encrypted).toBe(true);
    await sql.end();
    await gateway.stop();
  });
});

describe("hostsOf", () => {
  test("hostsOf reads IPv6 addresses among several hosts, with and without a port", () => {
    const { hosts } = hostsOf({
      url: "postgres://u:p@[::1]:5433,[fe80::2],db.example:6432,10.0.0.1/d",
    });
    expect(hosts).toEqual([
      { host: "::1", port: 5433 },
      { host: "fe80::2", port: 5432 },
      { host: "db.example", port: 6432 },
      { host: "10.0.0.1", port: 5432 },
    ]);
  });

  test("hostsOf refuses a host or a port that it can't read", () => {
    for (const hosts of ["db1:5432,db2:abc", "db1,::1", "db1:70000,db2", "db1:0"]) {
      expect(() => hostsOf({ url: `postgres://u:p@${hosts}/d` })).toThrow(ConfigError);
    }
    expect(() => hostsOf({ url: "postgres://u:p@h/d?port=abc" })).toThrow(ConfigError);
    expect(() => hostsOf({ url: "postgres://u:secret/rest@a,b/d" })).toThrow(
      /^a database's address must list its hosts as (?!.*secret)/,
    );
  });

  test("an unknown sslmode, and an unreadable file of authorities, are each reported in one line", () => {
    const at = (query: string) => () => connect({ url: `postgres://u@h/d?${query}` });
    expect(at("sslmode=on")).toThrow(
      'sslmode in a database\'s address must be disable, prefer, require, verify-ca or verify-full, got "on"',
    );
    expect(at("sslmode=verify-full&sslrootcert=/nowhere.pem")).toThrow(
      "sslrootcert names /nowhere.pem, which can't be read (ENOENT)",
    );
    expect(at("sslmode=require&sslcert=/nowhere.pem&sslkey=/nowhere.key")).toThrow(
      "sslcert names /nowhere.pem, which can't be read (ENOENT)",
    );
    expect(at("sslmode=require&sslcert=/nowhere.pem")).toThrow(
      "a database's address must set both sslcert and sslkey, or neither",
    );
    expect(at("sslmode=require&sslcert=&sslkey=")).not.toThrow();
  });
});
