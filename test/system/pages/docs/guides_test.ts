import { afterAll, beforeAll, expect, test } from "bun:test";
import { freePort } from "../../../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { seedFeed } from "../../../support/seed.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("the follower that the agents' guide shows follows a stream with its key, over a restart, and ends at a refusal that lasts", async () => {
  const guide = await (await fetch(`${gateway.baseUrl}/docs/guides/agents`)).text();
  const [, escaped = ""] =
    /<pre tabindex="0"><code class="language-js">([\s\S]*?)<\/code>/.exec(guide) ?? [];
  const code = escaped
    .replaceAll("&quot;", '"')
    .replaceAll("&gt;", ">")
    .replaceAll("&lt;", "<")
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
  const owner = await gateway.createAccount();
  const [read, write] = [
    await gateway.createKey(owner, "read"),
    await gateway.createKey(owner, "write"),
  ];
  const event = { id: "first", event_timestamp: "2026-01-01T00:00:00Z" };
  const { feedId, slug } = await seedFeed(gateway, owner, { type: "stream", rows: [event] });
  const port = String(freePort());
  const served = await gateway.startPeer({ PORT: port });
  const program = code
    .replaceAll(gateway.baseUrl, served.baseUrl)
    .replace("feed/earthquakes/", `feed/${slug}/`)
    .replace('"fg_read_…"', JSON.stringify(read))
    .replace("console.log", "(rows) => console.log(JSON.stringify(rows))");
  const follower = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
  const lines = follower.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await lines.read()).value).toContain('"id":"first"');
  await served.stop();
  await gateway.startPeer({ PORT: port });
  const push = `/v1/provider/feed/${feedId}/push`;
  expect((await gateway.send("POST", push, write, [{ id: "second" }])).status).toBe(200);
  const next = (await lines.read()).value;
  expect(next).toContain('"id":"second"');
  expect(next).not.toContain('"id":"first"');
  follower.kill();
  // A refusal that lasts ends it, with the problem's words.
  const refused = Bun.spawn([process.execPath, "-e", program.replaceAll(read, write)], {
    stderr: "pipe",
  });
  expect([await refused.exited, await new Response(refused.stderr).text()]).toEqual([
    1,
    expect.stringContaining("KEY_PERMISSION"),
  ]);
});
