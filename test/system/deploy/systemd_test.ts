/** `src/deploy/feedgate.service`, as systemd sees it. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstLine, runFeedgate, spawnFeedgate } from "../../cli/support.ts";
import { createTestDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/folders.ts";

const UNIT = await Bun.file(
  new URL("../../../src/deploy/feedgate.service", import.meta.url),
).text();
const SYSTEMD = Bun.which("systemd-analyze");
/** Tenths of the exposure that `systemd-analyze security` finds; it calls up to 49 OK. */
const EXPOSURE_MAX = 20;
const NOTIFIER = Bun.which("systemd-notify");
const PERL = Bun.which("perl");
/** Prints each message of `sd_notify` that comes to a socket. */
const RECEIVER = `
  $| = 1;
  socket(S, AF_UNIX, SOCK_DGRAM, 0) && bind(S, sockaddr_un($ARGV[0])) or die $!;
  print "open\n";
  while (defined recv(S, $message, 4096, 0)) { print "$message\n" }`;
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

test("a wrong setting ends with the code after which systemd does not start it again", async () => {
  const { code } = await runFeedgate(["serve"], { PORT: "many" });
  expect(UNIT).toContain(`\nRestartPreventExitStatus=${code}\n`);
});

test.skipIf(NOTIFIER === null || PERL === null)(
  "a gateway says to systemd when it serves, and from then on that it still does",
  async () => {
    const socket = join(temporaryFolder(), "notify");
    const receiver = Bun.spawn([PERL ?? "", "-MSocket", "-e", RECEIVER, socket], {
      stdout: "pipe",
    });
    expect(await firstLine(receiver.stdout)).toBe("open");
    const child = spawnFeedgate(["serve", "--port", "0"], {
      DATABASE_URL: (await createTestDatabase()).url,
      NOTIFY_SOCKET: socket,
      WATCHDOG_USEC: "600000",
    });
    // systemd-notify sends a barrier after each message, and waits until it was read.
    const received: string[] = [];
    while (received.length < 3) {
      const line = await firstLine(receiver.stdout);
      if (line !== "BARRIER=1") received.push(line);
    }
    expect(received).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1"]);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    receiver.kill();
    await receiver.exited;
  },
);
