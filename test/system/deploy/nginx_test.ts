/** `src/deploy/nginx.conf` in an nginx, before gateways. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONDITIONAL_WAIT_SECONDS_MAX, LONG_POLL_SECONDS } from "../../../src/limits.ts";
import { readEvents } from "../../support/event_source.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { freePort } from "../../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { NGINX, nginxConfiguration, untilAnswering } from "../../support/nginx.ts";
import { seedFeed } from "../../support/seed.ts";

const CONFIGURATION = await Bun.file(
  new URL("../../../src/deploy/nginx.conf", import.meta.url),
).text();
if (NGINX === null) console.log("skipped: nginx is not installed");

/** An nginx with the configuration, before two servers on this machine. */
async function startNginx(ports: readonly [number | undefined, number | undefined]) {
  const folder = temporaryFolder();
  const port = freePort();
  const server = CONFIGURATION.replace("10.0.0.1:3000", `127.0.0.1:${ports[0]}`)
    .replace("10.0.0.2:3000", `127.0.0.1:${ports[1]}`)
    .replace("listen 80;", `listen 127.0.0.1:${port};`);
  writeFileSync(join(folder, "nginx.conf"), nginxConfiguration(folder, server));
  const argv = [NGINX ?? "", "-p", folder, "-c", "nginx.conf"] as const;
  const checked = spawnSync(argv[0], [...argv.slice(1), "-t"], { encoding: "utf8" });
  expect(checked.stderr).toContain("test is successful");
  expect(checked.stderr).not.toContain("[warn]");
  const proxy = Bun.spawn([...argv, "-g", "daemon off;"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const address = `http://127.0.0.1:${port}`;
  await untilAnswering(address);
  return {
    address,
    async stop() {
      proxy.kill();
      await proxy.exited;
    },
  };
}

describe.skipIf(NGINX === null)("the nginx configuration", () => {
  let address: string;
  let proxy: Awaited<ReturnType<typeof startNginx>>;
  const gateways: ReturnType<typeof Bun.serve>[] = [];

  beforeAll(async () => {
    for (const name of ["one", "two"]) {
      gateways.push(
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          async fetch(request) {
            // If a server answers before it has read the whole body, nginx closes the client's connection.
            await request.arrayBuffer();
            const seen = request.headers.get("x-forwarded-for") ?? "none";
            return new Response(name, { headers: { "Seen-Forwarded-For": seen } });
          },
        }),
      );
    }
    proxy = await startNginx([gateways[0]?.port, gateways[1]?.port]);
    ({ address } = proxy);
  });
  afterAll(async () => {
    await proxy.stop();
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

  test("a file of rows may be larger than a push, under each address of the import", async () => {
    const body = Buffer.alloc(6 * 1_024 * 1_024);
    const statusOf = async (path: string) =>
      (await fetch(address + path, { method: "POST", body, keepalive: false })).status;
    expect(await statusOf("/v1/provider/feed/rates/import")).toBe(200);
    expect(await statusOf("/api/v1/provider/feed/rates/import")).toBe(200);
    expect(await statusOf("/api/v1/provider/feed/rates/push")).toBe(413);
  });

  test("the caller's address is the last one that a gateway is told, whatever the caller forges", async () => {
    for (const path of ["/console/sign-in", "/v1/provider/feed/rates/import"]) {
      const seenOf = async (headers: Record<string, string>) =>
        (await fetch(address + path, { headers })).headers.get("seen-forwarded-for");
      expect([path, await seenOf({})]).toEqual([path, "127.0.0.1"]);
      for (const forged of ["203.0.113.9", "10.0.0.1, unknown", ","]) {
        const seen = await seenOf({ "X-Forwarded-For": forged });
        expect([path, seen]).toEqual([path, `${forged}, 127.0.0.1`]);
      }
    }
  });

  test("metrics are not passed on, however their path is written", async () => {
    for (const path of ["/metrics", "//metrics", "/%6detrics", "/x/../metrics", "/metrics?a=b"]) {
      const { status } = await fetch(address + path);
      expect({ path, status }).toEqual({ path, status: 404 });
    }
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});

describe.skipIf(NGINX === null)("gateways behind it", () => {
  let gateway: TestGateway;
  let proxy: Awaited<ReturnType<typeof startNginx>>;
  let owner: string;
  let readKey: string;
  let writeKey: string;

  beforeAll(async () => {
    gateway = await startTestGateway();
    const peer = await gateway.startPeer();
    proxy = await startNginx([gateway.gateway.port, peer.port]);
    owner = await gateway.createAccount();
    readKey = await gateway.createKey(owner, "read");
    writeKey = await gateway.createKey(owner, "write");
  });
  afterAll(async () => {
    await proxy.stop();
    await gateway.stop();
  });

  const push = (feedId: string, payload: unknown) =>
    fetch(`${proxy.address}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ payload }),
    });

  test("a file is imported that is sent faster than it is stored, and for longer than a second", async () => {
    const { feedId } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
    const line = (id: number) => `${JSON.stringify({ id, text: "x".repeat(2_000) })}\n`;
    // More than nginx and the connections hold while the gateway reads nothing.
    const rows = 12_000;
    const lines = Array.from({ length: rows }, (_, id) => line(id)).join("");
    const importing = fetch(`${proxy.address}/v1/provider/feed/${feedId}/import`, {
      method: "POST",
      headers: { Authorization: `Bearer ${writeKey}`, "Content-Type": "application/x-ndjson" },
      body: lines,
    });
    const holder = await gateway.sql.reserve();
    for (let stored = 0; stored === 0; await Bun.sleep(5)) {
      const [feed] = await holder`
        select next_position::int as stored from feeds where feed_id = ${feedId}`;
      stored = feed?.stored;
    }
    await holder`begin`;
    await holder`select from feeds where feed_id = ${feedId} for update`;
    // Progress is due each second.
    await Bun.sleep(2_500);
    await holder`commit`;
    holder.release();
    const answer = await importing;
    expect(answer.status).toBe(200);
    const last = (await answer.text()).trim().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({ receipt: { rows_inserted: rows } });
  });

  test("a follower gets each event as soon as it is pushed, whichever gateway takes the push", async () => {
    const { feedId, slug } = await seedFeed(gateway, owner, { type: "stream", rows: [] });
    const follower = await readEvents(
      `${proxy.address}/v1/feed/${slug}/stream?live=sse&offset=now`,
      { "x-api-key": readKey },
    );
    for (const id of ["a", "b", "c"]) {
      expect((await push(feedId, [{ id }])).status).toBe(200);
      const { data } = await follower.next("rows");
      expect(JSON.parse(data).data).toEqual([expect.objectContaining({ id })]);
    }
    // Comments come, too: nothing is held back until a buffer is full.
    await follower.next("");
    follower.close();
  });

  test("a long poll may take its 20 seconds, and a conditional read its 30", async () => {
    const waits = [...CONFIGURATION.matchAll(/proxy_read_timeout (\d+)s;/g)];
    expect(waits).toHaveLength(1);
    expect(Number(waits[0]?.[1])).toBeGreaterThan(CONDITIONAL_WAIT_SECONDS_MAX);
    expect(Number(waits[0]?.[1])).toBeGreaterThan(LONG_POLL_SECONDS);
  });

  test("the largest body passes, and one that is too large is refused by the gateway", async () => {
    const { feedId } = await seedFeed(gateway, owner, { type: "singleton", rows: [{}] });
    const { singletonBodyBytes } = gateway.gateway.services.config.limits;
    const wrapper = JSON.stringify({ payload: { text: "" } }).length;
    expect((await push(feedId, { text: "x".repeat(singletonBodyBytes - wrapper) })).status).toBe(
      200,
    );
    const refused = await push(feedId, { text: "x".repeat(singletonBodyBytes) });
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ code: "PAYLOAD_TOO_LARGE" });
  });
});
