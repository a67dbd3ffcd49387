import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import { REVALIDATION_LIMIT } from "../../../src/limits.ts";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

let gateway: TestGateway;
let owner: string;
let reader: string;
let key: string;
beforeAll(async () => {
  gateway = await shareTestGateway();
  owner = await gateway.createAccount();
  reader = await gateway.createAccount({ credits: 1_000 });
  key = await gateway.createKey(reader, "read");
});
afterAll(() => gateway.stop());

const rows = Array.from({ length: 60 }, (_, id) => ({ id, name: `déjà vu ${id} 🦊`, kind: "a" }));
const withoutOrigin = (text: string) => text.replace(/"_origin":.*$/, "");

describe("compression", () => {
  test("the same answer for every reader, with an _origin of its own", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows });
    const path = `/v1/feed/${feed.slug}?limit=50`;
    const plain = await gateway.get(path, key, { "Accept-Encoding": "identity" });
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("vary")).toBe("Accept-Encoding");
    const expected = await plain.text();
    const usageIds = new Set([JSON.parse(expected)._origin.usage_id]);
    for (let count = 0; count < 3; count++) {
      const response = await fetch(gateway.baseUrl + path, {
        headers: { "x-api-key": key, "Accept-Encoding": "gzip, br, zstd" },
        decompress: false,
      } as RequestInit);
      expect(response.headers.get("content-encoding")).toBe("gzip");
      expect(response.headers.get("vary")).toBe("Accept-Encoding");
      expect(response.headers.get("etag")).toBe(plain.headers.get("etag"));
      const bytes = new Uint8Array(await response.arrayBuffer());
      expect(Number(response.headers.get("content-length"))).toBe(bytes.length);
      expect(bytes.length).toBeLessThan(expected.length / 2);
      const text = gunzipSync(bytes).toString("utf8");
      expect(withoutOrigin(text)).toBe(withoutOrigin(expected));
      usageIds.add(JSON.parse(text)._origin.usage_id);
    }
    expect(usageIds.size).toBe(4);
    const fetched = await gateway.get(path, key, { "Accept-Encoding": "gzip, br, zstd" });
    expect(((await fetched.json()) as { data: unknown }).data).toEqual(rows.slice(0, 50));
  });

  test("an answer of less than 1 KB is sent as it is", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows: rows.slice(0, 2) });
    const response = await gateway.get(`/v1/feed/${feed.slug}`, key, { "Accept-Encoding": "gzip" });
    expect(response.headers.get("content-encoding")).toBeNull();
    expect(response.headers.get("vary")).toBe("Accept-Encoding");
  });
});

describe("HEAD", () => {
  const head = (path: string, headers: Record<string, string> = {}) =>
    fetch(gateway.baseUrl + path, {
      method: "HEAD",
      headers: { "x-api-key": key, "Accept-Encoding": "identity", ...headers },
    });

  test("HEAD of data has the headers of the GET but Content-Length and Link, and counts nothing", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows,
      callPriceNanos: 12_500,
    });
    const path = `/api/v1/feed/${feed.slug}?limit=50`;
    const fresh = await head(path);
    expect(fresh.headers.get("x-ratelimit-remaining")).toBe("100");
    const got = await gateway.get(path, key, { "Accept-Encoding": "identity" });
    expect(got.headers.get("link")).not.toBeNull();
    const again = await head(path);
    expect(again.status).toBe(200);
    expect(await again.text()).toBe("");
    const compared = ["content-type", "etag", "cache-control", "vary"];
    for (const name of [...compared, "x-ratelimit-limit", "x-ratelimit-remaining"]) {
      expect([name, again.headers.get(name)]).toEqual([name, got.headers.get(name)]);
    }
    expect([again.headers.get("content-length"), again.headers.get("link")]).toEqual([null, null]);
    const reset = (each: Response) => Number(each.headers.get("x-ratelimit-reset"));
    expect(Math.abs(reset(again) - reset(got))).toBeLessThanOrEqual(1);
    const [usage] = await gateway.sql`
      select count(*)::int as count from usage_events where feed_id = ${feed.feedId}`;
    expect(usage?.count).toBe(1);
  });

  test("of a free feed it shows the free limit, as the GET does", async () => {
    const { slug } = await seedFeed(gateway, owner, { type: "collection", rows });
    const limitOf = ({ headers }: Response) => headers.get("x-ratelimit-limit");
    const path = `/v1/feed/${slug}?limit=1`;
    expect(limitOf(await head(path))).toBe(limitOf(await gateway.get(path, key)));
  });

  test("a 402 shows the window that a GET is counted in, to HEAD and to a condition", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows,
      oneTimePriceCents: 500,
    });
    const path = `/v1/feed/${feed.slug}?limit=1`;
    const buyer = await gateway.createAccount();
    await gateway.sql`
      with entry as (
        insert into credit_ledger
          (account_id, kind, amount_nanos, balance_before_nanos, balance_after_nanos, reason)
        values (${buyer}, 'purchase', 0, 0, 0, 'test')
        returning entry_id
      )
      insert into purchases (account_id, feed_id, entry_id, price_cents)
      select ${buyer}, ${feed.feedId}, entry_id, 100 from entry`;
    const bought = await gateway.get(path, await gateway.createKey(buyer, "read"));
    const tag = bought.headers.get("etag") as string;
    const refused = [
      await gateway.get(path, key),
      await head(path),
      await gateway.get(path, key, { "If-None-Match": tag }),
    ];
    for (const { status, headers } of refused) {
      const shown = [headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")];
      expect([status, ...shown]).toEqual([402, "100", "100"]);
    }
  });

  test("on every other route it has the headers of the GET, too", async () => {
    const feed = await seedFeed(gateway, owner, { type: "collection", rows });
    await gateway.sql`
      update feeds set is_public = true, published_at = now() where feed_id = ${feed.feedId}`;
    const write = await gateway.createKey(owner, "write");
    const paths = [
      "/v1/catalog",
      "/v1/search?q=feed",
      `/v1/feed/${feed.slug}/metadata`,
      "/v1/account",
      "/v1/usage?limit=1",
      "/v1/provider/feeds",
      `/public/feeds/${feed.slug}/agent-skill`,
      `/public/feeds/${feed.slug}/agent-skill?format=zip`,
      "/.well-known/agent-skills/index.json",
      "/docs",
      "/docs/json",
      "/docs/assets/docs.js",
      "/healthz",
    ];
    for (const path of paths) {
      const authorization = path.startsWith("/v1/provider")
        ? { "x-api-key": "", Authorization: `Bearer ${write}` }
        : {};
      const init = {
        headers: { "x-api-key": key, "Accept-Encoding": "identity", ...authorization },
      };
      const got = await fetch(gateway.baseUrl + path, init);
      const length = (await got.arrayBuffer()).byteLength;
      const sent = await fetch(gateway.baseUrl + path, { ...init, method: "HEAD" });
      expect([path, got.status, sent.status, await sent.text()]).toEqual([path, 200, 200, ""]);
      expect([path, Number(sent.headers.get("content-length"))]).toEqual([path, length]);
      expect([path, ...sent.headers.keys()].sort()).toEqual([path, ...got.headers.keys()].sort());
      const compared = ["content-type", "cache-control", "x-ratelimit-limit"];
      for (const name of [...compared, "x-ratelimit-remaining", "content-disposition"]) {
        expect([path, name, sent.headers.get(name)]).toEqual([path, name, got.headers.get(name)]);
      }
    }
  });

  test("HEAD of a metered feed without credits is 402, and reveals nothing of the rows", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows,
      callPriceNanos: 1_000,
    });
    const poor = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${feed.slug}?id=eq.`;
    const answers = await Promise.all(
      ["1", "no such id"].map((id) =>
        head(`${path}${encodeURIComponent(id)}`, { "x-api-key": poor }),
      ),
    );
    const shown = answers.map(({ status, headers }) => [
      status,
      headers.get("content-length"),
      headers.get("link"),
      headers.get("etag"),
    ]);
    expect(shown[0]?.[0]).toBe(402);
    expect(shown[0]).toEqual(shown[1]);
  });

  test("what would be a 400 for its rows is 402 without credits, with any condition", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "collection",
      rows,
      callPriceNanos: 1_000,
    });
    const poor = await gateway.createKey(await gateway.createAccount(), "read");
    const rich = await gateway.createKey(await gateway.createAccount({ credits: 5 }), "read");
    const path = `/v1/feed/${feed.slug}?jsonpath=${encodeURIComponent("$[0:1]")}&id=eq.`;
    const statuses = async (key: string, id: string) => {
      const asked = (condition?: string) => ({
        "x-api-key": key,
        "Feedgate-Max-Chars": "2",
        ...(condition && { "If-None-Match": condition }),
      });
      const url = `${path}${encodeURIComponent(id)}`;
      const answers = [
        await head(url, asked()),
        await gateway.get(url, undefined, asked("*")),
        await gateway.get(url, undefined, asked('"other"')),
      ];
      return answers.map(({ status }) => status);
    };
    expect(await statuses(rich, "1")).toEqual([400, 400, 400]);
    for (const id of ["1", "no such id"]) expect(await statuses(poor, id)).toEqual([402, 402, 402]);
  });

  test("tags that may be made up are counted without credits, since a page is built for them", async () => {
    const feed = await seedFeed(gateway, owner, {
      type: "singleton",
      rows: [{ a: rows }],
      callPriceNanos: 1_000,
    });
    const poor = await gateway.createKey(await gateway.createAccount(), "read");
    const path = `/v1/feed/${feed.slug}?jsonpath=${encodeURIComponent("$.a[0]")}`;
    const asked = { "x-api-key": poor, "If-None-Match": '"made up"' };
    const answers = await Promise.all(
      Array.from({ length: REVALIDATION_LIMIT + 10 }, () => gateway.get(path, undefined, asked)),
    );
    const statuses = Map.groupBy(answers, ({ status }) => status);
    expect(statuses.get(402)?.length).toBe(REVALIDATION_LIMIT);
    expect(statuses.get(429)?.length).toBe(10);
  });
});

describe("a Host that can't be read", () => {
  async function answerTo(head: string): Promise<string> {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = connect(Number(port), hostname);
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const part of socket) answer += part;
    return answer;
  }

  test.each(["HTTP/1.0", "HTTP/1.1\r\nHost:", "HTTP/1.1\r\nHost: [", "HTTP/1.1\r\nHost: x:99999"])(
    "%j: routes, errors and links are as ever",
    async (version) => {
      expect(await answerTo(`GET /nothing ${version}`)).toContain("ROUTE_NOT_FOUND");
      expect(await answerTo(`DELETE /v1/catalog ${version}`)).toContain("METHOD_NOT_ALLOWED");
      const feed = await seedFeed(gateway, owner, { type: "collection", rows });
      const path = `/v1/feed/${feed.slug}`;
      const answer = await answerTo(`GET ${path}?limit=1 ${version}\r\nx-api-key: ${key}`);
      expect(answer).toStartWith("HTTP/1.1 200");
      expect(answer).toContain(`Link: <${gateway.baseUrl}${path}?limit=1&cursor=`);
    },
  );
});
