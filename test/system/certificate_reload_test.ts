import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { runFeedgate } from "../cli/support.ts";
import { makeCertificate, openTls, servedSerial } from "../support/certificates.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { waitFor } from "../support/processes.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const OPENSSL = Bun.which("openssl");
if (OPENSSL === null) console.log("skipped: openssl is not installed, which makes certificates");

/** Until the old listener is closed, and some more. */
const REPLACEMENT_MS = 17_000;
const READERS = 6;
/** Fewer than the limit of an account in a minute. */
const READS_PER_KEY = 50;

let gateway: TestGateway;
let feed: SeededFeed;

beforeAll(async () => {
  gateway = await startTestGateway();
  const provider = await gateway.createAccount();
  feed = await seedFeed(gateway, provider, {
    type: "collection",
    rows: [{ id: "a" }],
    callPriceNanos: 1_000,
  });
});
afterAll(() => gateway.stop());

/** A pair of files in a folder, and its serial number. */
function makePair(folder: string, name: string): string {
  return makeCertificate({ key: join(folder, `${name}.key`), cert: join(folder, `${name}.crt`) });
}

/** Sends a request on an open connection. Resolves with the head of its answer. */
function ask(socket: TLSSocket, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once("data", (data) => resolve(`${data}`.split("\r\n\r\n")[0] ?? ""));
    socket.once("close", () => reject(new Error("closed")));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
}

async function newKey(): Promise<string> {
  return gateway.createKey(await gateway.createAccount({ credits: 10_000 }), "read");
}

/** Reads until `isOver`: every other reader on one connection, the others on a new one each time. */
function startReaders(baseUrl: string, isOver: () => boolean) {
  const failures: string[] = [];
  let reads = 0;
  const readers = Array.from({ length: READERS }, async (_, reader) => {
    const keepalive = reader % 2 === 0;
    let key = "";
    for (let count = 0; !isOver(); count++) {
      if (count % READS_PER_KEY === 0) key = await newKey();
      const read = fetch(`${baseUrl}/v1/feed/${feed.feedId}`, {
        headers: { "x-api-key": key, ...(!keepalive && { Connection: "close" }) },
        keepalive,
        tls: { rejectUnauthorized: false },
      });
      const outcome = await read.then(
        (response) => response.text().then(() => response.status),
        (error) => error.code,
      );
      reads += 1;
      if (outcome !== 200) failures.push(`${outcome}`);
      await Bun.sleep(5);
    }
  });
  const ended = Promise.all(readers).then(() => ({ reads, failures }));
  return { ended, count: () => reads };
}

/** The lines that a gateway has logged so far. */
function collectLog({ child }: ServedGateway): () => string {
  let text = "";
  const decoder = new TextDecoder();
  (async () => {
    for await (const piece of child.stderr) text += decoder.decode(piece, { stream: true });
  })();
  return () => text;
}

describe.skipIf(OPENSSL === null)("SIGHUP", () => {
  for (const options of [[], ["--workers", "2"]]) {
    const words = ["serve", ...options];

    test(`${words.join(" ")} takes the new certificate under load, and no read fails; an unusable one changes nothing`, async () => {
      const folder = temporaryFolder();
      const serials = ["first", "second"].map((name) => makePair(folder, name));
      const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
      const use = (name: string) => {
        copyFileSync(join(folder, `${name}.crt`), cert);
        copyFileSync(join(folder, `${name}.key`), key);
      };
      use("first");
      const served = await serveGateway(words, {
        DATABASE_URL: gateway.databaseUrl,
        LOG_LEVEL: "info",
        FEEDGATE_LOG_REQUESTS: "none",
        TLS_CERT_FILE: cert,
        TLS_KEY_FILE: key,
      });
      const logged = collectLog(served);
      const { baseUrl } = served;
      expect(await servedSerial(baseUrl)).toBe(serials[0] as string);
      // Both of these connections are older than the new certificate.
      const [waiting, used] = [await openTls(baseUrl), await openTls(baseUrl)];
      expect(await ask(used, "/healthz")).not.toMatch(/^connection: close/im);

      let isOver = false;
      // Also if an expectation fails.
      onTestFinished(() => {
        isOver = true;
      });
      const readers = startReaders(baseUrl, () => isOver);
      expect(await waitFor(() => readers.count() > 50, 20_000)).toBe(true);
      use("second");
      served.child.kill("SIGHUP");
      expect(await waitFor(() => logged().includes("certificate replaced"), 10_000)).toBe(true);
      const shown = await Promise.all(Array.from({ length: 20 }, () => servedSerial(baseUrl)));
      expect(new Set(shown)).toEqual(new Set([serials[1] as string]));
      expect(await ask(used, "/healthz")).toMatch(/^connection: close/im);
      await Bun.sleep(REPLACEMENT_MS);
      isOver = true;
      const { reads, failures } = await readers.ended;
      expect(failures).toEqual([]);
      expect(reads).toBeGreaterThan(200);
      waiting.destroy();
      used.destroy();

      // Neither a key of another certificate nor a broken file is used.
      const broken = () => logged().split("certificate not replaced").length - 1;
      copyFileSync(join(folder, "first.key"), key);
      served.child.kill("SIGHUP");
      expect(await waitFor(() => broken() === 1, 10_000)).toBe(true);
      writeFileSync(cert, "no certificate");
      served.child.kill("SIGHUP");
      expect(await waitFor(() => broken() === 2, 10_000)).toBe(true);
      expect(logged()).toContain(`TLS_CERT_FILE: ${cert} is not a PEM file`);
      expect(await servedSerial(baseUrl)).toBe(serials[1] as string);
      await served.stop();
    });

    test(`${words.join(" ")} without TLS logs a line, and serves on`, async () => {
      const served = await serveGateway(words, {
        DATABASE_URL: gateway.databaseUrl,
        LOG_LEVEL: "info",
      });
      const logged = collectLog(served);
      served.child.kill("SIGHUP");
      expect(await waitFor(() => logged().includes("nothing to reload"), 10_000)).toBe(true);
      expect((await fetch(`${served.baseUrl}/healthz`)).status).toBe(200);
      await served.stop();
    });
  }

  test("a second gateway on the port of one with a certificate is refused", async () => {
    const folder = temporaryFolder();
    makePair(folder, "tls");
    const environment = {
      DATABASE_URL: gateway.databaseUrl,
      TLS_CERT_FILE: join(folder, "tls.crt"),
      TLS_KEY_FILE: join(folder, "tls.key"),
    };
    const served = await serveGateway(["serve"], environment);
    const { port } = new URL(served.baseUrl);
    const { code, stderr } = await runFeedgate(["serve", "--port", port], environment);
    expect(code).toBe(1);
    expect(stderr).toContain("is in use: stop what listens there");
    await served.stop();
  });
});
