/** The files that the deploy guide shows, as the programs that read them see them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";

const GUIDE = await Bun.file(new URL("../../src/docs/guides/deploy.md", import.meta.url)).text();
const NGINX = Bun.which("nginx", { PATH: `${process.env.PATH}:/usr/sbin` });
const SYSTEMD = Bun.which("systemd-analyze");
/** Tenths of the exposure that `systemd-analyze security` finds; it calls up to 49 OK. */
const EXPOSURE_MAX = 20;
if (NGINX === null) console.log("skipped: nginx is not installed");
if (SYSTEMD === null) console.log("skipped: systemd-analyze is not installed");

/** The block of this language in the guide. */
function blockOf(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(GUIDE)?.[1] ?? "";
}

describe.skipIf(NGINX === null)("the nginx configuration", () => {
  let proxy: ReturnType<typeof Bun.spawn>;
  let address: string;
  const gateways: ReturnType<typeof Bun.serve>[] = [];

  beforeAll(async () => {
    for (const name of ["one", "two"]) {
      gateways.push(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(name) }));
    }
    const folder = temporaryFolder();
    const port = freePort();
    address = `http://127.0.0.1:${port}`;
    const server = blockOf("nginx")
      .replace("10.0.0.1:3000", `127.0.0.1:${gateways[0]?.port}`)
      .replace("10.0.0.2:3000", `127.0.0.1:${gateways[1]?.port}`)
      .replace("listen 80;", `listen 127.0.0.1:${port};`);
    const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((each) => `${each}_temp_path ${join(folder, each)};`)
      .join("\n");
    writeFileSync(
      join(folder, "nginx.conf"),
      `pid ${join(folder, "pid")};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${server}}\n`,
    );
    proxy = Bun.spawn([NGINX ?? "", "-p", folder, "-c", "nginx.conf", "-g", "daemon off;"], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    while ((await fetch(address).catch(() => undefined)) === undefined) await Bun.sleep(20);
  });
  afterAll(async () => {
    proxy.kill();
    await proxy.exited;
    for (const gateway of gateways) await gateway.stop(true);
  });

  const gatewayOf = async (headers: Record<string, string>) =>
    (await fetch(`${address}/v1/catalog`, { headers })).text();

  test("one key goes to one gateway, in either header, and keys are spread", async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 20; count++) {
      const key = `fg_read_${count}`;
      const gateway = await gatewayOf({ "x-api-key": key });
      expect(await gatewayOf({ "x-api-key": key })).toBe(gateway);
      expect(await gatewayOf({ Authorization: `Bearer ${key}` })).toBe(gateway);
      expect(await gatewayOf({ Authorization: `bearer ${key}` })).toBe(gateway);
      seen.add(gateway);
    }
    expect(seen.size).toBe(2);
  });

  test("calls without a key are spread, too", async () => {
    const seen = new Set<string>();
    for (let count = 0; count < 40; count++) seen.add(await gatewayOf({}));
    expect(seen.size).toBe(2);
  });

  test("metrics are not passed on, however their path is written", async () => {
    for (const path of ["/metrics", "//metrics", "/%6detrics", "/x/../metrics", "/metrics?a=b"]) {
      const { status } = await fetch(address + path);
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});

test.skipIf(SYSTEMD === null)(
  "systemd takes the unit without a word, and calls it well guarded",
  () => {
    const path = join(temporaryFolder(), "feedgate.service");
    writeFileSync(path, blockOf("ini").replace("/usr/local/bin/feedgate", process.execPath));
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
