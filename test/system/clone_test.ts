/** The scripts of a clone, as the README names them: the other tests of `bun run test:system` start the executable. */
import { expect, test } from "bun:test";
import { firstLine } from "../cli/support.ts";
import { usedDataDir } from "../support/folders.ts";

const ROOT = Bun.fileURLToPath(new URL("../../", import.meta.url));

test("in a clone, bun run start starts a demo, and bun feedgate its commands", async () => {
  const bun = (...argv: string[]) =>
    Bun.spawn([process.execPath, ...argv], {
      cwd: ROOT,
      env: { ...process.env, FEEDGATE_DATA_DIR: dataDir, PORT: "0", LOG_LEVEL: "silent" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const dataDir = await usedDataDir();
  const demo = bun("run", "start", "--json");
  const { base_url: baseUrl } = JSON.parse(await firstLine(demo.stdout));
  expect((await fetch(`${baseUrl}/docs`)).status).toBe(200);
  const stop = bun("feedgate", "stop");
  expect([await stop.exited, await new Response(stop.stderr).text()]).toEqual([0, ""]);
  expect(await new Response(stop.stdout).text()).toMatch(/^stopped the gateway with pid \d+\n$/);
  expect(await demo.exited).toBe(0);
});
