/** The Debian package, as dpkg reads it. `bun run test:packages` installs it. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { debianPackage, debianVersion } from "../../../src/build/debian_package.ts";
import { temporaryFolder } from "../../support/folders.ts";

const DPKG = Bun.which("dpkg-deb");
if (DPKG === null) console.log("skipped: dpkg-deb is not installed");

/** An odd number of bytes, which the format pads. */
const EXECUTABLE = Buffer.from("#!/bin/sh\necho 0.3.0\n\n");
const WANTED = {
  executable: EXECUTABLE,
  architecture: "arm64",
  version: "0.3.0-dev",
  maintainer: "A Test <test@example.com>",
  builtSeconds: Date.UTC(2026, 10, 28) / 1_000,
};

function dpkg(argv: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(DPKG ?? "", argv, {
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC" },
  });
  expect({ argv, status, stderr }).toMatchObject({ argv, status: 0, stderr: "" });
  return stdout;
}

test("a version before a release sorts before it", () => {
  expect(debianVersion("0.3.0-dev")).toBe("0.3.0~dev-1");
  expect(debianVersion("0.3.0")).toBe("0.3.0-1");
});

test.skipIf(DPKG === null)("dpkg reads the package, and two builds are identical", () => {
  const bytes = debianPackage(WANTED);
  expect(debianPackage(WANTED).equals(bytes)).toBe(true);
  const folder = temporaryFolder();
  const path = join(folder, "feedgate.deb");
  writeFileSync(path, bytes);
  expect(dpkg(["--field", path, "Package", "Version", "Architecture", "Maintainer"])).toBe(
    "Package: feedgate\nVersion: 0.3.0~dev-1\nArchitecture: arm64\nMaintainer: A Test <test@example.com>\n",
  );
  expect(dpkg(["--info", path, "conffiles"])).toBe("/etc/feedgate.env\n");
  const lines = dpkg(["--contents", path]).trim().split("\n");
  for (const line of lines) expect(line).toMatch(/^[d-][rwx-]{9} 0\/0 .* 2026-11-28 00:00 \.\//);
  const files = lines.filter((line) => line.startsWith("-"));
  expect(files.map((line) => line.split(" ./")[1])).toContain("usr/bin/feedgate");

  dpkg(["--extract", path, join(folder, "root")]);
  dpkg(["--control", path, join(folder, "control")]);
  const installed = (name: string) => join(folder, "root", name);
  expect(readFileSync(installed("usr/bin/feedgate")).equals(EXECUTABLE)).toBe(true);
  expect(lstatSync(installed("usr/bin/feedgate")).mode & 0o777).toBe(0o755);
  expect(lstatSync(installed("etc/feedgate.env")).mode & 0o777).toBe(0o600);
  const sums = spawnSync("md5sum", ["--check", "--quiet", join(folder, "control/md5sums")], {
    cwd: join(folder, "root"),
    encoding: "utf8",
  });
  expect(sums).toMatchObject({ status: 0, stdout: "" });
  for (const script of ["postinst", "prerm", "postrm"]) {
    expect(existsSync(join(folder, "control", script))).toBe(true);
    expect(spawnSync("sh", ["-n", join(folder, "control", script)]).status).toBe(0);
  }
});

test.skipIf(DPKG === null)("its unit is that of the guide, with the program where it is", () => {
  const path = join(temporaryFolder(), "feedgate.deb");
  writeFileSync(path, debianPackage(WANTED));
  const root = temporaryFolder();
  dpkg(["--extract", path, root]);
  const unit = readFileSync(join(root, "usr/lib/systemd/system/feedgate.service"), "utf8");
  expect(unit).toContain("\nExecStart=/usr/bin/feedgate serve\n");
  expect(unit).toContain("\nEnvironmentFile=-/etc/feedgate.env\n");
  expect(unit).toMatch(/^# .*\n\[Unit\]\nDescription=Feedgate\n/);
  expect(unit).not.toContain("/usr/local");
  const given = readFileSync(
    new URL("../../../src/deploy/feedgate.service", import.meta.url),
    "utf8",
  );
  const settings = (text: string) =>
    text
      .split("\n")
      .filter((line) => /^[A-Z]/.test(line) && !/^(ExecStart|Documentation)=/.test(line));
  expect(settings(unit)).toEqual(settings(given));
});
