import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, usedDataDir } from "../support/folders.ts";
import { PROGRAM } from "../support/program.ts";
import { type Announced, type ServedGateway, serveGateway } from "../support/served_gateway.ts";
import { commandsOf, runSession } from "../support/shell_session.ts";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));

let demo: ServedGateway<Announced & { readonly read_key: string; readonly write_key: string }>;
let environment: Record<string, string>;

beforeAll(async () => {
  environment = { FEEDGATE_DATA_DIR: await usedDataDir(), PATH: await pathWithFeedgate() };
  demo = await serveGateway(["demo"], environment);
});
afterAll(() => demo.stop());

/** `feedgate` as an installed command. */
async function pathWithFeedgate(): Promise<string> {
  const folder = temporaryFolder();
  const path = join(folder, "feedgate");
  writeFileSync(path, `#!/bin/sh\nexec ${PROGRAM.map((part) => `'${part}'`).join(" ")} "$@"\n`);
  chmodSync(path, 0o755);
  return `${folder}:${process.env.PATH}`;
}

// In this order: the operator publishes the feed that the provider made.
for (const [path, commandsMin] of [
  ["README.md", 4],
  ["src/docs/guides/agents.md", 6],
  ["src/docs/guides/providers.md", 4],
  ["src/docs/guides/clients.md", 5],
  ["src/docs/guides/operators.md", 10],
] as const) {
  test(`the commands of ${path} print what it shows, line by line`, async () => {
    const commands = commandsOf(await Bun.file(ROOT + path).text());
    expect(commands.length).toBeGreaterThanOrEqual(commandsMin);
    await runSession(commands, {
      address: new URL(demo.baseUrl).host,
      folder: temporaryFolder(),
      environment,
      keys: [demo.announced.read_key, demo.announced.write_key],
    });
  });
}
