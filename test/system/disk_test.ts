/** A gateway whose embedded PostgreSQL has a small disk, which fills up. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Run, runProcess } from "../cli/support.ts";
import { temporaryFolder } from "../support/folders.ts";
import { whenBusy } from "../support/pace.ts";
import { type ServedGateway, serveGateway } from "../support/served_gateway.ts";

const DISK_BYTES = 256 * 1_024 * 1_024;
const CHUNK = new Uint8Array(1_024 * 1_024);
const RECOVERY_MS_MAX = 20_000;

const disk = join(temporaryFolder(), "disk");
mkdirSync(disk);
const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", disk]);
const IS_MOUNTED = mounted.status === 0;
if (!IS_MOUNTED) console.log("skipped: no file system can be mounted here, which must be small");
// Folders are removed when the file ends, and a mounted one can't be.
process.on("exit", () => spawnSync("umount", ["-l", disk]));

describe.skipIf(!IS_MOUNTED)("a full disk", () => {
  const dataDir = join(disk, "data");
  const filler = join(disk, "filler");
  let gateway: ServedGateway;
  let key: string;

  const command = (...argv: string[]): Promise<Run> =>
    runProcess([...argv, "--json", "--data-dir", dataDir], {});

  beforeAll(async () => {
    gateway = await serveGateway(["serve", "--data-dir", dataDir], {});
    const account = JSON.parse((await command("account", "create", "--name", "Acme")).stdout);
    const made = await command("key", "create", "--account", account.id, "--permission", "read");
    key = JSON.parse(made.stdout).key;
  });
  afterAll(async () => {
    await gateway.stop();
    spawnSync("umount", ["-l", disk]);
  });

  /** As many whole pieces as fit. */
  function fill(): void {
    writeFileSync(filler, "");
    try {
      for (;;) writeFileSync(filler, CHUNK, { flag: "a" });
    } catch (error) {
      expect((error as { code?: string }).code).toBe("ENOSPC");
    }
  }

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${gateway.baseUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (.*)$`, "m").exec(text)?.[1]);
  }

  const ready = () => fetch(`${gateway.baseUrl}/readyz`);

  test("readyz says that the disk is full, the metrics say how full, and both are well again when there is room", async () => {
    expect((await ready()).status).toBe(200);
    const free = await metric("feedgate_disk_free_bytes");
    expect(free).toBeGreaterThan(CHUNK.length);
    expect(free + (await metric("feedgate_disk_used_bytes"))).toBe(DISK_BYTES);

    fill();
    const response = await ready();
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      code: "UNAVAILABLE",
      detail: expect.stringContaining("disk is full"),
    });
    expect(await metric("feedgate_disk_free_bytes")).toBeLessThan(CHUNK.length);

    rmSync(filler);
    const untilMs = performance.now() + whenBusy(RECOVERY_MS_MAX);
    while ((await ready()).status !== 200) {
      expect(performance.now()).toBeLessThan(untilMs);
      await Bun.sleep(100);
    }
    const read = await fetch(`${gateway.baseUrl}/v1/catalog`, { headers: { "x-api-key": key } });
    expect(read.status).toBe(200);
  });
});
