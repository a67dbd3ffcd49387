/**
 * Three PostgreSQL servers that Patroni keeps, with etcd, all of Debian's packages, on the loopback address.
 *
 * Patroni's configuration is the deployment guide's, but for addresses, folders and passwords, and without what one
 * machine can't have: certificates and a watchdog device.
 *
 * @module
 */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { YAML } from "bun";
import { freePort } from "../support/free_port.ts";
import { findProcesses, signalFamilies } from "../support/processes.ts";
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

const GUIDE = resolve(import.meta.dir, "../../src/docs/guides/deploy.md");
const PASSWORD = "only-on-this-machine";
/** Longer than a leader's key lives. */
const FAILOVER_MS_MAX = 120_000;

interface Node {
  readonly name: NodeName;
  readonly port: number;
  readonly apiPort: number;
  readonly folder: string;
}

/** The sentence that names what of Debian's packages is missing. Undefined: nothing is. */
export function findMissing(): string | undefined {
  const missing = ["patroni", "etcd", "setpriv"].filter((name) => Bun.which(name) === null);
  if (newestVersion() === undefined) missing.push("postgresql");
  return describeMissing(missing, "patroni, etcd-server and postgresql");
}

export async function startPatroni(): Promise<FailoverCluster> {
  const postgresVersion = newestVersion() ?? "";
  const folder = mkdtempSync(join(tmpdir(), "feedgate-patroni-"));
  chmodSync(folder, 0o755);
  const etcd = await startEtcd(folder);
  const template = await readTemplate();
  const nodes = new Map<NodeName, Node>();
  for (const name of NODES) {
    const own = join(folder, name);
    mkdirSync(own);
    const [port, apiPort] = [freePort(), freePort()];
    const configuration = configure(template, {
      ...{ name, port, apiPort, folder: own, etcd, postgresVersion },
    });
    writeFileSync(join(own, "patroni.yml"), JSON.stringify(configuration));
    spawnSync("chown", ["-R", ACCOUNT, own]);
    run(own);
    const node: Node = { name, port, apiPort, folder: own };
    nodes.set(name, node);
    // The first one makes the cluster, and the others copy it.
    if (name === NODES[0]) {
      await until(() => isLeader(node), START_MS_MAX);
    }
  }
  const of = (name: NodeName) => nodes.get(name) as Node;
  const leader = async () => {
    for (const node of nodes.values()) {
      if (await isLeader(node)) return node.name;
    }
    return undefined;
  };
  const hosts = [...nodes.values()].map(({ port }) => `127.0.0.1:${port}`).join(",");
  const cluster: FailoverCluster = {
    url: `postgres://postgres:${PASSWORD}@${hosts}/feedgate`,
    postgresVersion,
    leader,
    async untilPromoted(old) {
      let name: NodeName | undefined;
      await until(async () => {
        name = await leader();
        return name !== undefined && name !== old;
      }, FAILOVER_MS_MAX);
      return name ?? old;
    },
    async untilWhole() {
      await until(async () => {
        const members = await membersOf([...nodes.values()]);
        const streaming = members.filter(
          ({ state }) => state === "streaming" || state === "running",
        );
        return (
          streaming.length === NODES.length &&
          members.some(({ role }) => role === "leader") &&
          members.some(({ role }) => role === "sync_standby")
        );
      }, START_MS_MAX);
    },
    kill: (name) => killAll(of(name).folder),
    crash: async (name) => signalFamilies(findProcesses(dataDirOf(of(name))), "SIGKILL"),
    start: (name) => run(of(name).folder),
    async stop() {
      await killAll(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await cluster.untilWhole();
  return cluster;
}

/** Its address. */
async function startEtcd(folder: string): Promise<string> {
  const [port, peerPort] = [freePort(), freePort()];
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const log = openSync(join(folder, "etcd.log"), "a");
  spawn(
    "etcd",
    [
      ...["--data-dir", join(folder, "etcd"), "--name", "one"],
      ...["--listen-client-urls", url, "--advertise-client-urls", url],
      ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
      ...["--initial-cluster", `one=${peerUrl}`],
    ],
    { stdio: ["ignore", log, log] },
  );
  await until(async () => (await answerOf(`${url}/health`))?.ok === true, START_MS_MAX);
  return `127.0.0.1:${port}`;
}

/** Patroni, as the account that PostgreSQL runs as. */
function run(folder: string): void {
  const log = openSync(join(folder, "patroni.log"), "a");
  spawn(
    "setpriv",
    [
      ...[`--reuid=${ACCOUNT}`, `--regid=${ACCOUNT}`, "--init-groups"],
      ...["patroni", join(folder, "patroni.yml")],
    ],
    {
      cwd: "/",
      env: { PATH: process.env.PATH, HOME: folder, LC_ALL: "C.UTF-8" },
      stdio: ["ignore", log, log],
    },
  );
}

function dataDirOf({ folder }: { readonly folder: string }): string {
  return join(folder, "data");
}

interface Template {
  readonly [name: string]: unknown;
  readonly postgresql: { readonly [name: string]: unknown };
}

/** The guide's `patroni.yml`. */
async function readTemplate(): Promise<Template> {
  const guide = await Bun.file(GUIDE).text();
  const text = /`patroni\.yml`:\n\n```yaml\n(.*?)```/s.exec(guide)?.[1];
  if (text === undefined) throw new Error("the guide has no patroni.yml");
  return YAML.parse(text) as Template;
}

interface Place {
  readonly name: NodeName;
  readonly port: number;
  readonly apiPort: number;
  readonly folder: string;
  readonly etcd: string;
  readonly postgresVersion: string;
}

function configure(template: Template, place: Place) {
  const user = (username: string) => ({ username, password: PASSWORD });
  const api = `127.0.0.1:${place.apiPort}`;
  const own = `127.0.0.1:${place.port}`;
  return {
    ...template,
    name: place.name,
    restapi: { listen: api, connect_address: api },
    etcd3: { hosts: place.etcd },
    postgresql: {
      ...template.postgresql,
      listen: own,
      connect_address: own,
      data_dir: dataDirOf(place),
      bin_dir: programsOf(place.postgresVersion),
      pgpass: join(place.folder, "pgpass"),
      parameters: { unix_socket_directories: place.folder },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication all 127.0.0.1/32 scram-sha-256",
      ],
      authentication: {
        superuser: user("postgres"),
        replication: user("replicator"),
        rewind: user("rewinder"),
      },
    },
    watchdog: { mode: "off" },
  };
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Whether a node says that it takes writes. */
async function isLeader({ apiPort }: Node): Promise<boolean> {
  return (await answerOf(`http://127.0.0.1:${apiPort}/primary`))?.status === 200;
}

async function membersOf(nodes: readonly Node[]): Promise<readonly Member[]> {
  for (const { apiPort } of nodes) {
    const response = await answerOf(`http://127.0.0.1:${apiPort}/cluster`);
    if (response?.ok) return ((await response.json()) as { members: readonly Member[] }).members;
  }
  return [];
}

function answerOf(url: string): Promise<Response | undefined> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
}
