/**
 * Writes `src/client/generated/api.ts`: the types of the client's bodies, made of the OpenAPI document that a gateway serves.
 *
 * The document is cut to what the client uses, without its examples. Run by `bun run generate`, which starts a gateway
 * for it. A test fails while its output is stale.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

type Json = { readonly [name: string]: unknown };

/** As far as it is read here. */
export interface Document {
  readonly components: { readonly schemas: Json };
}

const MAIN = join(import.meta.dir, "../main.ts");
const OUTPUT = join(import.meta.dir, "../client/generated/api.ts");
/** What the client takes and gives; what these name comes along. */
const ROOTS = [
  "AccessRequest",
  "AccessRequests",
  "Account",
  "Bought",
  "Catalog",
  "CreateFeed",
  "CreatedWebhook",
  "EditFeed",
  "FeedMetadata",
  "FeedReader",
  "FeedReaders",
  "OwnFeeds",
  "Problem",
  "Purchases",
  "PushResult",
  "ReaderInvitation",
  "ReaderInvitations",
  "ResentDelivery",
  "RotatedWebhook",
  "SearchResults",
  "TestedWebhook",
  "Usage",
  "WebhookDeliveries",
  "Webhooks",
  "WrittenFeed",
];

const HEADER = `/**
 * Bodies of the gateway's API, generated from its OpenAPI document by bun run generate. Do not edit.
 *
 * @module
 */
`;

/** The text of `api.ts`. */
export async function clientTypesText({ components: { schemas } }: Document): Promise<string> {
  const kept = new Map<string, unknown>();
  const add = (name: string) => {
    if (kept.has(name)) return;
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`the document has no schema ${name}`);
    kept.set(name, schema);
    for (const [, other = ""] of JSON.stringify(schema).matchAll(REFERENCE)) add(other);
  };
  for (const name of ROOTS) add(name);
  const cut = {
    openapi: "3.1.0",
    info: { title: "Feedgate", version: "1" },
    paths: {},
    components: { schemas: Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1))) },
  };
  // A parsed document is what the function takes; its type of one is that of a library which we don't have.
  const nodes = await openapiTS(JSON.stringify(cut), { emptyObjectsUnknown: true });
  return (
    HEADER +
    astToString(nodes).replace(/^export type (?:paths|webhooks|operations|\$defs) = .*;\n/gm, "")
  );
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** The document of a gateway that is started for it, in a folder that goes. */
async function readDocument(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-types-"));
  const gateway = Bun.spawn([process.execPath, MAIN, "serve", "--port", "0", "--json"], {
    env: { PATH: process.env.PATH, FEEDGATE_DATA_DIR: join(folder, "data"), LOG_LEVEL: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const lines = gateway.stdout.pipeThrough(new TextDecoderStream()).getReader();
    let announced = "";
    while (!announced.includes("\n")) {
      const { done, value } = await lines.read();
      if (done) throw new Error("the gateway did not start");
      announced += value;
    }
    const response = await fetch(`${JSON.parse(announced).base_url}/openapi.json`);
    return (await response.json()) as Document;
  } finally {
    gateway.kill("SIGTERM");
    await gateway.exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await Bun.write(OUTPUT, await clientTypesText(await readDocument()));
