/**
 * `bun run failover [--crash | --by-hand] [--times N]`: three gateways on three PostgreSQL servers, under load. Each time
 * the primary's machine loses its power, and Patroni promotes the synchronous standby, or by hand an operator does. With
 * `--crash` the machine stays, and only its PostgreSQL dies. At the end no usage id and no purchase that a client has
 * seen may be missing, no book may be wrong, and no window over its limit.
 *
 * Needs Debian's package postgresql, patroni and etcd-server unless by hand, and root. Ends with 1 where anything was
 * lost.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { present } from "../../src/lib/assert.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { type ServerProcess, startServer } from "../bench/processes.ts";
import { countLogged, findViolations } from "../support/account_checks.ts";
import { freePort } from "../support/free_port.ts";
import { insertKey } from "../support/insert_key.ts";
import { type SeededFeed, seedFeed } from "../support/seed.ts";
import { findMissingByHand, startByHand } from "./by_hand.ts";
import type { FailoverCluster } from "./cluster.ts";
import { findMissing, startPatroni } from "./patroni.ts";

const MAIN = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const GATEWAYS = 3;
const READERS = 12;
/** So many that windows seldom fill: a gateway may refuse by its memory alone. */
const AGENTS = 300;
const CREDITS_NANOS = 10n ** 12n;
const PRICE_NANOS = 1_500;
/** Before the first kill, and between two. */
const LOAD_MS = 5_000;
const SERVED_MS_MAX = 60_000;

interface Agent {
  readonly accountId: string;
  readonly key: string;
}

interface Gateway {
  readonly baseUrl: string;
  readonly server: ServerProcess;
}

interface Scene {
  readonly gateways: readonly Gateway[];
  readonly agents: readonly Agent[];
  readonly metered: SeededFeed;
  readonly sold: readonly SeededFeed[];
}

/** What clients were told. */
interface Seen {
  readonly usageIds: string[];
  readonly purchaseIds: string[];
  readonly statuses: Map<number, number>;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      times: { type: "string", default: "10" },
      "by-hand": { type: "boolean", default: false },
      crash: { type: "boolean", default: false },
    },
  });
  const isByHand = values["by-hand"];
  if (isByHand && values.crash) {
    console.error("--crash is for Patroni: it notices, and brings the old primary back");
    return 1;
  }
  const missing = isByHand ? findMissingByHand() : findMissing();
  if (missing !== undefined) {
    console.error(missing);
    return 1;
  }
  const cluster = await (isByHand ? startByHand() : startPatroni());
  try {
    return await failOver(cluster, { times: Number(values.times), isCrash: values.crash });
  } finally {
    await cluster.stop();
  }
}

async function failOver(
  cluster: FailoverCluster,
  { times, isCrash }: { readonly times: number; readonly isCrash: boolean },
): Promise<number> {
  const strike = isCrash ? present(cluster.crash) : cluster.kill;
  await createDatabase(cluster.url);
  const gateways: Gateway[] = [];
  while (gateways.length < GATEWAYS) gateways.push(await startGateway(cluster.url));
  const sql = connect(
    { url: `${cluster.url}?search_path=${FUNCTION_SCHEMA},public` },
    { connectionsMax: 2, statementTimeoutMs: 0 },
  );
  const seen: Seen = { usageIds: [], purchaseIds: [], statuses: new Map() };
  try {
    const scene = { gateways, ...(await seed(sql)) };
    const load = startLoad(scene, seen);
    const rounds = [];
    for (let time = 1; time <= times; time++) {
      await Bun.sleep(LOAD_MS);
      const old = (await cluster.leader()) ?? "a";
      const killedMs = performance.now();
      await strike(old);
      const leader = await cluster.untilPromoted(old);
      const promotedMs = performance.now();
      await untilServed(scene);
      const servedMs = performance.now();
      const round = {
        time,
        from: old,
        to: leader,
        "killed to promoted, s": seconds(promotedMs - killedMs),
        "promoted to served by all, s": seconds(servedMs - promotedMs),
        "ids seen": seen.usageIds.length,
        purchases: seen.purchaseIds.length,
      };
      rounds.push(round);
      console.log(JSON.stringify(round));
      if (!isCrash) cluster.start(old);
      await cluster.untilWhole();
    }
    await Bun.sleep(LOAD_MS);
    await load.stop();
    return await verify(
      sql,
      seen,
      `PostgreSQL ${cluster.postgresVersion}, ${rounds.length} failovers`,
    );
  } finally {
    await Promise.all(gateways.map(({ server }) => server.stop()));
    await sql.end({ timeout: 1 });
  }
}

async function startGateway(databaseUrl: string): Promise<Gateway> {
  const port = freePort();
  const command = [process.execPath, MAIN, "serve", "--port", String(port), "--json"];
  // Warnings of lost connections are what is expected here.
  const environment = { DATABASE_URL: databaseUrl, LOG_LEVEL: "error" };
  return { baseUrl: `http://127.0.0.1:${port}`, server: await startServer(command, environment) };
}

async function createDatabase(url: string): Promise<void> {
  const sql = connect(
    { url: url.replace(/feedgate$/, "postgres") },
    { connectionsMax: 1, statementTimeoutMs: 0 },
  );
  await sql.unsafe("create database feedgate");
  await sql.end();
}

async function seed(sql: Connections): Promise<Omit<Scene, "gateways">> {
  const owner = await createAgent(sql, 0n);
  const row = { type: "collection", rows: [{ id: 1 }] } as const;
  const metered = await seedFeed({ sql }, owner.accountId, { ...row, callPriceNanos: PRICE_NANOS });
  const sold: SeededFeed[] = [];
  for (let place = 0; place < READERS; place++) {
    sold.push(await seedFeed({ sql }, owner.accountId, { ...row, oneTimePriceCents: 100 }));
  }
  const agents: Agent[] = [];
  while (agents.length < AGENTS) agents.push(await createAgent(sql, CREDITS_NANOS));
  return { agents, metered, sold };
}

async function createAgent(sql: Connections, nanos: bigint): Promise<Agent> {
  const [account] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('Agent', 100) returning account_id`;
  const accountId: string = account?.account_id;
  if (nanos > 0n) {
    await sql`select append_ledger_entry(${accountId}, 'grant', ${String(nanos)}, 'failover', null)`;
  }
  return { accountId, key: await insertKey(sql, accountId, "read") };
}

/** Readers at all gateways; now and then one buys a feed. */
function startLoad({ gateways, agents, metered, sold }: Scene, seen: Seen) {
  let isOver = false;
  const reader = async (place: number) => {
    for (let count = 0; !isOver; count++) {
      const { key } = agents[Math.floor(Math.random() * agents.length)] as Agent;
      const { baseUrl } = gateways[(place + count) % gateways.length] as Gateway;
      const headers = { "x-api-key": key, "Content-Type": "application/json" };
      const isPurchase = count % 20 === 0;
      const feed = sold[count % sold.length] as SeededFeed;
      const asked = isPurchase
        ? fetch(`${baseUrl}/v1/feed/${feed.slug}/purchase`, {
            ...{ method: "POST", headers, body: '{"max_credits":1000000}' },
          })
        : fetch(`${baseUrl}/v1/feed/${metered.slug}`, { headers });
      const response = await asked;
      const body = (await response.json()) as {
        _origin?: { usage_id: string };
        purchase_id?: string;
      };
      seen.statuses.set(response.status, (seen.statuses.get(response.status) ?? 0) + 1);
      if (response.ok && body._origin) seen.usageIds.push(body._origin.usage_id);
      if (response.ok && body.purchase_id) seen.purchaseIds.push(body.purchase_id);
      await Bun.sleep(60 * Math.random());
    }
  };
  const readers = Promise.all(Array.from({ length: READERS }, (_, place) => reader(place)));
  return {
    async stop() {
      isOver = true;
      await readers;
    },
  };
}

/** Until each gateway has answered a read. */
async function untilServed({ gateways, agents, metered }: Scene): Promise<void> {
  const endMs = performance.now() + SERVED_MS_MAX;
  for (const [place, { baseUrl }] of gateways.entries()) {
    for (let times = 0; ; times++) {
      const { key } = agents[(place + times) % agents.length] as Agent;
      const headers = { "x-api-key": key };
      const response = await fetch(`${baseUrl}/v1/feed/${metered.slug}`, { headers });
      await response.arrayBuffer();
      if (response.status === 200) break;
      if (performance.now() > endMs) throw new Error(`${baseUrl} does not serve`);
      await Bun.sleep(50);
    }
  }
}

async function verify(sql: Connections, seen: Seen, title: string): Promise<number> {
  const ids = [...new Set(seen.usageIds)];
  const purchases = [...new Set(seen.purchaseIds)];
  const logged = await countLogged(sql, ids);
  const [row] = await sql`
    select count(*)::int as found from purchases
    where purchase_id = any (${`{${purchases.join(",")}}`}::uuid[])`;
  const violations = await findViolations(sql);
  console.log(
    `${title}: ${ids.length} usage ids seen, ${ids.length - logged} missing; ${purchases.length} purchases seen, ${purchases.length - row?.found} missing; statuses ${JSON.stringify(Object.fromEntries(seen.statuses))}`,
  );
  for (const violation of violations) console.log(violation);
  const isSound = logged === ids.length && row?.found === purchases.length;
  return isSound && violations.length === 0 ? 0 : 1;
}

function seconds(ms: number): number {
  return Number((ms / 1_000).toFixed(1));
}

process.exit(await main());
