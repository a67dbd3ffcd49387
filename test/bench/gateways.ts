/**
 * `bench serve --gateways N`: metered reads of the set's 1,000 accounts through N gateways on one database, at full
 * speed, in interleaved rounds:
 *
 * - at random: each read through any gateway, so that a gateway's memory of an account is usually outdated;
 * - by key: all reads of an account through one gateway, as with a load balancer that routes by key;
 * - one account: all reads of one account, through all gateways.
 *
 * Each gateway has its own load generator. The p99 and the maximum are those of the slowest. Before each sample, its
 * load runs for a while, because each gateway must first read whatever the previous load has changed, which is not
 * measured.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Generator, type LoadFigures, runLoad } from "./load.ts";
import type { BenchSet } from "./peers/seed.ts";
import type { ServerProcess } from "./processes.ts";
import type { Figures } from "./run.ts";
import { type BenchDatabase, median } from "./support.ts";
import { type Used, whileUsing } from "./used.ts";

export interface GatewaysPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** In total for all gateways. */
  readonly connections: number;
  readonly generator: Generator;
}

/** The assignment of readers to gateways: one file of keys for each gateway. */
interface Way {
  readonly name: string;
  readonly keysFiles: readonly string[];
}

interface Sample extends Used {
  readonly name: string;
  readonly figures: readonly LoadFigures[];
}

const MICROSECONDS = 1e6;
const SETTLE_SECONDS = 4;

export async function benchGateways(
  database: BenchDatabase,
  set: BenchSet,
  { servers, plan }: { readonly servers: readonly ServerProcess[]; readonly plan: GatewaysPlan },
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "feedgate-bench-load-"));
  const file = (name: string, lines: readonly string[]) => {
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    return join(folder, name);
  };
  const pathsFile = file(
    "paths",
    set.meteredFeeds.map((feedId) => `/v1/feed/${feedId}`),
  );
  const all = file("keys", set.keys);
  const [first = ""] = set.keys;
  const ways: readonly Way[] = [
    { name: "at random", keysFiles: servers.map(() => all) },
    {
      name: "by key",
      keysFiles: servers.map((_, at) =>
        file(
          `keys_${at}`,
          set.keys.filter((__, place) => place % servers.length === at),
        ),
      ),
    },
    { name: "one account", keysFiles: servers.map(() => file("one_key", [first])) },
  ];

  async function sample({ name, keysFiles }: Way, seconds: number): Promise<Sample> {
    const connections = Math.ceil(plan.connections / servers.length);
    const { result: figures, used } = await whileUsing(servers, database, () =>
      Promise.all(
        servers.map(({ port }, at) =>
          runLoad(
            { port, connections, seconds, pathsFile, keysFile: keysFiles[at] as string },
            plan.generator,
          ),
        ),
      ),
    );
    return { ...used, name, figures };
  }

  try {
    for (const way of ways) await sample(way, plan.warmUpSeconds);
    const samples: Sample[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      for (const way of ways) {
        await sample(way, SETTLE_SECONDS);
        samples.push(await sample(way, plan.seconds));
      }
    }
    return ways.map(({ name }) => rowOf(samples.filter((each) => each.name === name)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowOf(samples: readonly Sample[]) {
  const middle = (value: (each: Sample) => number) => median(samples.map(value));
  const worst = (part: (figures: LoadFigures) => number) =>
    Number(middle(({ figures }) => Math.max(...figures.map(part))).toFixed(1));
  const sum = ({ figures }: Sample, part: (each: LoadFigures) => number) =>
    figures.reduce((all, each) => all + part(each), 0);
  const reads = (each: Sample) => sum(each, ({ requests }) => requests);
  return {
    accounts: samples[0]?.name ?? "",
    "reads/s": Math.round(
      middle(({ figures }) =>
        figures.reduce((all, { requests, seconds }) => all + requests / seconds, 0),
      ),
    ),
    "p50 ms": Number(middle(({ figures }) => median(figures.map(({ p50 }) => p50))).toFixed(1)),
    "p99 ms": worst(({ p99 }) => p99),
    "longest ms": worst(({ max }) => max),
    "server µs": Math.round(middle((each) => (each.serverSeconds / reads(each)) * MICROSECONDS)),
    "database µs": Math.round(
      middle((each) => (each.databaseSeconds / reads(each)) * MICROSECONDS),
    ),
    "log bytes": Math.round(middle((each) => each.walBytes / reads(each))),
    refused: samples.reduce((all, each) => all + sum(each, ({ refused }) => refused), 0),
    failed: samples.reduce((all, each) => all + sum(each, ({ failed }) => failed), 0),
  };
}
