import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shellActor } from "../../src/accounts/actor.ts";
import { type AccountSearch, searchAccounts, suspendAccount } from "../../src/operator/accounts.ts";
import { listAuditEvents } from "../../src/operator/audit.ts";
import { type FeedSearch, listReaders, searchFeeds } from "../../src/operator/feeds.ts";
import type { Operator } from "../../src/operator/operator.ts";
import { listCalls } from "../../src/operator/usage.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { countSales } from "../support/run_job.ts";
import { seedFeed } from "../support/seed.ts";

const NAMES = ["Acme Trading", "northwind", "ACME Research", "100% acme_", "Zeta"];

let gateway: TestGateway;
let operator: Operator;
const ids = new Map<string, string>();

beforeAll(async () => {
  gateway = await startTestGateway();
  operator = {
    database: createDatabase(gateway.sql),
    limits: gateway.gateway.services.config.limits,
  };
  for (const name of NAMES)
    ids.set(name, await gateway.createAccount({ name, credits: 1_000_000 }));
});
afterAll(() => gateway.stop());

/** All names, page by page. */
async function accounts(search: Omit<AccountSearch, "limit">): Promise<readonly string[]> {
  const names: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; ) {
    isFirst = false;
    const page = await searchAccounts(operator, { ...search, limit: 2, cursor });
    names.push(...page.entries.map(({ name }) => name));
    cursor = page.nextCursor ?? undefined;
  }
  return names;
}

describe("searchAccounts", () => {
  test("finds a part of a name in any case, in each order, page by page", async () => {
    expect(await accounts({ order: "oldest" })).toEqual(NAMES);
    expect(await accounts({ order: "newest" })).toEqual(NAMES.toReversed());
    expect(await accounts({ part: "aCmE", order: "oldest" })).toEqual([
      "Acme Trading",
      "ACME Research",
      "100% acme_",
    ]);
    const sorted = await gateway.sql`select name from accounts order by name`;
    expect(await accounts({ order: "name" })).toEqual(sorted.map(({ name }) => name));
  });

  test("takes no character for a pattern", async () => {
    expect(await accounts({ part: "%", order: "newest" })).toEqual(["100% acme_"]);
    expect(await accounts({ part: "e_", order: "newest" })).toEqual(["100% acme_"]);
    expect(await accounts({ part: "\\", order: "newest" })).toEqual([]);
  });

  test("tells suspended accounts from others", async () => {
    const account = { account_id: ids.get("Zeta") ?? "", reason: "test" };
    await suspendAccount(operator, account, shellActor("test"));
    expect(await accounts({ isSuspended: true, order: "newest" })).toEqual(["Zeta"]);
    expect(await accounts({ isSuspended: false, order: "newest" })).not.toContain("Zeta");
  });
});

describe("searchFeeds", () => {
  test("finds drafts and unlisted feeds by a part of name or slug, newest first, and no deleted ones", async () => {
    const owner = ids.get("northwind") ?? "";
    const write = await gateway.createKey(owner, "write");
    const made: string[] = [];
    for (const [slug, name] of [
      ["tide-tables", "Tables of TIDES"],
      ["weather", "Weather at tide stations"],
      ["grain", "Grain"],
      ["tides-gone", "Gone"],
    ] as const) {
      const created = await gateway.send("POST", "/v1/provider/feed/create", write, {
        name,
        endpoint_path: slug,
      });
      made.push(((await created.json()) as { id: string }).id);
    }
    await gateway.send("DELETE", `/v1/provider/feed/${made[3]}`, write, undefined);
    const found = async (search: Partial<FeedSearch>) =>
      (await searchFeeds(operator, { part: "tide", limit: 10, ...search })).entries.map(
        ({ endpoint_path: slug }) => slug,
      );
    expect(await found({})).toEqual(["weather", "tide-tables"]);
    expect(await found({ part: "Tide-T" })).toEqual(["tide-tables"]);
    expect(await found({ status: "active" })).toEqual([]);
    expect(await found({ review: "none", accountId: owner })).toEqual(["weather", "tide-tables"]);
    const first = await searchFeeds(operator, { part: "tide", limit: 1 });
    expect(await found({ cursor: first.nextCursor ?? "" })).toEqual(["tide-tables"]);
  });
});

describe("calls and readers", () => {
  const today = () => new Date().toISOString().slice(0, 10);

  test("listReaders ranks accounts by what they read; listCalls leaves free searches out", async () => {
    const owner = ids.get("northwind") ?? "";
    const rows = [{ id: 1 }];
    const feed = await seedFeed(gateway, owner, { type: "collection", rows, isPublic: true });
    const [much, little] = ["Acme Trading", "ACME Research"].map((name) => ids.get(name) ?? "");
    const keys = [
      await gateway.createKey(much ?? "", "read"),
      await gateway.createKey(little ?? "", "read"),
    ];
    for (const key of [keys[0], keys[0], keys[1]]) await gateway.get(`/v1/feed/${feed.slug}`, key);
    await gateway.get("/v1/search?q=x", keys[0]);
    await countSales(gateway.sql);
    const asked = { feedId: feed.feedId, from: today(), to: today() };
    const readers = await listReaders(operator, asked);
    expect(readers.map((row) => [row.account_name, Number(row.reads), row.last_day])).toEqual([
      ["Acme Trading", 2, today()],
      ["ACME Research", 1, today()],
    ]);
    const past = { ...asked, from: "2020-01-01", to: "2020-01-02" };
    expect(await listReaders(operator, past)).toEqual([]);

    const query = {
      accountId: much ?? "",
      limit: 10,
      cursor: undefined,
      since: `${today()}T00:00:00Z`,
      until: `${today()}T23:59:59.999Z`,
    };
    const operations = async (isDiscoveryHidden: boolean) =>
      (await listCalls(operator, { ...query, isDiscoveryHidden })).entries.map(
        ({ operation }) => operation,
      );
    expect(await operations(true)).toEqual(["data", "data"]);
    expect(await operations(false)).toEqual(["search", "data", "data"]);
    const one = await listCalls(operator, { ...query, limit: 1, isDiscoveryHidden: true });
    expect(one.nextCursor).toBe(one.entries[0]?.usage_id ?? "none");
    const of = { ...query, keyId: crypto.randomUUID(), isDiscoveryHidden: true };
    expect((await listCalls(operator, of)).entries).toEqual([]);
  });

  test("listAuditEvents filters by who and by what", async () => {
    const actions = async (filter: object) =>
      (await listAuditEvents(operator, { limit: 1_000, ...filter })).entries.map(
        ({ action }) => action,
      );
    expect(new Set(await actions({ actionKind: "account" }))).toEqual(
      new Set(["account create", "account suspend"]),
    );
    expect(await actions({ actionKind: "account suspend" })).toEqual(["account suspend"]);
    expect(await actions({ actionKind: "acc" })).toEqual([]);
    expect((await actions({ actor: "operator test" })).length).toBeGreaterThan(4);
    expect(await actions({ actor: "operator nobody" })).toEqual([]);
  });
});
