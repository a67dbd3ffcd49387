import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import createClient from "openapi-fetch";
import openapiTS, { astToString } from "openapi-typescript";
import { loadContract, type OpenApi } from "../support/contract.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const MODULES = Bun.fileURLToPath(new URL("../../node_modules/", import.meta.url));

let gateway: TestGateway;
let document: OpenApi;
let folder: string;
let file: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  document = (await loadContract(gateway.baseUrl)).document;
  folder = temporaryFolder();
  file = join(folder, "openapi.json");
  await Bun.write(file, JSON.stringify(document, null, 2));
});
afterAll(() => gateway.stop());

/** Runs a tool of a package under Bun, without a word to the outside. */
async function run(command: readonly string[]) {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

/** Checks the types of a file in the folder, and of all that it imports. */
function compile(path: string) {
  const tsc = join(MODULES, "typescript-7/bin/tsc");
  const options = "--noEmit --strict --skipLibCheck --allowImportingTsExtensions".split(" ");
  const target = "--target esnext --module preserve --moduleResolution bundler".split(" ");
  return run([tsc, ...options, ...target, join(folder, path)]);
}

describe("OpenAPI document, read by others' tools", () => {
  test("the OpenAPI document meets Redocly's recommended rules without a warning", async () => {
    const cli = join(MODULES, "@redocly/cli/bin/cli.js");
    const { code, out, err } = await run([cli, "lint", file, "--extends", "recommended"]);
    expect({ code, hasProblems: /\d+ (error|warning)/.test(out + err), out }).toEqual({
      code: 0,
      hasProblems: false,
      out,
    });
  });

  test("the OpenAPI document meets Spectral's rules without a warning", async () => {
    // Four fifths of its time, for what `openapi_test.ts` tests in a second.
    const left = "oas3-valid-media-example: off";
    await Bun.write(join(folder, "ruleset.yaml"), `extends: ["spectral:oas"]\nrules:\n  ${left}\n`);
    const cli = join(MODULES, "@stoplight/spectral-cli/dist/index.js");
    const ruleset = join(folder, "ruleset.yaml");
    const { code, out } = await run([cli, "lint", file, "-r", ruleset, "-F", "hint", "--verbose"]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining("No results") });
  });

  test("a client generated from the OpenAPI document reads a feed, with types that hold", async () => {
    const types = astToString(await openapiTS(structuredClone(document) as never));
    await Bun.write(join(folder, "api.ts"), types);
    await Bun.write(
      join(folder, "use.ts"),
      `import createClient from "${MODULES}openapi-fetch";
import type { paths } from "./api.ts";
const client = createClient<paths>({ baseUrl: "" });
const { data, error } = await client.GET("/v1/feed/{id}", {
  params: { path: { id: "x" }, query: { limit: 2, filters: { place: "eq.Chile" } } },
  headers: { "x-api-key": "k" },
});
export const cursor: string | null | undefined = data?.next_cursor;
export const usage: string | undefined = data?._origin.usage_id;
export const code: "FEED_NOT_FOUND" | string | undefined = error?.code;
// @ts-expect-error limit is an integer
void client.GET("/v1/catalog", { params: { query: { limit: "two" } } });
`,
    );
    expect(await compile("use.ts")).toEqual({ code: 0, out: "", err: "" });

    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
    const feed = await seedFeed(gateway, await gateway.createAccount(), {
      type: "collection",
      rows,
    });
    const client = createClient<Record<string, never>>({ baseUrl: gateway.baseUrl });
    const { data, response } = await (client.GET as CallableFunction)("/v1/feed/{id}", {
      params: { path: { id: feed.slug }, query: { limit: 2 } },
      headers: { "x-api-key": key },
    });
    expect(response.status).toBe(200);
    expect(data).toMatchObject({ data: rows.slice(0, 2), limit: 2, has_more: true });
    const filtered = await (client.GET as CallableFunction)("/v1/feed/{id}", {
      params: { path: { id: feed.slug }, query: { filters: { id: "eq.3" } } },
      headers: { "x-api-key": key },
    });
    expect(filtered.data).toMatchObject({ data: rows.slice(2), has_more: false });
  });

  test("a client with a function for each route, by another generator, compiles and reads a feed", async () => {
    const cli = join(MODULES, "@hey-api/openapi-ts/bin/run.js");
    const made = await run([cli, "-i", file, "-o", join(folder, "sdk"), "--no-log-file"]);
    expect(made).toMatchObject({ code: 0, err: "" });
    await Bun.write(
      join(folder, "use_sdk.ts"),
      `import { type EditJudgement, readFeed } from "./sdk/index.ts";
export const read = async (baseUrl: string, id: string, key: string) => {
  const headers = { "x-api-key": key };
  const { data, error } = await readFeed({ baseUrl, path: { id }, query: { limit: 2 }, headers });
  return data?.data ?? error?.code;
};
export const judged: EditJudgement["refused_with"][] = [null, "SCHEMA_BREAKING"];
// @ts-expect-error limit is an integer
void (() => readFeed({ path: { id: "x" }, query: { limit: "two" } }));
`,
    );
    expect(await compile("use_sdk.ts")).toEqual({ code: 0, out: "", err: "" });
    const { read } = await import(join(folder, "use_sdk.ts"));
    const key = await gateway.createKey(await gateway.createAccount(), "read");
    const { slug } = await seedFeed(gateway, await gateway.createAccount(), {
      type: "collection",
      rows: [{ id: 1 }, { id: 2 }, { id: 3 }],
    });
    expect(await read(gateway.baseUrl, slug, key)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(await read(gateway.baseUrl, "none", key)).toBe("FEED_NOT_FOUND");
  });
});
