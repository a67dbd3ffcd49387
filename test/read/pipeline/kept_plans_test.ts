import { afterAll, beforeAll, expect, test } from "bun:test";
import { DATABASE_CONNECTIONS_MAX } from "../../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

/** PostgreSQL plans a statement five times for its values before it may keep a plan. */
const PLANNED_MAX = 5;
/** Of each kind, so that every connection has sent more than it may plan. */
const READS = 60;
/** More than the pool has connections, so that each is looked at. */
const LOOKS = 3 * DATABASE_CONNECTIONS_MAX;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    FEEDGATE_READ_LIMIT_FREE: "10000",
    FEEDGATE_DISCOVERY_LIMIT: "10000",
  });
});
afterAll(() => gateway.stop());

test("PostgreSQL keeps the plan of each statement that reads send often", async () => {
  const account = await gateway.createAccount();
  const key = await gateway.createKey(account, "read");
  const rows = Array.from({ length: 200 }, (_, id) => ({
    id,
    event_timestamp: new Date(Date.UTC(2026, 0, 1) + id * 1_000).toISOString(),
  }));
  const collection = await seedFeed(gateway, account, { type: "collection", rows });
  const stream = await seedFeed(gateway, account, { type: "stream", rows });
  for (let read = 0; read < READS; read++) {
    for (const path of [
      `/v1/feed/${collection.slug}?offset=${read}`,
      `/v1/feed/${stream.slug}?offset=${read}`,
      `/v1/feed/${stream.slug}/stream?limit=${read + 1}`,
      `/v1/catalog?limit=${read + 1}`,
      `/v1/search?q=seed-${read}`,
    ]) {
      const response = await gateway.get(path, key);
      expect([path, response.status]).toEqual([path, 200]);
      await response.arrayBuffer();
    }
  }
  const { connections } = gateway.gateway.services.database;
  const looks = await Promise.all(
    Array.from(
      { length: LOOKS },
      () => connections`
        select
          coalesce(
            substring(statement from 'name: ([a-z_]+)'),
            substring(statement from '^select [*] from [a-z0-9_]+[.]([a-z_]+)[(]')
          ) as name,
          custom_plans::int as planned
        from pg_prepared_statements`,
    ),
  );
  const seen = looks.flat();
  const names = new Set(seen.map(({ name }) => name));
  for (const name of ["read_collection_page", "read_stream_page", "log_reads", "list_catalog"]) {
    expect(names).toContain(name);
  }
  expect(seen.filter(({ planned }) => planned > PLANNED_MAX)).toEqual([]);
});
