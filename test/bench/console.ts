/**
 * Load times of each console page and each public list with a large database: 10,000,000 usage rows of a thousand
 * accounts, 100,000 feeds of a hundred providers, and 100,000 keys, loaded directly by SQL. Pages are requested over
 * HTTP by a signed-in user or a visitor, one at a time. Also shows how many rows of the usage log and of the feeds its
 * statements read by full scans. No page may scan the log.
 *
 * `bun run bench console [-- --feeds N] [--keys N] [--usage N] [--rounds N]`
 *
 * @module
 */
import { parseArgs } from "node:util";
import { shellActor } from "../../src/accounts/actor.ts";
import { readConfig } from "../../src/config.ts";
import { createAdminKey } from "../../src/operator/keys.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { insertKey } from "../support/insert_key.ts";
import { countSales } from "../support/run_job.ts";
import { fillKeys, fillUsage } from "./fill.ts";
import { type ServerProcess, startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";

const USAGE_ACCOUNTS = 1_000;
const PROVIDERS = 100;
const USAGE_FEEDS = 1_000;
const BALANCE_NANOS = 1_000_000_000_000n;
/** PostgreSQL's statistics are delayed. */
const COUNTED_MS = 1_500;

interface Visitor {
  readonly role: string;
  /** Undefined for a visitor, whose pages are below `/`. */
  readonly key?: string;
  /** Below `/console`. `{n}` is a different number each time, so that no page comes from a cache. */
  readonly pages: readonly string[];
}

export const bench: Bench = async (args) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      feeds: { type: "string", default: "100000" },
      keys: { type: "string", default: "100000" },
      usage: { type: "string", default: "10000000" },
      rounds: { type: "string", default: "5" },
    },
  });
  const rounds = numberOf(values.rounds, "--rounds");
  const database = await startBenchDatabase();
  try {
    const provider = await fillFeeds(database, numberOf(values.feeds, "--feeds"));
    const keys = numberOf(values.keys, "--keys");
    await fillKeys(database, { keys, balanceNanos: BALANCE_NANOS });
    const rows = numberOf(values.usage, "--usage");
    await fillUsage(database, { rows, accounts: USAGE_ACCOUNTS, feeds: USAGE_FEEDS });
    await countSales(database.sql);
    await database.sql.unsafe("vacuum analyze");
    const visitors = await findVisitors(database, provider);
    const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
    const command = [process.execPath, main, "serve", "--port", "0", "--json"];
    const server = await startServer(command, {
      DATABASE_URL: database.address.url,
      LOG_LEVEL: "warn",
    });
    try {
      const figures: Figures = [];
      for (const visitor of visitors) {
        figures.push(...(await visit(visitor, { database, server, rounds })));
      }
      return figures;
    } finally {
      await server.stop();
    }
  } finally {
    await database.stop();
  }
};

/**
 * Creates the feeds of some providers. One in a hundred is in review, one was never pushed, one is late, and one has
 * had refused pushes for 20 minutes. Returns a provider.
 */
async function fillFeeds({ sql }: BenchDatabase, feeds: number): Promise<string> {
  await sql`
    insert into accounts (name, max_feeds_allowed)
    select 'provider', ${feeds} from generate_series(1, ${PROVIDERS}::int)`;
  await sql`alter table feeds disable trigger feeds_audited_insert`;
  await sql`
    insert into feeds (
      account_id, name, description, category, endpoint_path, feed_type, status, first_pushed_at,
      last_sync_at, call_price_nanos, is_public, published_at, created_at, review
    )
    select
      providers.ids[1 + number % cardinality(providers.ids)], 'Feed ' || number, 'What the feed ' || number || ' is about',
      'category ' || number % 50, 'feed-' || number, 'collection',
      case when number % 100 = 1 then 'draft' else 'active' end,
      case when number % 100 <> 1 then now() end,
      case when number % 100 = 2 then now() - interval '1 day' when number % 100 <> 1 then now() end,
      0, number % 100 > 1, case when number % 100 > 1 then now() end,
      now() - number * interval '1 second', case when number % 100 > 0 then 'none' else 'waiting' end
    from generate_series(1, ${feeds}::int) as number
    cross join (select array_agg(account_id) as ids from accounts) as providers`;
  await sql`
    insert into pushes (
      feed_id, pushed_at, stored, code, detail, rows_received, rows_inserted, rows_updated, rows_duplicate, body_bytes,
      duration_ms
    )
    select
      feed_id, now() + minute * interval '1 minute', false, 'VALIDATION_FAILED', 'row 0 is refused', 1, 0, 0, 0, 100, 1
    from feeds
    cross join generate_series(1, 20) as minute
    where right(endpoint_path, 2) = '03'`;
  await sql`alter table feeds enable trigger feeds_audited_insert`;
  const [provider] = await sql`select account_id from feeds order by feed_id limit 1`;
  return provider?.account_id;
}

async function findVisitors({ sql }: BenchDatabase, provider: string): Promise<readonly Visitor[]> {
  const [found] = await sql`
    select usage_events.account_id
    from usage_events
    where usage_events.account_id not in (select account_id from feeds)
    order by usage_events.usage_id desc
    limit 1`;
  const { account_id: consumer } = found as { account_id: string };
  const [own] = await sql`
    select feed_id from feeds where account_id = ${provider} order by feed_id limit 1`;
  const feed = own?.feed_id;
  const { limits } = readConfig({});
  const operator = { database: createDatabase(sql), limits };
  const { key: admin } = await createAdminKey(operator, { name: "bench" }, shellActor("bench"));
  const readKey = await insertKey(sql, consumer, "read");
  return [
    {
      role: "operator",
      key: admin,
      pages: [
        "",
        "?range=1h",
        "?range=12m",
        "/find?q=zzzz",
        "/reviews",
        "/feeds",
        "/feeds?health=late",
        "/feeds?health=failing",
        "/feeds?health=never_pushed",
        "/feeds?status=draft",
        "/feeds?q=zzzz",
        `/feeds/${feed}`,
        "/accounts",
        "/accounts?q=zzzz",
        "/accounts?q=provider&sort=name",
        `/accounts/${consumer}`,
        `/accounts/${consumer}/usage`,
        `/accounts/${consumer}/money`,
        `/accounts/${provider}`,
        `/keys?key=${readKey.slice(0, 14)}`,
        "/money",
        "/audit",
        "/audit?who=nobody",
      ],
    },
    {
      role: "provider",
      key: await insertKey(sql, provider, "write"),
      pages: ["", "?offset=500", `/feeds/${feed}`, `/feeds/${feed}/edit`, "/new", "/earnings"],
    },
    {
      role: "consumer",
      key: readKey,
      pages: [
        "",
        "/usage",
        "/purchases",
        "/own-keys",
        "/catalog",
        "/catalog?q=feed",
        `/catalog/${feed}`,
      ],
    },
    {
      role: "visitor",
      pages: ["", "?offset={n}", "?q=feed&offset={n}", "?q=about+{n}", "?category=category+{n}"],
    },
  ];
}

interface Stage {
  readonly database: BenchDatabase;
  readonly server: ServerProcess;
  readonly rounds: number;
}

async function visit({ role, key, pages }: Visitor, stage: Stage): Promise<Figures> {
  const { database, server, rounds } = stage;
  const root = `http://127.0.0.1:${server.port}/`;
  const base = key === undefined ? root : `${root}console`;
  const headers: Record<string, string> = { accept: "text/html" };
  if (key !== undefined) headers.cookie = await signIn(base, key);
  let number = 0;
  const figures: Figures = [];
  for (const page of pages) {
    const load = async () => {
      const startMs = performance.now();
      const response = await fetch(base + page.replace("{n}", `${number++}`), { headers });
      const html = await response.text();
      if (response.status !== 200) throw new Error(`${role} ${page}: ${response.status} ${html}`);
      return { ms: performance.now() - startMs, html };
    };
    // On the first visit, the session's statements are planned.
    const { html } = await load();
    const before = await scanned(database);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push((await load()).ms);
    const after = await scanned(database);
    figures.push({
      page: `${role} ${page.replace(/[0-9a-f-]{36}/, "ID").replace(/fg_\w+/, "KEY")}`,
      "median ms": rounded(median(times)),
      "longest ms": rounded(Math.max(...times)),
      "log rows scanned": after.log - before.log,
      "feeds scanned": after.feeds - before.feeds,
      "html KB": rounded(html.length / 1_024),
    });
  }
  return figures;
}

/** Signs in. Returns the session's cookie. */
async function signIn(base: string, key: string): Promise<string> {
  const signedIn = await fetch(`${base}/sign-in`, {
    method: "POST",
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  return signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** The number of rows read so far by full scans. */
async function scanned({ sql }: BenchDatabase): Promise<{ log: number; feeds: number }> {
  await Bun.sleep(COUNTED_MS);
  const [row] = await sql`
    select
      coalesce(sum(seq_tup_read) filter (where relname like 'usage_events%'), 0)::float8 as log,
      coalesce(sum(seq_tup_read) filter (where relname = 'feeds'), 0)::float8 as feeds
    from pg_stat_user_tables`;
  return { log: row?.log, feeds: row?.feeds };
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
