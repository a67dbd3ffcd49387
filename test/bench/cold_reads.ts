/**
 * Cold reads for `bench serve`: the gateway has never seen the key, account, or feed of any read. Nothing is in memory,
 * so key, account, feed, and page are read from the database. Reads run one at a time over one connection, because the
 * measure is the duration of consecutive statements.
 *
 * @module
 */
import type { LoadFigures } from "./load.ts";
import { FEEDS, seedFeeds, seedReaders } from "./peers/seed.ts";
import { type BenchDatabase, percentile } from "./support.ts";

/** Reads in a round. */
const READS = 300;
/** Enough that the code of cold reads is compiled. */
const WARM_UP_READS = 1_000;

/** Keys and feeds that have not been read yet. Each read uses one of both. */
export interface ColdSet {
  readonly accountIds: readonly string[];
  readonly unread: { readonly key: string; readonly feedId: string }[];
}

/** Creates enough for a warm-up and the rounds. */
export async function seedCold(database: BenchDatabase, rounds: number): Promise<ColdSet> {
  const reads = WARM_UP_READS + rounds * READS;
  const { accountIds, keys } = await seedReaders(database, reads);
  const numbers = { first: FEEDS + 1, last: FEEDS + reads };
  const feeds = await seedFeeds(database, { ...numbers, isPublic: false });
  await database.sql.unsafe("vacuum analyze");
  await database.sql.unsafe("checkpoint");
  const unread = feeds.map(({ feedId }, index) => ({ key: keys[index] as string, feedId }));
  return { accountIds, unread };
}

/** Reads the part of the set for one round. Round -1 is the warm-up. */
export async function readCold(cold: ColdSet, port: number, round: number): Promise<LoadFigures> {
  const reads = cold.unread.splice(0, round < 0 ? WARM_UP_READS : READS);
  const times: number[] = [];
  const before = process.cpuUsage();
  const startMs = performance.now();
  let refused = 0;
  for (const { key, feedId } of reads) {
    const sentMs = performance.now();
    const url = `http://127.0.0.1:${port}/v1/feed/${feedId}`;
    const response = await fetch(url, { headers: { "x-api-key": key } });
    await response.arrayBuffer();
    times.push(performance.now() - sentMs);
    if (response.status !== 200) refused += 1;
  }
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const at = (share: number) => percentile(times, share);
  return {
    requests: reads.length,
    refused,
    failed: 0,
    seconds,
    p50: at(0.5),
    p90: at(0.9),
    p99: at(0.99),
    max: at(1),
    processorSeconds: (user + system) / 1e6,
  };
}
