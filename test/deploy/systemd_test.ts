/** `src/deploy/feedgate.service`, as systemd sees it. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folders.ts";

const UNIT = await Bun.file(new URL("../../src/deploy/feedgate.service", import.meta.url)).text();
const SYSTEMD = Bun.which("systemd-analyze");
/** Tenths of the exposure that `systemd-analyze security` finds; it calls up to 49 OK. */
const EXPOSURE_MAX = 20;
if (SYSTEMD === null) console.log("skipped: systemd-analyze is not installed");

test.skipIf(SYSTEMD === null)(
  "systemd takes the unit without a word, and calls it well guarded",
  () => {
    const path = join(temporaryFolder(), "feedgate.service");
    writeFileSync(path, UNIT.replace("/usr/local/bin/feedgate", process.execPath));
    const verified = spawnSync("systemd-analyze", ["verify", "--man=no", path], {
      encoding: "utf8",
    });
    // It also looks at the machine's own units.
    const about = verified.stderr.split("\n").filter((line) => line.includes("feedgate.service"));
    expect(about).toEqual([]);
    const args = ["security", "--offline=true", `--threshold=${EXPOSURE_MAX}`, "--no-pager", path];
    const judged = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    expect({ status: judged.status, stderr: judged.stderr }).toEqual({ status: 0, stderr: "" });
  },
);
