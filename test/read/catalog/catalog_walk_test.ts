import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

/** More than two blocks of the catalog's index hold. */
const FEEDS = 1_300;

let gateway: TestGateway;
let key: string;

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_DISCOVERY_LIMIT: "100000" });
  key = await gateway.createKey(await gateway.createAccount(), "read");
  const owner = await gateway.createAccount();
  // Two thirds of them at one instant, so blocks begin within it.
  await gateway.sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, call_price_nanos, status, is_public, published_at,
      first_pushed_at
    )
    select
      ${owner}, 'Feed ' || number, 'feed-' || number, 'stream', 0, 'active', true,
      now() - (number % 3 / 2) * number * interval '1 second', now()
    from generate_series(1, ${FEEDS}::int) as number`;
});
afterAll(() => gateway.stop());

async function page(limit: number, offset: number) {
  const response = await gateway.get(`/v1/catalog?limit=${limit}&offset=${offset}`, key);
  const { total, feeds } = (await response.json()) as { total: number; feeds: { id: string }[] };
  expect(total).toBe(FEEDS);
  return feeds.map(({ id }) => id);
}

test("pages at any offset show the catalog's feeds in order, each once", async () => {
  const listed = await gateway.sql`select feed_id from feeds order by listed_at desc, feed_id`;
  const expected = listed.map(({ feed_id: id }) => id);
  const walked: string[] = [];
  for (let offset = 0; offset < FEEDS; offset += 100) walked.push(...(await page(100, offset)));
  expect(walked).toEqual(expected);
  for (const offset of [255, 256, 511, 512, 513, 767, 865, 866, 867, FEEDS - 1]) {
    expect(await page(100, offset)).toEqual(expected.slice(offset, offset + 100));
  }
  for (const offset of [FEEDS, FEEDS + 600, 2 ** 31]) expect(await page(100, offset)).toEqual([]);
});
