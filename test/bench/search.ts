/**
 * Search and catalog: quality and speed.
 *
 * Quality: the 1,500 feeds and 620 labeled queries of `test/fixtures/search`, scored as their README describes: nDCG@10
 * per class, and MACRO, the plain mean of the classes without `desc_unshared`. The queries are also split into two
 * halves by id, so that overfitting to one half is visible on the other.
 *
 * Speed: the same feeds and generated ones up to 100,000, whose texts are mixed from the real ones. Runs every labeled
 * query, the shortest beginnings of words, then catalog pages at offsets up to the last. Times are those of the caller,
 * one statement at a time.
 *
 * `bun run bench search` runs both, `bun run bench search quality` or `speed` one of them. After `--`:
 *
 * - `--keep DIR`: the 100,000 feeds are loaded once and kept in that directory for the next run.
 * - `--rounds N`: runs every query N times and uses the minimum; the default is 1.
 * - `--against REVISION`: also runs every query with the SQL functions of that commit, in turns with the current ones,
 *   so that the comparison is valid even on a busy machine. The table then contains both and their ratio.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { isFunction } from "../../src/build/generate_statements.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase, type Database } from "../../src/postgres/client/database.ts";
import type { Figures } from "./run.ts";
import { type BenchDatabase, percentile, startBenchDatabase } from "./support.ts";
import { BenchUsageError, numberOf } from "./usage.ts";

const FIXTURES = new URL("../fixtures/search/", import.meta.url);
const QUERY_FILES = ["queries.json", "queries.apis-guru.json", "queries.cc-by-sa.json"];
const FEEDS = 100_000;
const CHUNK_FEEDS = 5_000;
const CATALOG_OFFSETS = [0, 1_000, 10_000, 50_000, 99_980, 100_000];
const CATALOG_CALLS = 200;
const PAGE = 20;
const WARM_UP = 40;
/** Reported separately, because it needs knowledge that the texts do not contain. */
const UNSHARED = "desc_unshared";
const BEGINNINGS = "beginnings";
const REPOSITORY = Bun.fileURLToPath(new URL("../../", import.meta.url));

interface SourceFeed {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly endpoint_path: string;
  readonly feed_type: string;
}

interface BenchFeed extends SourceFeed {
  readonly schema?: unknown;
  readonly readme?: string;
  readonly age_days?: number;
}

interface LabelledQuery {
  readonly id: string;
  readonly class: string;
  readonly query: string;
  readonly relevant: readonly string[];
}

/** Requests the first page of a query. */
type Searcher = (query: string) => Promise<unknown>;

export async function bench(args: readonly string[]): Promise<Figures> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      keep: { type: "string" },
      rounds: { type: "string", default: "1" },
      against: { type: "string" },
    },
    allowPositionals: true,
  });
  const rounds = numberOf(values.rounds, "--rounds");
  const stray = positionals.find((part) => part !== "quality" && part !== "speed");
  if (stray !== undefined) throw new BenchUsageError(`"${stray}" must be quality or speed`);
  const wants = (part: string) => positionals.length === 0 || positionals.includes(part);
  const feeds: SourceFeed[] = await Bun.file(new URL("catalog.json", FIXTURES)).json();
  const files = QUERY_FILES.map((file) => Bun.file(new URL(file, FIXTURES)).json());
  const queries = (await Promise.all(files)).flat() as LabelledQuery[];
  const figures: Figures = [];
  if (wants("quality")) figures.push(...(await benchQuality(feeds, queries)));
  if (wants("speed")) {
    const options = {
      keptDir: values.keep,
      rounds,
      against: values.against,
    };
    figures.push(...(await benchSpeed(feeds, queries, options)));
  }
  return figures;
}

async function benchQuality(
  feeds: readonly SourceFeed[],
  queries: readonly LabelledQuery[],
): Promise<Figures> {
  const server = await startBenchDatabase();
  try {
    await loadFeeds(server, feeds);
    return await measureQuality(createDatabase(server.sql), queries);
  } finally {
    await server.stop();
  }
}

interface SpeedOptions {
  readonly keptDir: string | undefined;
  readonly rounds: number;
  readonly against: string | undefined;
}

async function benchSpeed(
  feeds: readonly SourceFeed[],
  queries: readonly LabelledQuery[],
  { keptDir, rounds, against }: SpeedOptions,
): Promise<Figures> {
  const server = await startBenchDatabase(keptDir);
  try {
    const [loaded] = await server.sql`select count(*)::int as feeds from feeds`;
    if (loaded?.feeds !== FEEDS) {
      await server.sql`update feeds set is_public = false`;
      await server.sql`truncate feeds cascade`;
      await loadFeeds(server, [...feeds, ...makeFeeds(feeds, FEEDS - feeds.length)]);
      await server.sql`vacuum analyze feeds, search_words`;
    }
    const asked = [...queries, ...beginnings(queries)];
    const database = createDatabase(server.sql);
    const searchers: Searcher[] = [
      (query) =>
        database.rows("search_feeds", { q: query, category: null, limit: PAGE, offset: 0 }),
    ];
    const before = against === undefined ? undefined : await connectTo(server, against);
    if (before !== undefined) searchers.push(before.search);
    try {
      const searches = await measureSearches(searchers, asked, rounds);
      return [...searches, ...(await measureCatalog(database))];
    } finally {
      await before?.end();
    }
  } finally {
    await server.stop();
  }
}

/** The first two letters of the queries, as typed into a box that searches at every key. */
function beginnings(queries: readonly LabelledQuery[]): LabelledQuery[] {
  const starts = queries.map((each) => each.query.toLowerCase().slice(0, 2));
  return [...new Set(starts)]
    .filter((query) => /^[a-z]{2}$/.test(query))
    .map((query) => ({ id: query, class: BEGINNINGS, query, relevant: [] }));
}

/** The search of another commit: its functions in a separate schema, first in the search path. */
async function connectTo(server: BenchDatabase, revision: string) {
  const git = (...args: string[]) => Bun.$`git ${args}`.cwd(REPOSITORY).text();
  const textOf = (file: string) => git("show", `${revision}:${file}`);
  const files = await git("ls-tree", "-r", "--name-only", revision, "sql/");
  const schema = "against";
  await server.sql.unsafe(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  const sql = connect(server.address, { connectionsMax: 1, statementTimeoutMs: 0 });
  await sql.unsafe(`set search_path to ${schema}, public`);
  await sql.unsafe("set check_function_bodies to off");
  const functions = files.trim().split("\n").filter(isFunction);
  for (const file of functions) await sql.unsafe(await textOf(file));
  const statement = await textOf("sql/read/search_feeds.sql");
  const options = { prepare: true, simple: false } as const;
  return {
    search: (query: string) =>
      sql.unsafe(statement, [query, null, PAGE, 0] as never[], options as never),
    end: () => sql.end(),
  };
}

export async function loadFeeds(
  { sql }: BenchDatabase,
  feeds: readonly BenchFeed[],
): Promise<void> {
  const account = "00000000-0000-0000-0000-000000000001";
  await sql`
    insert into accounts (account_id, name, max_feeds_allowed)
    values (${account}, 'bench', ${FEEDS})
    on conflict do nothing`;
  for (let start = 0; start < feeds.length; start += CHUNK_FEEDS) {
    const chunk = JSON.stringify(feeds.slice(start, start + CHUNK_FEEDS));
    await sql`
      insert into feeds (
        account_id, name, description, category, endpoint_path, feed_type, schema_definition,
        readme_md, call_price_nanos, status, is_public, published_at, first_pushed_at
      )
      select
        ${account}, name, description, category, endpoint_path, feed_type, schema, readme, 0,
        'active', true, now() - coalesce(age_days, 0) * interval '1 day', now()
      from json_to_recordset(${chunk}::text::json) as feed (
        name text, description text, category text, endpoint_path text, feed_type text,
        schema json, readme text, age_days integer
      )`;
  }
  await sql`analyze`;
}

async function measureQuality(
  database: Database,
  queries: readonly LabelledQuery[],
): Promise<Figures> {
  const scored: { class: string; half: bigint; ndcg: number }[] = [];
  for (const query of queries) {
    const rows = await database.rows("search_feeds", {
      q: query.query,
      category: null,
      limit: 10,
      offset: 0,
    });
    const found = rows.flatMap((row) => row.endpoint_path ?? []);
    scored.push({ class: query.class, half: Bun.hash(query.id) % 2n, ndcg: ndcg(found, query) });
  }
  const classes = [...new Set(scored.map((each) => each.class))].sort();
  const table = classes.map((name) => {
    const members = scored.filter((each) => each.class === name);
    const half = (which: bigint) => mean(members.filter((each) => each.half === which));
    return { name, n: members.length, ndcg10: mean(members), half_a: half(0n), half_b: half(1n) };
  });
  const counted = table.filter((row) => row.name !== UNSHARED);
  const macro = (column: "ndcg10" | "half_a" | "half_b") =>
    counted.reduce((sum, row) => sum + row[column], 0) / counted.length;
  const total = {
    name: "MACRO",
    n: counted.length,
    ndcg10: macro("ndcg10"),
    half_a: macro("half_a"),
    half_b: macro("half_b"),
  };
  return [...table, total].map((row) => ({
    name: row.name,
    n: row.n,
    ndcg10: round(row.ndcg10),
    half_a: round(row.half_a),
    half_b: round(row.half_b),
  }));
}

/** Binary relevance, the first ten results. */
function ndcg(found: readonly string[], query: LabelledQuery): number {
  const relevant = new Set(query.relevant);
  const gain = (place: number) => 1 / Math.log2(place + 2);
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, place) => gain(place));
  const got = [...new Set(found)].map((path, place) => (relevant.has(path) ? gain(place) : 0));
  return sum(got) / sum(ideal);
}

/** The first searcher's times. With a second one, also its times and the ratio of both. */
async function measureSearches(
  searchers: readonly Searcher[],
  queries: readonly LabelledQuery[],
  rounds: number,
): Promise<Figures> {
  const least = queries.map(() => searchers.map(() => Number.POSITIVE_INFINITY));
  for (const { query } of queries.slice(0, WARM_UP)) {
    for (const search of searchers) await timeSearch(search, query);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, { query }] of queries.entries()) {
      const times = least[index] as number[];
      for (const [which, search] of searchers.entries()) {
        times[which] = Math.min(times[which] as number, await timeSearch(search, query));
      }
    }
  }
  const labelled = queries.filter((each) => each.class !== BEGINNINGS);
  const groups = [...new Set(queries.map((each) => each.class))]
    .sort()
    .map((name) => ({ name, members: queries.filter((each) => each.class === name) }));
  return [...groups, { name: "all but beginnings", members: labelled }].map(({ name, members }) => {
    const timesOf = (which: number) =>
      members.map((member) => least[queries.indexOf(member)]?.[which] as number);
    const now = latencies(timesOf(0));
    const figures = { name: `search ${name}, ${FEEDS} feeds`, n: members.length, ...now };
    if (searchers.length === 1) return figures;
    const before = latencies(timesOf(1));
    const ratio = (column: "p50_ms" | "p99_ms") => round(now[column] / before[column]);
    return {
      ...figures,
      against_p50_ms: before.p50_ms,
      against_p99_ms: before.p99_ms,
      p50_ratio: ratio("p50_ms"),
      p99_ratio: ratio("p99_ms"),
    };
  });
}

async function timeSearch(search: Searcher, query: string): Promise<number> {
  const start = performance.now();
  await search(query);
  return performance.now() - start;
}

async function measureCatalog(database: Database): Promise<Figures> {
  const rows = [];
  for (const offset of CATALOG_OFFSETS) {
    const times: number[] = [];
    for (let call = 0; call < CATALOG_CALLS + WARM_UP; call += 1) {
      const start = performance.now();
      await database.rows("list_catalog", { limit: PAGE, offset });
      if (call >= WARM_UP) times.push(performance.now() - start);
    }
    rows.push({ name: `catalog at ${offset}`, n: times.length, ...latencies(times) });
  }
  return rows;
}

/** Feeds whose texts are mixed from the real ones, the same in every run. */
export function makeFeeds(sources: readonly SourceFeed[], count: number): BenchFeed[] {
  const random = seededRandom(42);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const nameWords = sources.flatMap((feed) => feed.name.split(/\s+/));
  const syllables = nameWords.flatMap((word) => word.toLowerCase().match(/[a-z]{2,4}/g) ?? []);
  const textWords = sources.flatMap((feed) => feed.description.split(/\s+/));
  const coined = () => {
    const word = Array.from({ length: 2 + Math.floor(random() * 2) }, () => pick(syllables)).join(
      "",
    );
    return word.charAt(0).toUpperCase() + word.slice(1);
  };
  const makeName = () => {
    const kind = random();
    if (kind < 0.4) return coined();
    if (kind < 0.7) return `${coined()} ${pick(nameWords)}`;
    if (kind < 0.85) return `${pick(nameWords)} ${pick(nameWords)}`;
    return `${pick(sources).name} ${pick(nameWords)}`;
  };
  const makeText = () => {
    const words = pick(sources).description.split(/\s+/);
    const mixed = words.map((word) => (random() < 0.4 ? pick(textWords) : word));
    if (random() < 0.5) mixed.push(...pick(sources).description.split(/\s+/));
    return mixed.join(" ");
  };
  const makeReadme = () => Array.from({ length: 150 }, () => pick(textWords)).join(" ");
  return Array.from({ length: count }, (_, index) => ({
    ...pick(sources),
    name: makeName(),
    description: makeText(),
    endpoint_path: `made-${index}`,
    schema: { type: "object", properties: { [pick(textWords)]: {}, [pick(textWords)]: {} } },
    // Older than the sources, so that the first page of the catalog does not depend on them.
    age_days: 1 + Math.floor(random() * 1_000),
    ...(random() < 0.2 ? { readme: makeReadme() } : {}),
  }));
}

/** A linear congruential generator: good enough to mix texts. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function latencies(times: readonly number[]) {
  return {
    p50_ms: round(percentile(times, 0.5)),
    p90_ms: round(percentile(times, 0.9)),
    p99_ms: round(percentile(times, 0.99)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(rows: readonly { readonly ndcg: number }[]): number {
  return sum(rows.map((row) => row.ndcg)) / rows.length;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

if (import.meta.main) console.table(await bench(process.argv.slice(2)));
