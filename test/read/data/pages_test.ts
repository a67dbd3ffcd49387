import { expect, test } from "bun:test";
import type { Feed } from "../../../src/feeds/find.ts";
import { Metrics } from "../../../src/http/metrics.ts";
import { createLog } from "../../../src/lib/log.ts";
import { DatabaseTimeSpentError } from "../../../src/postgres/client/query.ts";
import { createPages } from "../../../src/read/data/pages.ts";
import { createPlans } from "../../../src/read/data/plans.ts";
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
};

test("the tag of a page tells the database's incarnation, in which versions may come again", async () => {
  const tagIn = async (incarnation: string) => {
    const pages = createPages({
      database: {},
      reader: { row: async () => ({ data: "1", data_version: 1n }) },
      cursorSecret: SECRET,
      incarnation,
      http: { metrics: new Metrics() },
      log: createLog({ level: "silent" }),
      state: { isDraining: true },
    } as unknown as Services);
    return (
      await pages.atLeast(
        {
          accountId: FEED.accountId,
          feed: FEED,
          plan: createPlans(SECRET)({ query: {}, search: "" }, FEED),
        },
        null,
      )
    ).tag;
  };
  expect(await tagIn("a")).toBe(await tagIn("a"));
  expect(await tagIn("a")).not.toBe(await tagIn("b"));
});

test("a read that shares a page with one that asked before it is never shown an older version", async () => {
  const flights: ((row: { data: string; data_version: bigint }) => void)[] = [];
  const pages = createPages({
    database: {},
    reader: { row: () => new Promise((resolve) => flights.push(resolve)) },
    cursorSecret: SECRET,
    incarnation: "",
    http: { metrics: new Metrics() },
    log: createLog({ level: "silent" }),
    state: { isDraining: true },
  } as unknown as Services);
  const wanted = {
    accountId: FEED.accountId,
    feed: FEED,
    plan: createPlans(SECRET)({ query: {}, search: "" }, FEED),
  };
  const before = pages.atLeast(wanted, null);
  const granted = pages.atLeast(wanted, 2n);
  flights[0]?.({ data: "1", data_version: 1n });
  expect((await before).dataVersion).toBe(1n);
  await Bun.sleep(0);
  flights[1]?.({ data: "2", data_version: 2n });
  expect((await granted).dataVersion).toBe(2n);
});

test("a read that shares a page with an account without a budget is built in its own turn", async () => {
  const [poor, rich] = ["poor", "rich"];
  const pages = createPages({
    database: {},
    reader: {
      row: async (accountId: string) => {
        await Bun.sleep(0);
        if (accountId === poor) throw new DatabaseTimeSpentError(1, 1);
        return { data: "1", data_version: 1n };
      },
    },
    cursorSecret: SECRET,
    incarnation: "",
    http: { metrics: new Metrics() },
    log: createLog({ level: "silent" }),
    state: { isDraining: true },
  } as unknown as Services);
  const plan = createPlans(SECRET)({ query: {}, search: "" }, FEED);
  const [first, second] = [poor, rich].map((accountId) =>
    pages.atLeast({ accountId: accountId as string, feed: FEED, plan }, null),
  );
  const settled = await Promise.allSettled([first, second]);
  expect(settled).toMatchObject([{ status: "rejected" }, { value: { dataVersion: 1n } }]);
});
