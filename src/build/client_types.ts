/**
 * Generates `src/client/generated/api.ts`, the types of the client's bodies, from the gateway's OpenAPI document.
 *
 * Only the schemas that the client uses are kept, without examples. Run by `bun run generate`, which gets the document
 * from a gateway that it starts. A test fails if the generated file is out of date.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import openapiTS, { astToString } from "openapi-typescript";

type Json = { readonly [name: string]: unknown };

/** The parts of the document that are read here. */
export interface Document {
  readonly components: { readonly schemas: Json };
}

const MAIN = join(import.meta.dir, "../main.ts");
const OUTPUT = join(import.meta.dir, "../client/generated/api.ts");
/** Schemas that the client uses. Those that they refer to are added. */
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

/** Generates the text of `api.ts`. */
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
  // The function also takes a parsed document, but its type is from a library that is not a dependency of ours.
  const nodes = await openapiTS(JSON.stringify(cut), { emptyObjectsUnknown: true });
  return (
    HEADER +
    astToString(nodes).replace(/^export type (?:paths|webhooks|operations|\$defs) = .*;\n/gm, "")
  );
}

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/** Starts a gateway in a temporary folder, and returns its document. */
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
