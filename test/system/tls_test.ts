import { beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { startGateway } from "../../src/server.ts";
import { linesOf, operatorOf } from "../cli/support.ts";
import { createTestDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folders.ts";
import { serveGateway } from "../support/served_gateway.ts";

const OPENSSL = Bun.which("openssl");
if (OPENSSL === null) console.log("skipped: openssl is not installed, which makes the certificate");

describe.skipIf(OPENSSL === null)("TLS_CERT_FILE and TLS_KEY_FILE", () => {
  let folder: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = temporaryFolder();
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const made = Bun.spawnSync([
      ...[
        OPENSSL as string,
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
      ],
      ...["-nodes", "-days", "1", "-subj", "/CN=localhost", "-keyout", key, "-out", cert],
      ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ]);
    expect(made.exitCode).toBe(0);
    const { url } = await createTestDatabase();
    environment = {
      DATABASE_URL: url,
      FEEDGATE_DATA_DIR: folder,
      TLS_CERT_FILE: cert,
      TLS_KEY_FILE: key,
    };
  });
  async function withGateway(argv: readonly string[], work: (baseUrl: string) => Promise<void>) {
    const served = await serveGateway(argv, environment);
    await work(served.baseUrl).finally(served.stop);
  }

  for (const argv of [["serve"], ["serve", "--workers", "2"], ["demo"]]) {
    test(`${argv.join(" ")} answers over TLS, with the certificate given, and not without; its addresses are https`, () =>
      withGateway(argv, async (baseUrl) => {
        expect(baseUrl).toStartWith("https://127.0.0.1:");
        const ca = Bun.file(environment.TLS_CERT_FILE as string);
        const trusted = await fetch(`${baseUrl}/readyz`, { tls: { ca } });
        expect(trusted.status).toBe(200);
        const untrusted = fetch(`${baseUrl}/readyz`).then(() => "answered");
        expect(await untrusted.catch((error) => error.code)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
        const plain = fetch(`${baseUrl.replace("https:", "http:")}/readyz`).then(() => "answered");
        expect(await plain.catch(() => "closed")).toBe("closed");
        // Addresses that it gives out are https, and follow no header of the request.
        const headers = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" };
        const refused = await fetch(`${baseUrl}/v1/catalog`, { tls: { ca }, headers });
        expect(await refused.json()).toMatchObject({
          type: expect.stringContaining(`${baseUrl}/docs#`),
        });
      }));
  }

  test("one TLS file without the other, or one that can't be used, refuses the start with one line", async () => {
    const { DATABASE_URL = "", TLS_CERT_FILE = "", TLS_KEY_FILE = "" } = environment;
    const half = await operatorOf(DATABASE_URL, { opensAnew: true }).run(["migrate"], {
      TLS_CERT_FILE,
    });
    expect([half.code, linesOf(half.stderr)]).toEqual([
      2,
      ["feedgate: set both TLS_CERT_FILE and TLS_KEY_FILE, or neither"],
    ]);
    const start = (certFile: string) =>
      startGateway(
        readConfig({ ...environment, PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE }),
        createLog({ level: "silent" }),
      );
    const missing = join(folder, "missing.pem");
    await expect(start(missing)).rejects.toThrow(
      `TLS_CERT_FILE: ${missing} can't be read (ENOENT): check path and mode`,
    );
    const broken = join(folder, "broken.pem");
    writeFileSync(broken, "no certificate");
    await expect(start(broken)).rejects.toThrow(`TLS_CERT_FILE: ${broken} is not a PEM file`);
    writeFileSync(broken, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    await expect(start(broken)).rejects.toThrow("TLS_CERT_FILE and TLS_KEY_FILE can't be used");
  });
});
