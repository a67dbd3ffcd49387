/** `feed readers`, `access list`, and the client's `access request` and `access mine`. Beyond 18. */
import { beforeAll, describe, expect, test } from "bun:test";
import { insertAdminKey } from "../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { startOperatedGateway, UNKNOWN_ID } from "./support.ts";

const { gateway, operator } = await startOperatedGateway();

let asked: SeededFeed;
let other: SeededFeed;
let write: string;
let agent: string;
let reading: Record<string, string>;
let writing: Record<string, string>;

beforeAll(async () => {
  const owner = await gateway.createAccount({ name: "Owner" });
  write = await gateway.createKey(owner, "write");
  agent = await gateway.createAccount({ name: "Map makers" });
  reading = {
    FEEDGATE_URL: gateway.baseUrl,
    FEEDGATE_KEY: await gateway.createKey(agent, "read"),
  };
  writing = { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: write };
  const feed = { type: "collection", rows: [{ id: 1 }], isPublic: true } as const;
  asked = await seedFeed(gateway, owner, feed);
  other = await seedFeed(gateway, owner, feed);
});

async function grant({ feedId }: SeededFeed, accountId: string, terms: object = {}) {
  const path = `/v1/provider/feed/${feedId}/readers/${accountId}`;
  const answer = await fetch(gateway.baseUrl + path, {
    method: "PUT",
    headers: { Authorization: `Bearer ${write}`, "Content-Type": "application/json" },
    body: JSON.stringify(terms),
  });
  expect(answer.status).toBe(200);
}

describe("an account that asks", () => {
  test("edit, describe, ask and look, as the refusal says", async () => {
    const edited = await operator.run(
      ["feed", "edit", asked.slug, "--access", "by_request"],
      writing,
    );
    expect([edited.code, edited.stderr]).toEqual([0, ""]);
    expect(edited.stdout).toMatch(/access +by_request\n/);
    expect(
      (await operator.run(["feed", "edit", asked.slug, "--access", "all"], writing)).code,
    ).toBe(2);
    const described = await operator.run(["describe", asked.slug], reading);
    expect(described.stdout).toMatch(/access +by_request\n/);
    const refused = await operator.run(["read", asked.slug], reading);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("access request FEED --message TEXT");
    const none = await operator.run(["access", "mine"], reading);
    expect(none.stdout).toBe("the account has not requested access to any feed\n");
    const made = await operator.run(
      ["access", "request", asked.slug, "--message", "For a map of schools"],
      reading,
    );
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toMatch(/status +waiting/);
    const again = await operator.run(["access", "request", asked.slug], reading);
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain("the provider has not answered yet");
    const long = ["--message", "x".repeat(2_001)];
    expect((await operator.run(["access", "request", asked.slug, ...long], reading)).code).toBe(2);
    const mine = await operator.run(["access", "mine", "--json"], reading);
    expect(JSON.parse(mine.stdout).requests).toMatchObject([
      { feed_id: asked.feedId, status: "waiting", message: "For a map of schools" },
    ]);
    expect((await operator.run(["access", "request", UNKNOWN_ID], reading)).code).toBe(1);
  });
});

describe("an operator that looks", () => {
  const ids = (listed: unknown, member: string) =>
    (listed as readonly Record<string, string>[]).map((each) => each[member]);

  test("lists requests and grants, by account, feed and state, page by page", async () => {
    await grant(other, agent, { is_free: true, note: "the provider's own" });
    const others = [];
    for (let count = 0; count < 3; count++) {
      const account = await gateway.createAccount({ name: `Reader ${count}` });
      await grant(other, account, { expires_at: "2999-01-01T00:00:00Z" });
      others.unshift(account);
    }
    const all = [...others, agent];
    const readers = await operator.json("feed", "readers", other.slug);
    expect(ids(readers, "account_id")).toEqual(all);
    expect((readers as readonly object[]).at(-1)).toEqual({
      account_id: agent,
      account_name: "Map makers",
      feed_id: other.feedId,
      endpoint_path: other.slug,
      feed_name: expect.any(String),
      is_free: true,
      expires_at: null,
      granted_at: expect.any(String),
    });
    const first = await operator.run(["feed", "readers", other.feedId, "--limit", "3"]);
    const [, after = ""] = /--after (\S+)/.exec(first.stderr) ?? [];
    const rest = await operator.json("feed", "readers", other.feedId, "--after", after);
    expect(ids(rest, "account_id")).toEqual([agent]);
    const ofAgent = ["access", "list", "--grants", "--account", "Map makers"];
    expect(ids(await operator.json(...ofAgent), "feed_id")).toEqual([other.feedId]);
    const requests = ["access", "list", "--feed", asked.slug];
    expect(await operator.json(...requests)).toMatchObject([
      { account_name: "Map makers", message: "For a map of schools", status: "waiting" },
    ]);
    expect(await operator.json(...requests, "--status", "declined")).toEqual([]);
    await gateway.sql`
      update access_grants set expires_at = now()
      where feed_id = ${other.feedId} and account_id = ${agent}`;
    expect(await operator.json(...ofAgent)).toEqual([]);
    const { code } = await operator.run(["access", "list", "--grants", "--status", "waiting"]);
    expect(code).toBe(2);
    for (const wrong of [
      ["--feed", "none"],
      ["--account", "none"],
    ]) {
      expect((await operator.run(["access", "list", ...wrong])).code).toBe(1);
    }
    expect((await operator.run(["access", "list", "--after", "x"])).code).toBe(2);
    // A cursor of the other list.
    expect((await operator.run(["access", "list", "--after", after])).code).toBe(1);
  });

  test("sees the same over HTTP, and who may read each feed", async () => {
    const { key } = await insertAdminKey(gateway);
    const get = async (path: string) =>
      (
        await gateway.get(`/v1/operator${path}`, undefined, { Authorization: `Bearer ${key}` })
      ).json();
    const readers = await operator.json("feed", "readers", other.slug);
    expect(await get(`/feeds/${other.slug}/readers`)).toEqual({
      readers,
      limit: 100,
      has_more: false,
      next_cursor: null,
    });
    expect(await get(`/access-grants?feed_id=${other.slug}`)).toMatchObject({ grants: readers });
    expect(await get("/access-requests?status=waiting")).toMatchObject({
      requests: [{ feed_id: asked.feedId, account_id: agent }],
    });
    expect(await operator.json("feed", "list")).toMatchObject([
      { id: other.feedId, access: "open" },
      { id: asked.feedId, access: "by_request" },
    ]);
    expect((await operator.run(["feed", "show", asked.slug])).stdout).toMatch(
      /access +by request\n/,
    );
  });
});
