/**
 * Responses per second over HTTP, everything durable (fsync on): metered reads of a 20-row page (rows of 250 bytes)
 * over 1,000 accounts and 1,000 feeds, drawn at random, at 1, 64, and 256 connections, and refused reads, catalog,
 * metadata, and public pages of feeds. Compared in the same run with:
 *
 * - bare `Bun.serve` that returns the same bytes: the limit of machine and load generator;
 * - Fastify, `pg`, and `rate-limiter-flexible` on PostgreSQL with one transaction per read: a handwritten
 *   implementation;
 * - bare `Bun.serve` and one SQL call per read that does the whole job;
 * - nginx with `limit_req`, and nginx with Lua and Redis (`peers/nginx.ts`), where they are installed;
 * - cold reads, one at a time: the gateway has never seen the key, feed, or page (`cold_reads.ts`);
 * - with `--only bare,skeleton`: the minimal cost of a read in this design (`peers/skeleton.ts`). Because it decides
 *   from its own memory, it would not be a fair competitor on the gateway's database.
 *
 * Each is a separate process. Only one is under load at a time, in interleaved rounds, and each ratio is the median of
 * the rounds' ratios, which reduces the influence of other load on the machine. Ends with an audit: usage rows =
 * charges = responses with status 200, plus at most one for each connection that was cut.
 *
 * `bun run bench serve [--quick] [--rounds N] [--seconds N] [--connections 1,64,256] [--only granted,…]
 * [--workers N] [--own-load]`
 *
 * `--gateways N` measures several gateways on one database instead (`gateways.ts`), at the last number of connections.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { siblingUrl } from "../support/database.ts";
import { type ColdSet, readCold, seedCold } from "./cold_reads.ts";
import { benchGateways } from "./gateways.ts";
import { type Generator, generatorHere, type LoadFigures, runLoad } from "./load.ts";
import { KINDS, type RedisSet } from "./peers/nginx.ts";
import { type BenchSet, PEERS_DATABASE, seedBench } from "./peers/seed.ts";
import { familyMb, type ServerProcess, startServer } from "./processes.ts";
import type { Bench, Figures } from "./run.ts";
import { type BenchDatabase, installPeers, median, startBenchDatabase } from "./support.ts";
import { numberOf } from "./usage.ts";
import { type Used, whileUsing } from "./used.ts";

const CONNECTIONS = [1, 64, 256];
/** After this many requests, a server's code is compiled. */
const WARM_UP_REQUESTS = 100_000;
/** A slow server is measured after this many times `warmUpSeconds`. */
const WARM_UPS_MAX = 4;
/** Load that fills all windows of free reads. */
const FILLING = { connections: 64, seconds: 2 };
const USUAL = { rounds: 5, seconds: 3, warmUpSeconds: 10 };
const QUICK = { rounds: 1, seconds: 2, warmUpSeconds: 1 };
const CHECK_SECONDS = 1;
/** The feeds whose pages are requested: few enough that nearly all are cached. */
const PUBLIC_PAGES = 20;
const MICROSECONDS = 1e6;
/** Higher than any run can reach, configured as in a deployment. */
const UNLIMITED = "1000000000";

/** One line of the table: a kind of request to a server. */
interface Contender {
  readonly name: string;
  readonly server: ServerProcess;
  readonly pathsFile: string;
  /** The status of nearly all its responses. */
  readonly status: 200 | 429;
}

interface Sample extends LoadFigures, Used {
  readonly name: string;
  readonly connections: number;
  readonly round: number;
  readonly serverMb: number;
  readonly databaseMb: number;
}

interface Plan {
  readonly rounds: number;
  readonly seconds: number;
  /** The warm-up of each server before the first round, repeated until it has answered enough requests. */
  readonly warmUpSeconds: number;
  readonly connections: readonly number[];
  readonly only: readonly string[] | undefined;
  readonly workers: string | undefined;
  /** Undefined for one gateway, compared with its peers. */
  readonly gateways: number | undefined;
  readonly generator: Generator;
}

/** The values that the servers and their database share. */
interface Stage {
  readonly database: BenchDatabase;
  readonly ours: ServerProcess;
  /** Undefined for no cold reads. */
  readonly cold: ColdSet | undefined;
  readonly set: BenchSet;
  readonly folder: string;
  readonly contenders: readonly Contender[];
  stop(): Promise<void>;
}

export const bench: Bench = async (args) => {
  const plan = readPlan(args);
  await installPeers();
  const database = await startBenchDatabase();
  try {
    const set = await seedBench(database);
    const { gateways } = plan;
    return await (gateways === undefined
      ? benchServe(database, set, plan)
      : serveByMany(database, set, { ...plan, gateways }));
  } finally {
    await database.stop();
  }
};

/** Also run by `bench scale`, on its own large set. */
export async function benchServe(
  database: BenchDatabase,
  set: BenchSet,
  plan: Plan,
): Promise<Figures> {
  const { only } = plan;
  const isCold = only === undefined || only.includes("cold");
  const cold = isCold ? await seedCold(database, plan.rounds) : undefined;
  const accountIds = [...set.accountIds, ...(cold?.accountIds ?? [])];
  const charged = { ...set, accountIds };
  const before = await countAll(database, charged);
  const stage = await startStage({ database, set, plan, cold });
  try {
    await checkGenerators(stage, plan);
    const samples: Sample[] = [];
    for (const contender of stage.contenders) {
      samples.push(...(await warmUp(stage, contender, plan)));
    }
    samples.push(...(await sampleCold(stage, -1)));
    for (let round = 0; round < plan.rounds; round++) {
      samples.push(...(await sampleCold(stage, round)));
      for (const connections of plan.connections) {
        for (const contender of stage.contenders) {
          // A minute after the last refusals, their windows have room again, which one connection would fill slowly.
          if (contender.status === 429) {
            samples.push(await sample(stage, contender, { ...FILLING, round: -1, plan }));
          }
          const load = { connections, seconds: plan.seconds };
          samples.push(await sample(stage, contender, { ...load, round, plan }));
        }
      }
    }
    audit(before, await countAll(database, charged), samples);
    return tableOf(samples.filter(({ round }) => round >= 0));
  } finally {
    await stage.stop();
  }
}

async function serveByMany(
  database: BenchDatabase,
  set: BenchSet,
  plan: Plan & { readonly gateways: number },
): Promise<Figures> {
  const start = () => startGateway(database, plan);
  const servers = await Promise.all(Array.from({ length: plan.gateways }, start));
  try {
    const connections = plan.connections.at(-1) ?? 1;
    return await benchGateways(database, set, { servers, plan: { ...plan, connections } });
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    auditBooks(await countAll(database, set));
  }
}

/** Verifies that each logged read is charged, and nothing else. */
function auditBooks({ metered, charges }: Counts): void {
  console.log(
    `audit: ${metered === charges ? "ok" : "WRONG"}: ${metered} usage rows, ${charges} charges`,
  );
  if (metered !== charges) process.exitCode = 1;
}

export function readPlan(args: readonly string[]): Plan {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string" },
      only: { type: "string" },
      workers: { type: "string" },
      gateways: { type: "string" },
      "own-load": { type: "boolean", default: false },
    },
  });
  const usual = values.quick ? QUICK : USUAL;
  return {
    rounds: values.rounds === undefined ? usual.rounds : numberOf(values.rounds, "--rounds"),
    seconds: values.seconds === undefined ? usual.seconds : numberOf(values.seconds, "--seconds"),
    warmUpSeconds: usual.warmUpSeconds,
    connections:
      values.connections?.split(",").map((each) => numberOf(each, "--connections")) ?? CONNECTIONS,
    only: values.only?.split(","),
    workers: values.workers,
    gateways: values.gateways === undefined ? undefined : numberOf(values.gateways, "--gateways"),
    generator: values["own-load"] ? "own" : generatorHere(),
  };
}

async function startStage(given: {
  database: BenchDatabase;
  set: BenchSet;
  plan: Plan;
  cold: ColdSet | undefined;
}): Promise<Stage> {
  const { database, set, plan, cold } = given;
  const folder = mkdtempSync(join(tmpdir(), "feedgate-bench-load-"));
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  };
  file("keys", set.keys);
  const reads = file(
    "reads",
    set.meteredFeeds.map((feedId) => `/v1/feed/${feedId}`),
  );
  const freeReads = file("free_reads", [`/v1/feed/${set.freeFeed}`]);
  const metadata = file(
    "metadata",
    set.meteredFeeds.map((feedId) => `/v1/feed/${feedId}/metadata`),
  );
  const catalog = file("catalog", ["/v1/catalog"]);
  const pages = file(
    "pages",
    Array.from({ length: PUBLIC_PAGES }, (_, number) => `/feeds/bench-${number + 1}`),
  );
  const toolCalls = file("tool_calls", set.meteredFeeds.map(toolCall));

  const ours = await startGateway(database, plan);
  const servers = [ours];
  const start = async (command: readonly string[]) => {
    const server = await startServer(command);
    servers.push(server);
    return server;
  };
  const here = (name: string) => Bun.fileURLToPath(new URL(`./peers/${name}`, import.meta.url));
  const peersDatabase = [database.socketDir, String(database.port), PEERS_DATABASE];
  const bun = process.execPath;
  const bareAnswer = await keepAnswer(ours, set, join(folder, "answer.json"));
  const bare = await start([bun, here("bare.ts"), bareAnswer]);
  const fastify = await start([Bun.which("node") ?? bun, here("fastify.mjs"), ...peersDatabase]);
  const oneCall = await start([bun, here("one_call.ts"), ...peersDatabase]);
  const { only } = plan;
  const contenders: Contender[] = [
    { name: "bare", server: bare, pathsFile: reads, status: 200 },
    { name: "granted", server: ours, pathsFile: reads, status: 200 },
    { name: "mcp", server: ours, pathsFile: toolCalls, status: 200 },
    { name: "refused", server: ours, pathsFile: freeReads, status: 429 },
    { name: "catalog", server: ours, pathsFile: catalog, status: 200 },
    { name: "metadata", server: ours, pathsFile: metadata, status: 200 },
    { name: "page", server: ours, pathsFile: pages, status: 200 },
    { name: "fastify", server: fastify, pathsFile: reads, status: 200 },
    { name: "one call", server: oneCall, pathsFile: reads, status: 200 },
  ];
  const redisSet: RedisSet = {
    keys: set.keys,
    accountIds: set.accountIds,
    feedIds: set.meteredFeeds,
    balance: String(set.balanceNanos),
    price: String(set.priceNanos),
  };
  const setFile = file("set", [JSON.stringify(redisSet)]);
  for (const kind of KINDS) {
    const server = await start([bun, here("nginx.ts"), kind, bareAnswer, setFile]);
    contenders.push({ name: `nginx ${kind}`, server, pathsFile: reads, status: 200 });
  }
  if (only?.includes("skeleton")) {
    const command = [bun, here("skeleton.ts"), bareAnswer, database.address.url];
    const server = await start(command);
    contenders.push({ name: "skeleton", server, pathsFile: reads, status: 200 });
  }
  return {
    database,
    ours,
    cold,
    set,
    folder,
    contenders: contenders.filter(({ name }) => only === undefined || only.includes(name)),
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The gateway as a user starts it, with limits raised by configuration. Free reads stay limited. */
function startGateway(database: BenchDatabase, { workers }: Plan): Promise<ServerProcess> {
  const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const more = workers === undefined ? [] : ["--workers", workers];
  return startServer([process.execPath, main, "serve", "--port", "0", "--json", ...more], {
    DATABASE_URL: database.address.url,
    FEEDGATE_READ_LIMIT_FREE: "1",
    FEEDGATE_READ_LIMIT_PAID: UNLIMITED,
    FEEDGATE_DISCOVERY_LIMIT: UNLIMITED,
    LOG_LEVEL: "warn",
  });
}

/** The same read by the Model Context Protocol, as a line for the load generator. */
function toolCall(feedId: string): string {
  const protocol = "2026-07-28";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": protocol,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = [
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    `MCP-Protocol-Version: ${protocol}`,
    "Mcp-Method: tools/call",
    "Mcp-Name: read_feed",
  ];
  const params = { name: "read_feed", arguments: { feed: feedId }, _meta: meta };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  return `/mcp\t${headers.join("|")}\t${body}`;
}

/** A real response for the bare server to repeat. The audit includes this read. */
async function keepAnswer(ours: ServerProcess, set: BenchSet, path: string): Promise<string> {
  const url = `http://127.0.0.1:${ours.port}/v1/feed/${set.meteredFeeds[0]}`;
  const response = await fetch(url, { headers: { "x-api-key": set.keys[0] as string } });
  const body = await response.text();
  const rows = (JSON.parse(body) as { data: unknown[] }).data.length;
  if (response.status !== 200 || rows !== 20) throw new Error(`unexpected answer: ${body}`);
  const { status, headers } = response;
  const kept = Object.fromEntries(
    [...headers].filter(([name]) => !["date", "content-length"].includes(name)),
  );
  await Bun.write(path, JSON.stringify({ status, headers: kept, body }));
  return path;
}

/** If both generators are available, their results for the bare server must be similar. */
async function checkGenerators({ contenders, folder }: Stage, plan: Plan): Promise<void> {
  const bare = contenders.find(({ name }) => name === "bare");
  if (bare === undefined || generatorHere() !== "wrk") return;
  const load = {
    port: bare.server.port,
    connections: 64,
    seconds: CHECK_SECONDS,
    keysFile: join(folder, "keys"),
    pathsFile: bare.pathsFile,
  };
  const own = await runLoad(load, "own");
  const wrk = await runLoad(load, "wrk");
  const rate = ({ requests, seconds }: LoadFigures) => Math.round(requests / seconds);
  console.log(
    `load by ${plan.generator}; bare at 64 connections: wrk ${rate(wrk)}/s, own ${rate(own)}/s (${(rate(own) / rate(wrk)).toFixed(2)} of wrk)`,
  );
}

/** Samples that count only for the audit. */
async function warmUp(stage: Stage, contender: Contender, plan: Plan): Promise<Sample[]> {
  const load = { connections: 64, seconds: plan.warmUpSeconds, round: -1, plan };
  const samples: Sample[] = [];
  let requests = 0;
  while (requests < WARM_UP_REQUESTS && samples.length < WARM_UPS_MAX) {
    const each = await sample(stage, contender, load);
    samples.push(each);
    requests += each.requests;
  }
  return samples;
}

async function sample(
  stage: Stage,
  contender: Contender,
  at: { connections: number; seconds: number; round: number; plan: Plan },
): Promise<Sample> {
  const { database, folder } = stage;
  const { name, server, pathsFile, status } = contender;
  const { connections, seconds, round } = at;
  const load = { port: server.port, connections, seconds, pathsFile };
  const { result: figures, used } = await whileUsing([server], database, () =>
    runLoad({ ...load, keysFile: join(folder, "keys") }, at.plan.generator),
  );
  const { requests, refused } = figures;
  const expected = status === 200 ? requests - refused : refused;
  if (expected < requests / 2) throw new Error(`${name} did not answer with ${status}`);
  // Requests that were cut at the end of the load may still be in progress.
  await Bun.sleep(100);
  return {
    ...figures,
    ...used,
    name,
    connections,
    round,
    // Workers, nginx, and Redis are children of the process that was started.
    serverMb: familyMb(server.pid),
    databaseMb: familyMb(database.postmasterPid),
  };
}

/** Cold reads always use one connection. */
async function sampleCold({ database, ours, cold }: Stage, round: number): Promise<Sample[]> {
  if (cold === undefined) return [];
  const { result: figures, used } = await whileUsing([ours], database, () =>
    readCold(cold, ours.port, round),
  );
  return [
    {
      ...figures,
      ...used,
      name: "cold",
      connections: 1,
      round,
      serverMb: familyMb(ours.pid),
      databaseMb: familyMb(database.postmasterPid),
    },
  ];
}

/** A line for each contender and number of connections. Ratios are medians of the rounds' ratios. */
function tableOf(samples: readonly Sample[]): Figures {
  const groups = Map.groupBy(samples, ({ name, connections }) => `${connections} ${name}`);
  const rate = ({ requests, seconds }: Sample) => requests / seconds;
  const over = (group: readonly Sample[], name: string) => {
    const ratios = group.flatMap((each) => {
      const base = samples.find(
        (other) =>
          other.name === name &&
          other.connections === each.connections &&
          other.round === each.round,
      );
      return base === undefined ? [] : [rate(each) / rate(base)];
    });
    return ratios.length === 0 ? "" : median(ratios).toFixed(median(ratios) < 1 ? 3 : 1);
  };
  return [...groups.values()]
    .map((group) => {
      const first = group[0] as Sample;
      const middle = (value: (each: Sample) => number) => median(group.map(value));
      const perRequest = (seconds: (each: Sample) => number) =>
        Math.round(middle((each) => (seconds(each) / each.requests) * MICROSECONDS));
      return {
        connections: first.connections,
        name: first.name,
        "answers/s": Math.round(middle(rate)),
        "of bare": over(group, "bare"),
        "of fastify": over(group, "fastify"),
        "of one call": over(group, "one call"),
        "p50 ms": Number(middle(({ p50 }) => p50).toFixed(2)),
        "p90 ms": Number(middle(({ p90 }) => p90).toFixed(2)),
        "p99 ms": Number(middle(({ p99 }) => p99).toFixed(2)),
        "server µs": perRequest(({ serverSeconds }) => serverSeconds),
        "database µs": perRequest(({ databaseSeconds }) => databaseSeconds),
        "log bytes": Math.round(middle((each) => each.walBytes / each.requests)),
        "load µs": perRequest(({ processorSeconds }) => processorSeconds),
        "server MB": Math.round(Math.max(...group.map(({ serverMb }) => serverMb))),
        "database MB": Math.round(Math.max(...group.map(({ databaseMb }) => databaseMb))),
        failed: group.reduce((sum, { failed }) => sum + failed, 0),
      };
    })
    .sort((a, b) => a.connections - b.connections);
}

/**
 * Usage rows = charges = responses with status 200. The load generator cuts its connections when its time is over, so a
 * read in progress may be logged but not answered: at most one per connection and round. Such reads are refunded as
 * soon as the gateway notices that the client has disconnected.
 */
function audit(before: Counts, after: Counts, samples: readonly Sample[]): void {
  const check = (what: string, of: keyof Counts, names: readonly string[], more = 0) => {
    const own = samples.filter(({ name }) => names.includes(name));
    const sum = (part: (each: Sample) => number) => own.reduce((all, each) => all + part(each), 0);
    const counted = after[of] - before[of];
    const answered = more + sum((each) => each.requests - each.refused);
    const cut = sum((each) => each.connections);
    const isRight = counted >= answered && counted <= answered + cut;
    console.log(
      `audit: ${isRight ? "ok" : "WRONG"}: ${counted} ${what}, ${answered} answers of status 200, at most ${cut} cut`,
    );
    if (!isRight) process.exitCode = 1;
  };
  const charging = ["granted", "mcp", "skeleton", "cold"];
  // Includes the response that the bare server repeats.
  check("usage rows of metered reads", "metered", charging, 1);
  check("charges of metered reads", "charges", charging, 1);
  check("usage rows of free reads", "free", ["refused"]);
  check("usage rows of catalog", "catalog", ["catalog"]);
  check("usage rows of metadata", "metadata", ["metadata"]);
  check("usage rows of the peers", "peersRows", ["fastify", "one call"]);
  check("charges of the peers", "peersCharges", ["fastify", "one call"]);
  const isSame = after.metered - before.metered === after.charges - before.charges;
  if (!isSame) throw new Error("usage rows and charges differ");
}

type Counts = Readonly<
  Record<
    "metered" | "free" | "catalog" | "metadata" | "charges" | "peersRows" | "peersCharges",
    number
  >
>;

async function countAll(database: BenchDatabase, set: BenchSet): Promise<Counts> {
  const peers = connect(
    { url: siblingUrl(database.address.url, PEERS_DATABASE) },
    { connectionsMax: 1, statementTimeoutMs: 0 },
  );
  try {
    const [rows] = await database.sql`
      select
        count(*) filter (where operation = 'data' and feed_id <> ${set.freeFeed}::uuid)::int as metered,
        count(*) filter (where operation = 'data' and feed_id = ${set.freeFeed}::uuid)::int as free,
        count(*) filter (where operation = 'catalog')::int as catalog,
        count(*) filter (where operation = 'metadata')::int as metadata
      from usage_events
      where not refunded`;
    const [theirs] = await peers`select count(*)::int as rows from usage_events`;
    return {
      metered: rows?.metered as number,
      free: rows?.free as number,
      catalog: rows?.catalog as number,
      metadata: rows?.metadata as number,
      charges: await charges(database.sql, set),
      peersRows: theirs?.rows as number,
      peersCharges: await charges(peers, set),
    };
  } finally {
    await peers.end();
  }
}

/** The number of calls that the accounts of the set have paid for. */
async function charges(sql: Connections, set: BenchSet): Promise<number> {
  const { accountIds, balanceNanos, priceNanos } = set;
  const [row] = await sql`
    select (count(*) * ${String(balanceNanos)}::numeric - sum(balance_nanos)) / ${String(priceNanos)}::numeric as calls
    from accounts
    where account_id = any (${arrayLiteral(accountIds)}::uuid[])`;
  return Number(row?.calls);
}
