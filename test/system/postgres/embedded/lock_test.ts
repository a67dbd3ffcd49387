import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeLock, tryLock } from "../../../../src/postgres/embedded/lock.ts";

test("a lock's file is its owner's alone, also where it was open to others, and is held by one task", async () => {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-lock-"));
  const path = join(folder, "start.lock");
  const mode = () => statSync(path).mode & 0o777;
  const free = await takeLock(path);
  expect(mode()).toBe(0o600);
  // As a version before made it. It is closed without freeing the lock that this process holds.
  chmodSync(path, 0o644);
  expect(tryLock(path)).toBeUndefined();
  expect(mode()).toBe(0o600);
  const other = Bun.spawnSync({
    cmd: [
      process.execPath,
      "-e",
      `const { tryLock } = await import(${JSON.stringify(new URL("../../../../src/postgres/embedded/lock.ts", import.meta.url).href)});
       console.log(tryLock(${JSON.stringify(path)}) === undefined ? "held" : "free");`,
    ],
  });
  expect(other.stdout.toString().trim()).toBe("held");
  free();
  const again = tryLock(path);
  expect(again).toBeFunction();
  again?.();
  symlinkSync(path, join(folder, "link"));
  expect(() => tryLock(join(folder, "link"))).toThrow();
  rmSync(folder, { recursive: true });
});

test("a lock whose file others make and remove meanwhile is taken, or is not, and never fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-lock-"));
  const path = join(folder, "gateway.lock");
  const maker = Bun.spawn(
    [
      "sh",
      "-c",
      `while [ -d "$1" ]; do : > "$1/gateway.lock"; rm -f "$1/gateway.lock"; done`,
      "sh",
      folder,
    ],
    {
      stderr: "ignore",
    },
  );
  for (let tries = 0; tries < 5_000; tries++) tryLock(path)?.();
  rmSync(folder, { recursive: true });
  maker.kill();
  await maker.exited;
});
