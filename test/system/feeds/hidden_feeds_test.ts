import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

const WARMING_CALLS = 50;
/** On a quiet machine, so many calls are enough to show equal times. If not, there are more, up to the last. */
const LOOK_AFTER_CALLS = [300, 1_000, 2_000];
/** What noise moves a quartile by; what betrayed a draft moved it by 1.3 and by 4. */
const RATIO_MAX = 1.15;

let gateway: TestGateway;
/** Of many accounts: the refusals of one wait for their turn, which would hide what is measured. */
let keys: string[];

beforeAll(async () => {
  // So many calls are more than an account's share of the database's time.
  gateway = await startTestGateway({ FEEDGATE_DATABASE_MS: "1000000" });
  const owner = await gateway.createAccount();
  const readers = Array.from({ length: 20 }, async () =>
    gateway.createKey(await gateway.createAccount(), "read"),
  );
  keys = await Promise.all(readers);
  for (const status of ["draft", "inactive"]) {
    const { feedId } = await seedFeed(gateway, owner, { type: "singleton", isPublic: true });
    // With texts that take time to fetch and to read.
    const schema = { properties: { text: { description: "x".repeat(200_000) } } };
    await gateway.sql`
      update feeds
      set status = ${status}, endpoint_path = ${status}, readme_md = ${"y".repeat(200_000)},
        schema_definition = ${JSON.stringify(schema)}
      where feed_id = ${feedId}`;
  }
});
afterAll(() => gateway.stop());

/**
 * How the slugs' times compare: the slowest to the fastest.
 * Each slug is called in turns, and each turn begins with another one, since the first call of a key does more.
 * The lower quartile is compared, since half of all calls wait for a processor where other tests run.
 */
async function ratioOf(
  pathOf: (slug: string) => string,
  slugs: readonly string[],
): Promise<number> {
  const times = slugs.map((): number[] => []);
  let ratio = Number.POSITIVE_INFINITY;
  let calls = 0;
  for (const callsMax of LOOK_AFTER_CALLS) {
    for (; calls < WARMING_CALLS + callsMax; calls++) {
      for (let place = 0; place < slugs.length; place++) {
        const index = (calls + place) % slugs.length;
        const startedMs = performance.now();
        const response = await gateway.get(
          pathOf(slugs[index] as string),
          keys[calls % keys.length],
        );
        await response.bytes();
        if (calls >= WARMING_CALLS) times[index]?.push(performance.now() - startedMs);
        expect(response.status).toBe(404);
      }
    }
    const quartiles = times.map((each) => each.toSorted((a, b) => a - b)[callsMax / 4] as number);
    ratio = Math.max(...quartiles) / Math.min(...quartiles);
    if (ratio < RATIO_MAX) break;
  }
  return ratio;
}

test.each([
  ["data", (slug: string) => `/v1/feed/${slug}`, ["draft", "inactive", "unknown"]],
  ["metadata", (slug: string) => `/v1/feed/${slug}/metadata`, ["draft", "unknown"]],
  ["skill", (slug: string) => `/public/feeds/${slug}/agent-skill`, ["draft", "unknown"]],
] as const)(
  "%s: the time of a 404 does not reveal whether there is a feed that is not active",
  async (_name, pathOf, slugs) => {
    expect(await ratioOf(pathOf, slugs)).toBeLessThan(RATIO_MAX);
  },
);
