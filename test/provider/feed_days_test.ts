import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FEED_DAYS_SHOWN } from "../../src/limits.ts";
import { findPushMistakes, listFeedDays } from "../../src/provider/feed_days.ts";
import { shareTestGateway, type TestGateway } from "../support/gateway.ts";
import { runJob } from "../support/run_job.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await shareTestGateway();
});
afterAll(() => gateway.stop());

async function feed(): Promise<string> {
  const account = await gateway.createAccount();
  const { feedId } = await seedFeed(gateway, account, { type: "collection", rows: [{ id: 1 }] });
  return feedId;
}

const daysOf = (feedId: string) => listFeedDays(gateway.gateway.services.database, feedId);

/** A push at a time of the day before yesterday, in UTC. */
async function push(feedId: string, time: string, { stored = true, rows = 1 } = {}) {
  await gateway.sql`
    insert into pushes (feed_id, pushed_at, stored, rows_received, rows_inserted, rows_updated,
      rows_duplicate, body_bytes, duration_ms)
    values (${feedId}, ((now() at time zone 'UTC')::date - 2 + ${time}::interval) at time zone 'UTC',
      ${stored}, ${rows}, ${rows}, ${rows * 2}, 0, 1, 1)`;
}

describe("listFeedDays", () => {
  test("has each of the last days, and nothing of a feed without a push", async () => {
    const feedId = await feed();
    await gateway.sql`
      update feeds set status = 'draft', first_pushed_at = null where feed_id = ${feedId}`;
    const days = await daysOf(feedId);
    expect(days).toHaveLength(FEED_DAYS_SHOWN);
    expect(days.at(-1)).toMatchObject({
      day: new Date().toISOString().slice(0, 10),
      ...{ reads: 0n, readers: 0n, net_nanos: 0n, rows_new: 0n, on_time_percent: null },
    });
  });

  test("counts a day's rows and refusals, and the share of it that was on time", async () => {
    const feedId = await feed();
    await gateway.sql`
      update feeds set sync_interval_mins = 600, first_pushed_at = now() - interval '60 days'
      where feed_id = ${feedId}`;
    // An interval and 10 % are 11 hours: late from 11 to 12, and from 23 on.
    await push(feedId, "-1 hours");
    await push(feedId, "0 hours");
    await push(feedId, "12 hours", { rows: 3 });
    await push(feedId, "13 hours", { stored: false });
    const days = await daysOf(feedId);
    expect(days.at(-3)).toMatchObject({
      ...{ rows_new: 4n, rows_changed: 8n, refusals: 1n },
      on_time_percent: "91.7",
    });
    expect(days.at(-2)).toMatchObject({ rows_new: 0n, on_time_percent: "0.0" });
    // Until then there was nothing that could be late.
    await gateway.sql`
      update feeds
      set first_pushed_at = ((now() at time zone 'UTC')::date - 2 + interval '12 hours') at time zone 'UTC'
      where feed_id = ${feedId}`;
    const later = await daysOf(feedId);
    expect(later.at(-3)?.on_time_percent).toBe("91.7");
    expect(later.at(-4)?.on_time_percent).toBeNull();
  });
});

describe("findPushMistakes", () => {
  const database = () => gateway.gateway.services.database;
  const keep = (feedId: string, detail: string) =>
    database().row("keep_push_mistakes", {
      ...{ feed_id: feedId, detail, mistake_count: 7 },
      mistakes: JSON.stringify([{ path: "/n", message: "must be a number", line: 2 }]),
    });

  test("finds those of the refusal that is asked for, and no others", async () => {
    const feedId = await feed();
    await keep(feedId, "first");
    await keep(feedId, "second");
    expect(await findPushMistakes(database(), { feedId, detail: "second" })).toEqual({
      mistakes: [{ path: "/n", message: "must be a number", line: 2 }],
      mistakeCount: 7,
    });
    for (const detail of ["first", ""]) {
      const none = { mistakes: [], mistakeCount: 0 };
      expect(await findPushMistakes(database(), { feedId, detail })).toEqual(none);
    }
  });

  test("they go when their feed is emptied", async () => {
    const feedId = await feed();
    await keep(feedId, "gone");
    await gateway.sql`update feeds set deleted_at = now() where feed_id = ${feedId}`;
    await runJob(gateway.sql, "deleted feeds");
    const left = await gateway.sql`select 1 from push_mistakes where feed_id = ${feedId}`;
    expect(left).toHaveLength(0);
  });
});
