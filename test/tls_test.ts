import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstLine, linesOf, operatorOf, spawnFeedgate } from "./operator/support.ts";
import { createTestDatabase } from "./support/database.ts";

const OPENSSL = Bun.which("openssl");
if (OPENSSL === null) console.log("skipped: openssl is not installed, which makes the certificate");

describe.skipIf(OPENSSL === null)("TLS_CERT_FILE and TLS_KEY_FILE", () => {
  let folder: string;
  let environment: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "feedgate-tls-"));
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
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function withGateway(argv: readonly string[], work: (baseUrl: string) => Promise<void>) {
    const child = spawnFeedgate([...argv, "--port", "0", "--json"], environment);
    try {
      await work(JSON.parse(await firstLine(child.stdout)).base_url);
    } finally {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
    }
  }

  for (const argv of [["serve"], ["serve", "--workers", "2"], ["demo"]]) {
    test(`${argv.join(" ")} answers over TLS, with the certificate given, and not without`, () =>
      withGateway(argv, async (baseUrl) => {
        expect(baseUrl).toStartWith("https://127.0.0.1:");
        const ca = Bun.file(environment.TLS_CERT_FILE as string);
        const trusted = await fetch(`${baseUrl}/readyz`, { tls: { ca } });
        expect(trusted.status).toBe(200);
        const untrusted = fetch(`${baseUrl}/readyz`).then(() => "answered");
        expect(await untrusted.catch((error) => error.code)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
        const plain = fetch(`${baseUrl.replace("https:", "http:")}/readyz`).then(() => "answered");
        expect(await plain.catch(() => "closed")).toBe("closed");
      }));
  }

  test("addresses that it gives out are https, and follow no header of the request", () =>
    withGateway(["serve"], async (baseUrl) => {
      const ca = Bun.file(environment.TLS_CERT_FILE as string);
      const headers = { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http" };
      const response = await fetch(`${baseUrl}/v1/catalog`, { tls: { ca }, headers });
      expect(await response.json()).toMatchObject({
        type: expect.stringContaining(`${baseUrl}/docs#`),
      });
    }));

  test("one file without the other, or one that can't be used, is one line and a refused start", async () => {
    const { DATABASE_URL = "", TLS_CERT_FILE = "", TLS_KEY_FILE = "" } = environment;
    const operator = operatorOf(DATABASE_URL);
    const broken = join(folder, "broken.pem");
    writeFileSync(broken, "no certificate");
    const missing = join(folder, "missing.pem");
    const run = (given: Record<string, string>) => operator.run(["serve", "--port", "0"], given);
    const [half, absent, wrong] = await Promise.all([
      run({ TLS_CERT_FILE }),
      run({ TLS_CERT_FILE: missing, TLS_KEY_FILE }),
      run({ TLS_CERT_FILE: broken, TLS_KEY_FILE }),
    ]);
    expect([half.code, linesOf(half.stderr)]).toEqual([
      2,
      ["feedgate: TLS_CERT_FILE and TLS_KEY_FILE must be set both, or neither"],
    ]);
    expect([absent.code, linesOf(absent.stderr)]).toEqual([
      1,
      [`feedgate: ${missing} can't be read (ENOENT): check path and mode`],
    ]);
    expect([wrong.code, linesOf(wrong.stderr)]).toEqual([
      1,
      [expect.stringContaining("TLS_CERT_FILE and TLS_KEY_FILE can't be used")],
    ]);
  });
});
