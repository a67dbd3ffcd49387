/**
 * `bun run test:executable PROGRAM`: an executable on the machine that it is for, from nothing to a read and to SIGTERM. It
 * starts its own PostgreSQL. Runs on Linux and macOS, and needs nothing else.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { freePort } from "../support/free_port.ts";
import { firstRead, readAgain, untilServed } from "./first_read.ts";

async function tryExecutable(program: string, folder: string): Promise<void> {
  // By the name that users type.
  cpSync(program, join(folder, "feedgate"));
  const dataDir = join(folder, "data");
  const env = {
    ...process.env,
    PATH: `${folder}${delimiter}${process.env.PATH}`,
    XDG_CACHE_HOME: join(folder, "cache"),
  };
  const type = (lines: string): string => {
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", lines], { env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${lines}\nended with ${status}: ${stdout}${stderr}`);
    return stdout;
  };
  console.log(`# ${type("feedgate --version").trim()}`);
  const port = freePort();
  const installed = { type, baseUrl: `http://127.0.0.1:${port}`, dataDir };
  const serve = async () => {
    const argv = ["serve", "--port", String(port), "--data-dir", dataDir];
    const gateway = spawn(join(folder, "feedgate"), argv, {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    const ended = new Promise<number | null>((settle) => gateway.on("exit", settle));
    await untilServed(installed, "true");
    return async () => {
      gateway.kill("SIGTERM");
      const code = await ended;
      if (code !== 0) throw new Error(`ended with ${code}`);
    };
  };
  const stop = await serve();
  const key = await firstRead(installed);
  await stop();
  const stopAgain = await serve();
  await readAgain(installed, key);
  await stopAgain();
  console.log("# from nothing to a read, and the same after a restart");
}

const [program, ...others] = process.argv.slice(2);
if (program === undefined || others.length > 0) {
  console.error("executable: expected PROGRAM");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "feedgate-executable-"));
try {
  await tryExecutable(program, folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
