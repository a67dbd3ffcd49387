/**
 * A local host that serves clients' metadata documents over HTTPS, as third parties would.
 *
 * @module
 */

export interface DocumentHost {
  /** `https://localhost:PORT` */
  readonly origin: string;
  /** The certificate as PEM, valid for localhost, 127.0.0.1, and agent.test until 2126. */
  readonly certificate: string;
  /** Requests received so far: path and headers. */
  readonly asked: { readonly path: string; readonly headers: Headers }[];
  /** Serves a document at a path, in place of the previous one. */
  serve(path: string, answer: () => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

/** Not a secret, because only these tests serve with this key. */
const fileOf = (name: string) =>
  Bun.file(new URL(`../fixtures/document_host/${name}.pem`, import.meta.url)).text();

export async function startDocumentHost(): Promise<DocumentHost> {
  const [key, certificate] = await Promise.all([fileOf("key"), fileOf("certificate")]);
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
