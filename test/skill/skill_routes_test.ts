import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { unzipSync } from "fflate";

import { callOverLimit } from "../support/anonymous_calls.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { type Seed, type SeededFeed, seedFeed } from "../support/seed.ts";

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

describe("agent skill", () => {
  test("SKILL.md as a file, by id and by slug, without a key", async () => {
    const feed = await listedFeed();
    const response = await gateway.get(pathOf(feed));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/markdown; charset=utf-8",
      "content-disposition": 'attachment; filename="SKILL.md"',
      "cache-control": "public, max-age=300",
      "x-content-type-options": "nosniff",
      etag: expect.stringMatching(/^W\/"/),
      "x-request-id": expect.any(String),
    });
    const text = await response.text();
    expect(text).toStartWith(`---\nname: feed-${feed.slug}\n`);
    expect(text).not.toContain("fg_read_");
    const bySlug = await gateway.get(`/public/feeds/${feed.slug}/agent-skill`);
    expect(await bySlug.text()).toBe(text);
    expect((await gateway.get(`/api${pathOf(feed)}`)).status).toBe(404);
  });

  test("follows the feed's access: how to ask for a feed by request, and 404 for an invited one", async () => {
    const feed = await listedFeed();
    const write = await gateway.createKey(owner, "write");
    const paths = [pathOf(feed), `/public/feeds/${feed.slug}/agent-skill`];
    const set = (access: string) =>
      gateway.send("PATCH", `/v1/provider/feed/${feed.feedId}/edit`, write, { access });
    expect(await (await gateway.get(pathOf(feed))).text()).not.toContain("access-requests");
    expect((await set("by_request")).status).toBe(200);
    expect(await (await gateway.get(pathOf(feed))).text()).toContain(
      `/v1/feed/${feed.feedId}/access-requests`,
    );
    const refusalOf = async (path: string) => {
      const { request_id: _, ...body } = (await problemOf(await gateway.get(path))).body;
      return body;
    };
    const none = await refusalOf(`/public/feeds/${crypto.randomUUID()}/agent-skill`);
    expect(none.code).toBe("FEED_NOT_FOUND");
    expect((await set("invited")).status).toBe(200);
    for (const path of paths) {
      for (const query of ["", "?format=zip", "?format=tar.gz"]) {
        expect(await refusalOf(path + query)).toEqual(none);
      }
    }
    const index = await gateway.get("/.well-known/agent-skills/index.json?limit=100");
    expect(await index.text()).not.toContain(feed.feedId);
    expect((await set("open")).status).toBe(200);
    expect((await gateway.get(pathOf(feed))).status).toBe(200);
  });

  test("HEAD has the headers, and If-None-Match gives 304, for every format", async () => {
    const feed = await listedFeed();
    for (const query of ["", "?format=zip", "?format=tar.gz"]) {
      const url = gateway.baseUrl + pathOf(feed) + query;
      const head = await fetch(url, { method: "HEAD" });
      const etag = head.headers.get("etag") as string;
      expect([head.status, await head.text()]).toEqual([200, ""]);
      expect((await fetch(url)).headers.get("etag")).toBe(etag);
      const unchanged = await fetch(url, { headers: { "If-None-Match": etag } });
      expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
      expect(unchanged.headers.get("cache-control")).toBe("public, max-age=300");
    }
  });

  test("a push leaves the tag as it is; a new definition changes it", async () => {
    const feed = await listedFeed();
    const tag = async () => (await gateway.get(pathOf(feed))).headers.get("etag");
    const before = await tag();
    await gateway.sql`update feeds set data_version = 9, last_sync_at = now() where feed_id = ${feed.feedId}`;
    expect(await tag()).toBe(before);
    await gateway.sql`
      update feeds
      set description = 'New', definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    expect(await tag()).not.toBe(before);
  });

  test("an archive's tag is of its sample, too", async () => {
    const feed = await listedFeed();
    const tag = async () =>
      (await gateway.get(`${pathOf(feed)}?format=zip`)).headers.get("etag") as string;
    const before = await tag();
    await gateway.sql`
      update feeds
      set sample_response = '{"id":7}', definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    expect(await tag()).not.toBe(before);
  });

  test("what is not listed any more is not found by its id either", async () => {
    const { feedId } = await listedFeed();
    const { database } = gateway.gateway.services;
    const found = async () => (await database.rows("find_skill_feed", { feed_id: feedId })).length;
    expect(await found()).toBe(1);
    await gateway.sql`update feeds set is_public = false where feed_id = ${feedId}`;
    expect(await found()).toBe(0);
  });

  test("zip and tar.gz hold the folder, with the provider's own JSON text", async () => {
    const feed = await listedFeed();
    const name = `feed-${feed.slug}`;
    const markdown = await (await gateway.get(pathOf(feed))).text();
    const expected = {
      [`${name}/SKILL.md`]: markdown,
      [`${name}/references/schema.json`]: SCHEMA,
      [`${name}/references/sample.json`]: "null",
    };
    const zip = await gateway.get(`${pathOf(feed)}?format=zip`);
    expect(zip.headers.get("content-type")).toBe("application/zip");
    expect(zip.headers.get("content-disposition")).toBe(`attachment; filename="${name}.zip"`);
    const unzipped = Object.entries(unzipSync(await zip.bytes())).map(([path, bytes]) => [
      path,
      new TextDecoder().decode(bytes),
    ]);
    expect(Object.fromEntries(unzipped)).toEqual(expected);
    const tar = await gateway.get(`${pathOf(feed)}?format=tar.gz`);
    expect(tar.headers.get("content-type")).toBe("application/gzip");
    expect(tar.headers.get("content-disposition")).toBe(`attachment; filename="${name}.tar.gz"`);
    const files = await new Bun.Archive(await tar.bytes()).files();
    const texts = await Promise.all(
      [...files].map(async ([path, file]) => [path, await file.text()]),
    );
    expect(Object.fromEntries(texts)).toEqual(expected);
  });

  test("unlisted, inactive, draft and unknown feeds are 404, and parameters are looked at before", async () => {
    const unlisted = await seedFeed(gateway, owner, { type: "singleton" });
    const inactive = await listedFeed();
    await gateway.sql`update feeds set status = 'inactive' where feed_id = ${inactive.feedId}`;
    for (const reference of [
      unlisted.feedId,
      unlisted.slug,
      inactive.slug,
      "unknown",
      crypto.randomUUID(),
      "%00",
    ]) {
      const problem = await problemOf(await gateway.get(`/public/feeds/${reference}/agent-skill`));
      expect(problem).toMatchObject({ status: 404, code: "FEED_NOT_FOUND" });
      const unknown = await gateway.get(`/public/feeds/${reference}/agent-skill?x=1`);
      expect(await problemOf(unknown)).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
  });

  test("an unknown parameter or format is 400", async () => {
    const feed = await listedFeed();
    for (const query of ["x=1", "format=rar", "format=", "format=zip&format=zip"]) {
      const problem = await problemOf(await gateway.get(`${pathOf(feed)}?${query}`));
      expect(problem).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
    }
    const index = await problemOf(await gateway.get("/.well-known/agent-skills/index.json?x=1"));
    expect(index).toMatchObject({ status: 400, code: "INVALID_PARAMETER" });
  });
});

describe("index of agent skills", () => {
  interface Index {
    $schema: string;
    skills: { name: string; type: string; description: string; url: string; digest: string }[];
  }
  const PATH = "/.well-known/agent-skills/index.json";
  const read = async () => {
    const response = await gateway.get(PATH);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    return (await response.json()) as Index;
  };

  test("lists the active public feeds, with the digest of what is served", async () => {
    const feed = await listedFeed();
    const unlisted = await seedFeed(gateway, owner, { type: "singleton" });
    const index = await read();
    expect(index.$schema).toBe("https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    expect(index.skills.some(({ name }) => name === `feed-${unlisted.slug}`)).toBe(false);
    const entry = index.skills.find(({ name }) => name === `feed-${feed.slug}`);
    expect(entry?.type).toBe("skill-md");
    const served = await (await fetch(entry?.url as string)).bytes();
    const digest = new Bun.CryptoHasher("sha256").update(served).digest("hex");
    expect(entry?.digest).toBe(`sha256:${digest}`);
  });

  test("begins with the skill of the gateway as a whole, which takes a place of its own", async () => {
    const { slug } = await listedFeed();
    const page = async (query: string) =>
      ((await (await gateway.get(`${PATH}?${query}`)).json()) as Index).skills;
    const [whole, first] = await page("limit=2");
    expect(whole).toMatchObject({ name: "feedgate", type: "skill-md" });
    expect(await page("limit=1")).toEqual([whole as Index["skills"][number]]);
    expect(await page("limit=1&offset=1")).toEqual([first as Index["skills"][number]]);
    const served = await fetch(whole?.url as string);
    expect(served.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    const text = await served.text();
    expect(whole?.digest).toBe(
      `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`,
    );
    for (const [route] of text.replaceAll("{id}", slug).matchAll(/http:[^\s'`{]+/g)) {
      const { status } = await fetch(route);
      expect([route, [200, 401, 405].includes(status)]).toEqual([route, true]);
    }
  });

  test("follows an edit and a withdrawal at once, and is revalidated by its tag", async () => {
    const feed = await listedFeed();
    const entryOf = async () =>
      (await read()).skills.find(({ name }) => name === `feed-${feed.slug}`);
    const before = await entryOf();
    await gateway.sql`
      update feeds set name = 'Other', definition_version = definition_version + 1
      where feed_id = ${feed.feedId}`;
    expect((await entryOf())?.digest).not.toBe(before?.digest);
    await gateway.sql`update feeds set is_public = false where feed_id = ${feed.feedId}`;
    expect(await entryOf()).toBeUndefined();
    const response = await gateway.get("/.well-known/agent-skills/index.json");
    const etag = response.headers.get("etag") as string;
    const again = await gateway.get("/.well-known/agent-skills/index.json", undefined, {
      "If-None-Match": etag,
    });
    expect(again.status).toBe(304);
  });

  describe("with 1,000 feeds more", () => {
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

    test("its pages are linked and hold each skill once, newest published first", async () => {
      const names: string[] = [];
      let path: string | undefined = `${PATH}?limit=99`;
      for (let pages = 0; path !== undefined; pages++) {
        expect(pages).toBeLessThan(20);
        const response = await gateway.get(path);
        const { skills } = (await response.json()) as Index;
        names.push(...skills.map(({ name }) => name));
        const next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
        expect(next === undefined || skills.length === 99).toBe(true);
        path = next?.slice(gateway.baseUrl.length);
      }
      const many = names.filter((name) => name.startsWith("feed-many-"));
      expect(many).toEqual(
        Array.from({ length: 1_000 }, (_, place) => `feed-many-${1_000 - place}`),
      );
      expect(new Set(names).size).toBe(names.length);
    });

    test("a page has 100 skills at most, and as many unasked", async () => {
      for (const query of ["", "?limit=1000", "?offset=100"]) {
        const response = await gateway.get(PATH + query);
        expect(((await response.json()) as Index).skills).toHaveLength(100);
      }
      expect(((await (await gateway.get(`${PATH}?offset=100000`)).json()) as Index).skills).toEqual(
        [],
      );
    });
  });
});

describe("calls without a key", () => {
  test("share a limit of the process, over which they are 429; health and keyed calls go on", async () => {
    const path = "/public/feeds/unknown/agent-skill";
    expect((await gateway.get(path)).status).toBe(404);
    const limited = await callOverLimit(gateway, path);
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(await problemOf(limited)).toMatchObject({ status: 429, code: "RATE_LIMITED" });
    // The limit counts no call that is answered from memory.
    expect((await gateway.get("/docs/assets/docs.css")).status).toBe(200);
    expect((await gateway.get("/healthz")).status).toBe(200);
    expect((await gateway.get("/v1/catalog", key)).status).toBe(200);
  });
});
