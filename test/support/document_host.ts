/**
 * A host on the machine itself that serves what strangers may serve under HTTPS: clients' metadata documents.
 *
 * @module
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DocumentHost {
  /** `https://localhost:PORT` */
  readonly origin: string;
  /** In PEM; good for localhost, 127.0.0.1, and agent.test. */
  readonly certificate: string;
  /** Requests that have come: path and headers. */
  readonly asked: { readonly path: string; readonly headers: Headers }[];
  /** Removes what was served under a path, or serves it. */
  serve(path: string, answer: () => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

export async function startDocumentHost(): Promise<DocumentHost> {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-documents-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = Bun.spawnSync([
    ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
    ...["-nodes", "-keyout", keyFile, "-out", certFile, "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost,DNS:agent.test,IP:127.0.0.1"],
  ]);
  if (!made.success) throw new Error(`openssl: ${made.stderr.toString()}`);
  const [key, certificate] = [readFileSync(keyFile, "utf8"), readFileSync(certFile, "utf8")];
  rmSync(folder, { recursive: true, force: true });
  const answers = new Map<string, () => Response | Promise<Response>>();
  const asked: { path: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key, cert: certificate },
    fetch({ url, headers }) {
      const { pathname: path } = new URL(url);
      asked.push({ path, headers });
      return answers.get(path)?.() ?? new Response("nothing", { status: 404 });
    },
  });
  return {
    origin: `https://localhost:${server.port}`,
    certificate,
    asked,
    serve: (path, answer) => void answers.set(path, answer),
    stop: () => server.stop(true),
  };
}
