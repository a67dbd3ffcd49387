import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import packageInfo from "../../../package.json" with { type: "json" };
import { temporaryFolder } from "../../support/folders.ts";

const ROOT = resolve(import.meta.dir, "../../..");

/** Whether an install runs the script of a package, with these packages trusted. */
function runsScript(trustedDependencies: readonly string[]): boolean {
  const folder = temporaryFolder();
  const reporter = join(folder, "reporter");
  mkdirSync(reporter);
  const scripts = { postinstall: `touch ${join(folder, "it-ran")}` };
  writeFileSync(
    join(reporter, "package.json"),
    JSON.stringify({ name: "@scarf/scarf", version: "1.0.0", scripts }),
  );
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ dependencies: { "@scarf/scarf": "file:./reporter" }, trustedDependencies }),
  );
  writeFileSync(join(folder, "bunfig.toml"), readFileSync(join(ROOT, "bunfig.toml")));
  const { status, stderr } = spawnSync(process.execPath, ["install", "--silent"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return existsSync(join(folder, "it-ran"));
}

test("an install with these settings leaves a package's script alone", () => {
  expect(runsScript(packageInfo.trustedDependencies)).toBe(false);
  // Or this would show nothing.
  expect(runsScript(["@scarf/scarf"])).toBe(true);
});
