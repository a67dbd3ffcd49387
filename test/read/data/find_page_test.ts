import { describe, expect, test } from "bun:test";
import type { Feed } from "../../../src/feeds/find.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { Problem, unavailable } from "../../../src/http/problem_details.ts";
import { createLog } from "../../../src/lib/log.ts";
import {
  DatabaseOverloadedError,
  DatabaseTimeSpentError,
} from "../../../src/postgres/client/database.ts";
import { createPages } from "../../../src/read/data/find_page.ts";
import { createPlans } from "../../../src/read/data/known_plans.ts";
import { Projections } from "../../../src/read/projection/turns.ts";
import type { Services } from "../../../src/services.ts";

const SECRET = "0123456789abcdef";
const FEED: Feed = {
  feedId: "00000000-0000-4000-8000-000000000001",
  accountId: "00000000-0000-4000-8000-000000000002",
  feedType: "singleton",
  status: "active",
  lockedSchema: null,
  definitionVersion: 1n,
  priceType: "free",
  callPriceNanos: 0n,
  oneTimePriceCents: null,
  dataVersion: 1n,
  hasData: true,
  retentionDays: null,
  suspensionReason: null,
  access: "open",
};

const PLAN = createPlans(SECRET)({ query: {}, search: "" }, FEED);

type DocumentRow = { data: string; data_version: bigint };

/** Pages over a database that answers with `row`. */
function pagesOf(row: (accountId: string) => Promise<DocumentRow>, incarnation = "") {
  const services = {
    database: {},
    reader: { row },
    cursorSecret: SECRET,
    incarnation,
    http: { metrics: new Metrics() },
    log: createLog({ level: "silent" }),
    state: { isDraining: true },
  } as unknown as Services;
  return createPages(services, new Projections());
}

function wantedBy(accountId: string) {
  return { accountId, feed: FEED, plan: PLAN };
}

test("the tag of a page holds the database's incarnation, in which versions may come again", async () => {
  const tagIn = async (incarnation: string) => {
    const pages = pagesOf(async () => ({ data: "1", data_version: 1n }), incarnation);
    return (await pages.atLeast(wantedBy("reader"), null)).tag;
  };
  expect(await tagIn("a")).toBe(await tagIn("a"));
  expect(await tagIn("a")).not.toBe(await tagIn("b"));
});

test("a read that shares a page with one that asked before it is never shown an older version", async () => {
  const flights: ((row: DocumentRow) => void)[] = [];
  const pages = pagesOf(() => new Promise((resolve) => flights.push(resolve)));
  const before = pages.atLeast(wantedBy("reader"), null);
  const granted = pages.atLeast(wantedBy("reader"), 2n);
  flights[0]?.({ data: "1", data_version: 1n });
  expect((await before).dataVersion).toBe(1n);
  await Bun.sleep(0);
  flights[1]?.({ data: "2", data_version: 2n });
  expect((await granted).dataVersion).toBe(2n);
});

describe("a read that shares a page with an account that has no turn is built in its own", () => {
  test.each([
    ["no database time", new DatabaseTimeSpentError(1, 1)],
    ["no connection", new DatabaseOverloadedError()],
    ["no projection", new Problem("RATE_LIMITED", { detail: "" })],
    ["no place for a projection", unavailable("")],
  ])("%s", async (_, refusal) => {
    const pages = pagesOf(async (accountId) => {
      await Bun.sleep(0);
      if (accountId === "poor") throw refusal;
      return { data: "1", data_version: 1n };
    });
    const reads = ["poor", "rich"].map((accountId) => pages.atLeast(wantedBy(accountId), null));
    expect(await Promise.allSettled(reads)).toMatchObject([
      { status: "rejected", reason: refusal },
      { value: { dataVersion: 1n } },
    ]);
  });
});

test("a page that was built by another definition of its feed is not taken", async () => {
  let built = 0;
  const pages = pagesOf(async () => {
    built += 1;
    return { data: "1", data_version: 1n };
  });
  const wanted = wantedBy("reader");
  const edited = { ...wanted, feed: { ...FEED, definitionVersion: 2n } };
  for (const each of [wanted, edited, wanted, edited]) await pages.atLeast(each, null);
  expect(built).toBe(2);
});
