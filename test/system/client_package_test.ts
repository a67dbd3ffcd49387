import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { buildClient } from "../../src/build/client_package.ts";
import { hasBrowser, launchBrowser } from "../support/browser.ts";
import { temporaryFolder } from "../support/folders.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

const MODULES = Bun.fileURLToPath(new URL("../../node_modules/", import.meta.url));
const NODE = Bun.which("node");
const NPM = Bun.which("npm");
const DENO = Bun.which("deno");

/** Whatever a project of another does first. */
const PROGRAM = `import { Feedgate, FeedNotFoundError } from "feedgate/client";

interface Price { readonly id: number; readonly usd: number }
export async function main(url: string, key: string, write: string, slug: string): Promise<string> {
  const feedgate = new Feedgate<Price>({ url, key });
  const ids: number[] = [];
  for await (const row of feedgate.rows(slug, { limit: 2 })) ids.push(row.id);
  const missing = await feedgate.describe("none").catch((error: unknown) => error);
  if (!(missing instanceof FeedNotFoundError)) throw missing;
  const { receipt } = await new Feedgate({ url, key: write }).push(\`\${slug}-stream\`, [{ id: 1 }]);
  const followed: string[] = [];
  const events = new Feedgate({ url, key, parseRow: (text) => text }).follow(\`\${slug}-stream\`);
  for await (const page of events) {
    followed.push(...page.rows);
    if (page.isUpToDate) break;
  }
  const live = feedgate.follow(\`\${slug}-stream\`, { offset: "now", signal: AbortSignal.timeout(300) });
  const reason = await live.next().catch((error: unknown) => (error as Error).name);
  const { balance } = await feedgate.account();
  const status: "draft" | "inactive" | "active" | undefined = receipt?.status;
  return JSON.stringify([ids, missing.code, status, followed.length, reason, balance.credits]);
}
`;
const EXPECTED = '[[1,2,3],"FEED_NOT_FOUND","active",1,"TimeoutError",0]';

let gateway: TestGateway;
let built: string;
let project: string;
/** Of the program: address, read key, write key, slug. */
let input: readonly string[];

/** Serves the project to pages. */
const site = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch({ url }) {
    const { pathname } = new URL(url);
    if (pathname === "/") return new Response(PAGE, { headers: { "Content-Type": "text/html" } });
    if (!pathname.endsWith(".js")) return new Response(null, { status: 404 });
    return new Response(Bun.file(join(project, pathname)));
  },
});
const PAGE = `<!doctype html><title>Client</title>
<script type="importmap">{"imports":{"feedgate/client":"/node_modules/feedgate/mod.js"}}</script>`;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_CORS_ORIGINS: site.url.origin });
  const owner = await gateway.createAccount();
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }];
  const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
  const write = await gateway.createKey(owner, "write");
  const read = await gateway.createKey(await gateway.createAccount(), "read");
  const stream = { name: "S", endpoint_path: `${slug}-stream`, feed_type: "stream" };
  expect((await gateway.send("POST", "/v1/provider/feed/create", write, stream)).status).toBe(201);
  input = [gateway.baseUrl, read, write, slug];
  built = await buildClient(join(temporaryFolder(), "client"));
  project = temporaryFolder();
});
afterAll(async () => {
  await site.stop(true);
  await gateway.stop();
});

async function run(command: readonly string[], cwd: string) {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, out, err };
}

describe("the client's package", () => {
  test("packs, installs in an empty project, and type-checks there", async () => {
    const [pack, add] =
      NPM === null
        ? [
            [process.execPath, "pm", "pack", "--destination", project],
            [process.execPath, "add"],
          ]
        : [
            [NPM, "pack", "--silent", "--pack-destination", project],
            [NPM, "install", "--silent", "--offline", "--no-audit", "--no-fund"],
          ];
    const packed = await run(pack, built);
    expect(packed.code).toBe(0);
    const [archive = ""] = new Bun.Glob("*.tgz").scanSync(project);
    await Bun.write(join(project, "package.json"), '{"name":"empty","type":"module"}');
    const added = await run([...add, `./${archive}`], project);
    expect({ code: added.code, err: added.err }).toMatchObject({ code: 0 });
    await Bun.write(join(project, "main.ts"), PROGRAM);
    const start = `import { main } from "./main.js";\nconsole.log(await main(...process.argv.slice(2)));\n`;
    await Bun.write(join(project, "start.js"), start);
    for (const compiler of ["typescript/bin/tsc", "typescript-7/bin/tsc"]) {
      const options = "--strict --module nodenext --target es2022 --lib es2023,dom,dom.iterable";
      const checked = await run(
        [process.execPath, join(MODULES, compiler), ...options.split(" "), "main.ts"],
        project,
      );
      expect({ compiler, ...checked }).toEqual({ compiler, code: 0, out: "", err: "" });
    }
  });

  test("holds modules, types, a README, a license and examples; runs no script and needs nothing", async () => {
    const root = join(project, "node_modules/feedgate");
    const info = await Bun.file(join(root, "package.json")).json();
    for (const member of ["bin", "scripts", "dependencies"]) expect(info[member]).toBeUndefined();
    expect(info).toMatchObject({ type: "module", license: "MIT", sideEffects: false });
    const files = [...new Bun.Glob("**/*").scanSync(root)].sort();
    const ending = /\.(?:js|d\.ts)$/;
    expect(files.filter((path) => !ending.test(path))).toEqual([
      "LICENSE",
      "README.md",
      "examples/agent.py",
      "examples/agent.ts",
      "package.json",
    ]);
    for (const path of files.filter((each) => each.endsWith(".js"))) {
      expect(files).toContain(path.replace(/\.js$/, ".d.ts"));
    }
    const readme = await Bun.file(join(root, "README.md")).text();
    for (const [path] of readme.matchAll(/examples\/agent\.\w+/g)) expect(files).toContain(path);
  });

  test("is named by either name, and no module of it by another", async () => {
    const program = `import * as whole from "feedgate";
import * as client from "feedgate/client";
const inner = await import("feedgate/errors.js").catch(({ code }) => code);
console.log(whole.Feedgate === client.Feedgate, inner);`;
    await Bun.write(join(project, "names.js"), program);
    const { out } = await run([NODE ?? process.execPath, "names.js"], project);
    expect(out).toMatch(/^true ERR_(?:PACKAGE_PATH_NOT_EXPORTED|MODULE_NOT_FOUND)\n$/);
  });

  test("works on Bun", async () => {
    const { out, err } = await run([process.execPath, "start.js", ...input], project);
    expect({ out, err }).toEqual({ out: `${EXPECTED}\n`, err: "" });
  });

  test.skipIf(NODE === null)("works on Node", async () => {
    const { out, err } = await run([NODE as string, "start.js", ...input], project);
    expect({ out, err }).toEqual({ out: `${EXPECTED}\n`, err: "" });
  });

  test.skipIf(DENO === null)("works on Deno", async () => {
    const start = `import { main } from "./main.js";\nconsole.log(await main(...Deno.args));\n`;
    await Bun.write(join(project, "deno.js"), start);
    const argv = [DENO as string, "run", "--allow-net", "--no-lock", "deno.js", ...input];
    expect((await run(argv, project)).out).toBe(`${EXPECTED}\n`);
  });

  test.skipIf(!hasBrowser)("works on a page in Chromium", async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(site.url.href);
      const called = `import("${site.url.origin}/main.js").then(({ main }) => main(...${JSON.stringify(input)}))`;
      expect(await page.evaluate(called)).toBe(EXPECTED);
    } finally {
      await browser.close();
    }
  });
});
