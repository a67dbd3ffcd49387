import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { skillRoutes } from "../../../src/skill/skill_routes.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { whenBusy } from "../../support/pace.ts";
import { type Seed, type SeededFeed, seedFeed } from "../../support/seed.ts";
import { threadMs } from "../../support/thread_time.ts";

let gateway: TestGateway;
let owner: string;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_READ_LIMIT_FREE: "1000" });
  owner = await gateway.createAccount({ name: "Seismic Data" });
  key = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(() => gateway.stop());

const rows = Array.from({ length: 250 }, (_, id) => ({
  id,
  limit: id % 2 === 0 ? "VALUE" : "other",
  event_timestamp: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
}));
const SCHEMA =
  '{"properties":{"id":{"type":"integer"},"limit":{"type":"string"},"n":{"const":1.0}}}';

async function listedFeed(seed: Partial<Seed> = {}): Promise<SeededFeed> {
  const feed = await seedFeed(gateway, owner, {
    type: "collection",
    rows,
    ...seed,
  });
  await gateway.sql`
    update feeds
    set
      schema_definition = ${SCHEMA},
      is_public = true,
      published_at = now(),
      definition_version = definition_version + 1
    where feed_id = ${feed.feedId}`;
  return feed;
}

const pathOf = ({ feedId }: SeededFeed) => `/public/feeds/${feedId}/agent-skill`;

/** Runs the n-th shell block of a skill as its reader would. */
function spawnBlock(markdown: string, index: number) {
  const block = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)][index]?.[1] as string;
  return Bun.spawn(["bash", "-c", block], {
    env: { PATH: process.env.PATH, FEEDGATE_READ_KEY: key },
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** The same, to its end. */
async function run(markdown: string, index: number): Promise<string> {
  const child = spawnBlock(markdown, index);
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect({ code: await child.exited, err }).toEqual({ code: 0, err: "" });
  return out;
}

test("its commands work: first call, filter and projection, for every type", async () => {
  for (const type of ["singleton", "collection", "stream"] as const) {
    const feed = await listedFeed({ type });
    const markdown = await (await gateway.get(pathOf(feed))).text();
    const first = JSON.parse(await run(markdown, 0));
    expect(first._origin.feed_id).toBe(feed.feedId);
    if (type === "singleton") {
      expect(JSON.parse(await run(markdown, 1)).data).toEqual({ id: 0, limit: "VALUE", n: null });
      continue;
    }
    const filtered = JSON.parse(await run(markdown, 2));
    expect(filtered.data).toHaveLength(20);
    expect(new Set(filtered.data.map((row: { limit: string }) => row.limit))).toEqual(
      new Set(["VALUE"]),
    );
    const projected = JSON.parse(await run(markdown, 3));
    expect(Object.keys(projected.data[0])).toEqual(["id", "limit", "n"]);
  }
});

test.skipIf(Bun.which("jq") === null)(
  "its cursor loop reads every row once (needs jq)",
  async () => {
    const feed = await listedFeed();
    const markdown = await (await gateway.get(pathOf(feed))).text();
    const lines = (await run(markdown, 1)).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(rows.map(({ id }) => id));
  },
);

test.skipIf(Bun.which("jq") === null)(
  "its loop of a stream prints each event that comes (needs jq)",
  async () => {
    const feed = await listedFeed({ type: "stream" });
    const markdown = await (await gateway.get(pathOf(feed))).text();
    const child = spawnBlock(markdown, 4);
    const printed = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    // It begins at now, which must be before the first push.
    while (gateway.gateway.services.waits.open === 0) await Bun.sleep(20);
    const write = await gateway.createKey(owner, "write");
    for (const id of [1_000, 1_001]) {
      const path = `/v1/provider/feed/${feed.feedId}/push`;
      await gateway.send("POST", path, write, [{ id, event_timestamp: "2020-01-01T00:00:00Z" }]);
      expect(JSON.parse((await printed.read()).value ?? "").id).toBe(id);
    }
    child.kill();
  },
);

/** Milliseconds of the event loop that a call takes. */
async function millisecondsOf(path: string, init: RequestInit, status: number): Promise<number> {
  const app = skillRoutes(gateway.gateway.services);
  const callsOf = async (count: number) => {
    for (let call = 0; call < count; call++) {
      const response = await app.handle(new Request(`http://localhost${path}`, init));
      expect(response.status).toBe(status);
    }
  };
  await callsOf(50);
  const startedMs = threadMs();
  await callsOf(200);
  return (threadMs() - startedMs) / 200;
}

/** GET, HEAD and a revalidation of the path, each in less than a millisecond. */
async function expectCheap(path: string): Promise<void> {
  const etag = (await gateway.get(path)).headers.get("etag") as string;
  const unchanged = { headers: { "If-None-Match": etag } };
  for (const [init, status] of [
    [{}, 200],
    [{ method: "HEAD" }, 200],
    [unchanged, 304],
  ] as const) {
    expect(await millisecondsOf(path, init, status)).toBeLessThan(whenBusy(1));
  }
}

test("a call for a feed with 660 KB of texts takes less than 1 ms, in every format", async () => {
  const feed = await listedFeed();
  const schema = { properties: { text: { description: "ü".repeat(115_000) } } };
  await gateway.sql`
    update feeds
    set
      readme_md = ${"r".repeat(200_000)},
      schema_definition = ${JSON.stringify(schema)},
      sample_response = ${JSON.stringify({ text: "ü".repeat(115_000) })},
      definition_version = definition_version + 1
    where feed_id = ${feed.feedId}`;
  for (const query of ["", "?format=zip", "?format=tar.gz"]) {
    await expectCheap(pathOf(feed) + query);
  }
});

describe("the index of agent skills with 1,000 feeds more", () => {
  const PATH = "/.well-known/agent-skills/index.json";
  beforeAll(async () => {
    await gateway.sql`
      insert into feeds (
        account_id, name, endpoint_path, feed_type, status, is_public, published_at, price_type,
        call_price_nanos, first_pushed_at, last_sync_at
      )
      select
        ${owner}, 'Many ' || place, 'many-' || place, 'singleton', 'active', true,
        now() + place * interval '1 second', 'free', 0, now(), now()
      from generate_series(1, 1000) as places (place)`;
  });

  test("a page takes less than 1 ms", async () => {
    await expectCheap(PATH);
    await expectCheap(`${PATH}?offset=900`);
  });
});
