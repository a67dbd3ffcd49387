/**
 * Three PostgreSQL servers without anything that watches them: an operator promotes a standby, by the statements of the
 * deployment guide ("By hand").
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { present } from "../../src/lib/assert.ts";
import { findSystemUser } from "../../src/postgres/embedded/owner.ts";
import { freePort } from "../support/free_port.ts";
import {
  ACCOUNT,
  describeMissing,
  type FailoverCluster,
  killAll,
  NODES,
  type NodeName,
  newestVersion,
  programsOf,
  START_MS_MAX,
  until,
} from "./cluster.ts";

const SETTINGS = [
  "listen_addresses = '127.0.0.1'",
  "max_connections = 200",
  // A commit is on one of the standbys before it is answered.
  `synchronous_standby_names = 'ANY 1 (${NODES.join(", ")})'`,
];
const IS_WHOLE = `
  select count(*) = 2 and bool_or(sync_state = 'quorum')
  from pg_stat_replication where state = 'streaming'`;

interface Node {
  readonly name: NodeName;
  readonly port: number;
  readonly folder: string;
  readonly dataDir: string;
}

/** The sentence that names what of Debian's package is missing. Undefined: nothing is. */
export function findMissingByHand(): string | undefined {
  return describeMissing(newestVersion() === undefined ? ["postgresql"] : [], "postgresql");
}

export async function startByHand(): Promise<FailoverCluster> {
  const postgresVersion = present(newestVersion());
  const programs = programsOf(postgresVersion);
  const account = present(findSystemUser(({ name }) => name === ACCOUNT));
  const folder = mkdtempSync(join(tmpdir(), "feedgate-by-hand-"));
  chmodSync(folder, 0o755);
  const as = {
    ...account,
    cwd: "/",
    env: { PATH: `${programs}:/usr/bin:/bin`, LC_ALL: "C.UTF-8" },
  };

  /** Runs a program of PostgreSQL's to its end; what it printed. */
  function run(program: string, ...args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { ...as, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program}: ${stderr}`);
    return stdout.trim();
  }

  const nodes = NODES.map((name): Node => {
    const own = join(folder, name);
    mkdirSync(own);
    spawnSync("chown", [ACCOUNT, own]);
    return { name, port: freePort(), folder: own, dataDir: join(own, "data") };
  });
  const of = (name: NodeName) => present(nodes.find((node) => node.name === name));
  const others = (name: NodeName) => nodes.filter((node) => node.name !== name);

  /** What a statement answers on a node; undefined: the node does not answer. */
  function ask({ port }: Node, ...statements: readonly string[]): string | undefined {
    const commands = statements.flatMap((statement) => ["-c", statement]);
    const address = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-d", "postgres"];
    const { status, stdout } = spawnSync("psql", ["-XAtq", ...address, ...commands], {
      ...as,
      encoding: "utf8",
    });
    return status === 0 ? stdout.trim() : undefined;
  }

  function launch({ dataDir, folder: own, port }: Node): void {
    const log = openSync(join(own, "log"), "a");
    spawn("postgres", ["-D", dataDir, "-p", String(port), "-k", own], {
      ...as,
      stdio: ["ignore", log, log],
    });
  }

  const addressOf = (primary: Node, standby: Node) =>
    `host=127.0.0.1 port=${primary.port} user=postgres application_name=${standby.name}`;

  /** Makes the node a standby, from a copy of the primary. */
  function copy(primary: Node, node: Node): void {
    rmSync(node.dataDir, { recursive: true, force: true });
    const from = ["-d", addressOf(primary, node), "-D", node.dataDir];
    run("pg_basebackup", ...from, "--checkpoint=fast", "--write-recovery-conf");
    launch(node);
  }

  const isLeader = (node: Node) => ask(node, "select pg_is_in_recovery()") === "f";
  const leader = async () => nodes.find(isLeader)?.name;

  const untilWhole = () =>
    until(async () => {
      const name = await leader();
      return name !== undefined && ask(of(name), IS_WHOLE) === "t";
    }, START_MS_MAX);

  const [first, ...standbys] = nodes as [Node, ...Node[]];
  run("initdb", "-D", first.dataDir, "-U", "postgres", "-A", "trust", "-E", "UTF8");
  appendFileSync(join(first.dataDir, "postgresql.conf"), `${SETTINGS.join("\n")}\n`);
  launch(first);
  await until(async () => isLeader(first), START_MS_MAX);
  for (const standby of standbys) copy(first, standby);
  await untilWhole();

  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return {
    url: `postgres://postgres@${hosts}/feedgate`,
    postgresVersion,
    leader,
    async untilPromoted(old) {
      const received = (node: Node) =>
        BigInt(ask(node, "select pg_last_wal_receive_lsn() - '0/0'") ?? -1n);
      const [one, other] = others(old) as [Node, Node];
      const [next, behind] = received(one) >= received(other) ? [one, other] : [other, one];
      ask(next, "select pg_promote()");
      const follow = `alter system set primary_conninfo = '${addressOf(next, behind)}'`;
      ask(behind, follow, "select pg_reload_conf()");
      await until(async () => isLeader(next), START_MS_MAX);
      return next.name;
    },
    untilWhole,
    kill: (name) => killAll(of(name).dataDir),
    crash: undefined,
    start(name) {
      const primary = present(others(name).find(isLeader));
      copy(primary, of(name));
    },
    async stop() {
      await killAll(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
