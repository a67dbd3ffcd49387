/**
 * The slowdown of a gateway with a large database: 100,000 listed feeds, 100,000 keys, 10,000,000 stream rows, and
 * 10,000,000 usage rows, loaded directly by SQL, compared with a small set in a separate database. `bench serve`,
 * `bench read`, and `bench search` run on both, in turns. Each ratio shows how much slower the large set is.
 *
 * `bun run bench scale [-- --feeds N] [--keys N] [--rows N] [--usage N] [--only load|serve,read,search]
 * [--rounds N] [--seconds N]`
 *
 * @module
 */
import { statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { countSales } from "../support/run_job.ts";
import { fillKeys, fillStreams, fillUsage } from "./fill.ts";
import { type BenchSet, seedBench } from "./peers/seed.ts";
import { measureReads, type ReadTimes, startReading } from "./read.ts";
import type { Bench, Figures } from "./run.ts";
import { loadFeeds, makeFeeds } from "./search.ts";
import { benchServe, readPlan } from "./serve.ts";
import {
  type BenchDatabase,
  installPeers,
  median,
  percentile,
  startBenchDatabase,
} from "./support.ts";
import { numberOf } from "./usage.ts";

const USUAL = { feeds: 100_000, keys: 100_000, rows: 10_000_000, usage: 10_000_000 };
const ROUNDS = 3;
const SECONDS = 3;
const SERVED = ["bare", "granted", "refused", "catalog", "metadata"];
/** Too few for the job that builds filter indexes, so that it does not run during the reads. */
const ROWS_PER_STREAM = 10_000;
/** The sizes of the feeds that are read. In the large set, they are in addition to all its streams. */
const READ_SIZES = [10_000];
const USAGE_ACCOUNTS = 1_000;
const USAGE_FEEDS = 1_000;
const PAGE = 20;
const FIXTURES = new URL("../fixtures/search/", import.meta.url);
/** The disk space, including indexes and the WAL of the load. */
const BYTES_PER_ROW = 1_000;
const RATIO_MAX = 1.25;

interface Sizes {
  readonly feeds: number;
  readonly keys: number;
  readonly rows: number;
  readonly usage: number;
}

interface Stage {
  readonly database: BenchDatabase;
  readonly set: BenchSet;
}

interface Comparison {
  readonly figure: string;
  readonly small: number;
  readonly large: number;
  /** How much slower the large set is. */
  readonly ratio: number;
}

export const bench: Bench = async (args) => {
  const { sizes, only, rounds, seconds } = readOptions(args);
  checkDisk(sizes);
  // Before the sets are filled, which takes minutes.
  await installPeers();
  const small = await startStage();
  const large = await startStage();
  try {
    await fillSmall(small);
    await fillLarge(large, sizes);
    const wants = (part: string) => only === undefined || only.includes(part);
    const compared: Comparison[] = [];
    if (wants("serve")) compared.push(...(await compareServe([small, large], rounds, seconds)));
    if (wants("read")) compared.push(...(await compareReads([small, large])));
    const held = compared.filter(({ ratio }) => ratio <= RATIO_MAX);
    console.log(
      `${held.length} of ${compared.length} figures are within ${RATIO_MAX} of the small set's`,
    );
    // Counted separately, because a search examines more where there are more feeds.
    if (wants("search")) compared.push(...(await compareSearches([small, large], rounds)));
    return compared.map((each) => ({ ...each, ratio: Number(each.ratio.toFixed(2)) }));
  } finally {
    await small.database.stop();
    await large.database.stop();
  }
};

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      feeds: { type: "string", default: String(USUAL.feeds) },
      keys: { type: "string", default: String(USUAL.keys) },
      rows: { type: "string", default: String(USUAL.rows) },
      usage: { type: "string", default: String(USUAL.usage) },
      only: { type: "string" },
      rounds: { type: "string", default: String(ROUNDS) },
      seconds: { type: "string", default: String(SECONDS) },
    },
  });
  return {
    sizes: {
      feeds: numberOf(values.feeds, "--feeds"),
      keys: numberOf(values.keys, "--keys"),
      rows: numberOf(values.rows, "--rows"),
      usage: numberOf(values.usage, "--usage"),
    },
    only: values.only?.split(","),
    rounds: numberOf(values.rounds, "--rounds"),
    seconds: numberOf(values.seconds, "--seconds"),
  };
}

function checkDisk({ rows, usage }: Sizes): void {
  const { bavail, bsize } = statfsSync(tmpdir());
  const needed = (rows + usage) * BYTES_PER_ROW;
  if (bavail * bsize > needed) return;
  const gb = (bytes: number) => Math.ceil(bytes / 1e9);
  throw new Error(
    `${gb(needed)} GB are needed in ${tmpdir()} and ${gb(bavail * bsize)} GB are free: give TMPDIR, or fewer --rows and --usage`,
  );
}

async function startStage(): Promise<Stage> {
  const database = await startBenchDatabase();
  return { database, set: await seedBench(database) };
}

async function fillSmall({ database }: Stage): Promise<void> {
  await loadFeeds(database, await readFeeds());
  await settle(database);
}

async function fillLarge({ database, set }: Stage, sizes: Sizes): Promise<void> {
  const startMs = performance.now();
  const feeds = await readFeeds();
  const made = makeFeeds(feeds, Math.max(0, sizes.feeds - feeds.length));
  // A fifth faster without the audit trail.
  await database.sql`alter table feeds disable trigger feeds_audited_insert`;
  // In parallel, because each of these runs one statement after another, and there are several cores.
  await Promise.all([
    loadFeeds(database, [...feeds, ...made]),
    fillKeys(database, { keys: sizes.keys, balanceNanos: set.balanceNanos }),
    fillStreams(database, { rows: sizes.rows, rowsPerStream: ROWS_PER_STREAM }),
    fillUsage(database, { rows: sizes.usage, accounts: USAGE_ACCOUNTS, feeds: USAGE_FEEDS }),
  ]);
  await database.sql`alter table feeds enable trigger feeds_audited_insert`;
  // A gateway would have counted them soon after each read. Otherwise, the job would run for minutes during the
  // measurement.
  await countSales(database.sql);
  await settle(database);
  const [size] = await database.sql`
    select pg_size_pretty(pg_database_size(current_database())) as size`;
  console.log(
    `filled ${sizes.feeds} feeds and the rest in ${secondsSince(startMs)} s: ${size?.size}`,
  );
}

/** Brings the database into its usual state: statistics collected, dirty pages written. */
async function settle({ sql }: BenchDatabase): Promise<void> {
  await sql.unsafe("vacuum analyze");
  await sql.unsafe("checkpoint");
}

async function compareServe(
  stages: readonly Stage[],
  rounds: number,
  seconds: number,
): Promise<Comparison[]> {
  const plan = { ...readPlan(["--rounds", "1", "--seconds", String(seconds)]), only: SERVED };
  const tables: Figures[][] = stages.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, { database, set }] of stages.entries()) {
      tables[index]?.push(await benchServe(database, set, plan));
    }
  }
  const [small = [], large = []] = tables;
  const places = (small[0] ?? []).flatMap((row, place) => (row.name === "bare" ? [] : place));
  return places.map((place) => {
    // As a share of bare Bun in the same round, which reduces the influence of other load on the machine.
    const shares = (table: Figures[]) => table.map((each) => Number(each[place]?.["of bare"]));
    const [before, after] = [shares(small), shares(large)];
    const { name, connections } = small[0]?.[place] ?? {};
    return {
      figure: `serve ${name}, ${connections} connections, answers of bare`,
      small: median(before),
      large: median(after),
      ratio: median(before.map((share, round) => share / (after[round] as number))),
    };
  });
}

async function compareReads(stages: readonly Stage[]): Promise<Comparison[]> {
  const reading = await Promise.all(
    stages.map(({ database }) => startReading(database, READ_SIZES)),
  );
  try {
    const times = await measureReads(reading);
    const onSmall = times.filter(({ stage }) => stage === 0);
    return onSmall.flatMap((before) => {
      const isSame = (each: ReadTimes) =>
        each.stage === 1 && each.kind === before.kind && each.rows === before.rows;
      const after = times.find(isSame) ?? before;
      return (["page", "read"] as const).map((part) => {
        const [small, large] = [median(before[part]), median(after[part])];
        const figure = `${part} of ${before.rows} rows, ${before.kind}, p50 ms`;
        return { figure, small: rounded(small), large: rounded(large), ratio: large / small };
      });
    });
  } finally {
    await Promise.all(reading.map((each) => each.stop()));
  }
}

/** The labeled queries of `bench search`, each in turns on both. The minimum time of each counts. */
async function compareSearches(stages: readonly Stage[], rounds: number): Promise<Comparison[]> {
  const queries: { query: string }[] = await Bun.file(new URL("queries.json", FIXTURES)).json();
  const databases = stages.map(({ database }) => createDatabase(database.sql));
  const times = stages.map(() => queries.map(() => Number.POSITIVE_INFINITY));
  for (let round = 0; round < rounds; round++) {
    for (const [place, { query }] of queries.entries()) {
      for (const [index, database] of databases.entries()) {
        const startMs = performance.now();
        await database.rows("search_feeds", { q: query, category: null, limit: PAGE, offset: 0 });
        const least = times[index] as number[];
        least[place] = Math.min(least[place] as number, performance.now() - startMs);
      }
    }
  }
  return [0.5, 0.99].map((share) => {
    const [small = 0, large = 0] = times.map((own) => percentile(own, share));
    const figure = `search, p${share * 100} ms`;
    return { figure, small: rounded(small), large: rounded(large), ratio: large / small };
  });
}

async function readFeeds(): Promise<Parameters<typeof makeFeeds>[0]> {
  return await Bun.file(new URL("catalog.json", FIXTURES)).json();
}

function secondsSince(startMs: number): string {
  return ((performance.now() - startMs) / 1_000).toFixed(0);
}

function rounded(ms: number): number {
  return Number(ms.toFixed(2));
}
