import { expect, test } from "bun:test";
import type { Feed } from "../../../src/feeds/find.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { createLog } from "../../../src/lib/log.ts";
import { DatabaseTimeSpentError } from "../../../src/postgres/client/database.ts";
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

test("a read that shares a page with an account without a budget is built in its own turn", async () => {
  const pages = pagesOf(async (accountId) => {
    await Bun.sleep(0);
    if (accountId === "poor") throw new DatabaseTimeSpentError(1, 1);
    return { data: "1", data_version: 1n };
  });
  const reads = ["poor", "rich"].map((accountId) => pages.atLeast(wantedBy(accountId), null));
  const settled = await Promise.allSettled(reads);
  expect(settled).toMatchObject([{ status: "rejected" }, { value: { dataVersion: 1n } }]);
});
