/**
 * What is tortured: a PostgreSQL and several gateway processes on it, each of which can be killed with
 * -9 and comes back.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { type EmbeddedPostgres, startEmbedded } from "../../src/postgres/embedded/start.ts";
import { migrate } from "../../src/postgres/migrate/migrate.ts";
import { freePort } from "../support/free_port.ts";
import { PROGRAM } from "../support/program.ts";

export interface World {
  /** How long the gateways took to start, all at once and with nothing beside them. */
  readonly startMs: number;
  /** Addresses of the gateways; some may be dead right now. */
  readonly bases: readonly string[];
  /** Of the database, which keeps its address when it is killed. */
  readonly databaseUrl: string;
  /** A pool of the torture's own, for setting the scene and for looking. */
  readonly sql: Connections;
  killGateway(index: number): Promise<void>;
  /** Ends a gateway by SIGTERM; another program, with the same addresses, takes its place. */
  replaceGateway(index: number, program: readonly string[]): Promise<void>;
  /** Stops a gateway by SIGSTOP, and wakes it after so long. False where it does not serve: then nothing is done. */
  pauseGateway(index: number, ms: number): Promise<boolean>;
  /** Whether the gateway at this address is paused, or was at some time since, on the monotonic clock. */
  wasPaused(base: string, sinceMs: number): boolean;
  /** Ends one connection of a gateway, drawn; false where there was none. Rejects while PostgreSQL is down. */
  cutConnection(): Promise<boolean>;
  /** Kills PostgreSQL with -9 and starts it again. */
  killDatabase(): Promise<void>;
  /** Resolves when every gateway that is not paused answers a call with this key. @throws after a while. */
  ready(key: string): Promise<void>;
  stop(): Promise<void>;
  /** Kills all that was started, at once and for good: for a torture that is broken off. */
  abandon(): void;
}

export interface WorldOptions {
  readonly gateways: number;
  /** Beyond those that every gateway of a torture has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What is run with `serve --port N`. @default the program */
  readonly program?: readonly string[];
  /** Of the PostgreSQL; removed at the end. @default a new one */
  readonly dataDir?: string;
}

/** Longer than a gateway may take on a slow machine: it hangs. */
const READY_MS_MAX = 180_000;
const ANSWER_MS_MAX = 2_000;
const POLL_MS = 100;
const RESPAWN_MS = 100;
const DOWN_MS_MAX = 1_000;

function newDataDir(): string {
  const dataDir = mkdtempSync(join(tmpdir(), "feedgate-torture-"));
  // Reachable for the account that PostgreSQL runs as where the tests run as root.
  chmodSync(dataDir, 0o755);
  return dataDir;
}

export async function startWorld(options: WorldOptions): Promise<World> {
  const { gateways, environment = {}, program = PROGRAM, dataDir = newDataDir() } = options;
  let embedded: EmbeddedPostgres = await startEmbedded({ dataDir });
  const { url } = embedded;
  const ownUrl = `${url}&application_name=torture`;
  const sql = connect({ url: ownUrl }, { connectionsMax: 4, statementTimeoutMs: 0 });
  await migrate(sql);
  const ports = Array.from({ length: gateways }, freePort);
  const bases = ports.map((each) => `http://127.0.0.1:${each}`);
  const children: Subprocess[] = [];
  const programs = ports.map(() => program);
  /** By address: when a gateway that was paused was woken; infinite while it is not. */
  const wokenMs = new Map<string, number>();
  let isStopping = false;

  /** Keeps one gateway running: where it ends, for whatever reason, it is started again. */
  async function keep(index: number): Promise<void> {
    while (!isStopping) {
      const child = Bun.spawn(
        [...(programs[index] ?? program), "serve", "--port", String(ports[index]), "--json"],
        {
          env: {
            PATH: process.env.PATH ?? "",
            DATABASE_URL: url,
            LOG_LEVEL: process.env.TORTURE_LOG ?? "silent",
            // All feeds are of one provider, which pushes as many would.
            FEEDGATE_PUSH_LIMIT: "1000000",
            FEEDGATE_DATABASE_MS: "1000000",
            ...environment,
          },
          stdio: ["ignore", "ignore", process.env.TORTURE_LOG === undefined ? "ignore" : "inherit"],
        },
      );
      children[index] = child;
      await child.exited;
      if (!isStopping) await Bun.sleep(RESPAWN_MS + Math.random() * DOWN_MS_MAX);
    }
  }
  const startedMs = performance.now();
  const keeping = ports.map((_, index) => keep(index));

  function wasPaused(base: string, sinceMs: number): boolean {
    return (wokenMs.get(base) ?? Number.NEGATIVE_INFINITY) > sinceMs;
  }

  async function isAnswered(path: string, headers: Record<string, string> = {}): Promise<boolean> {
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    return await fetch(path, { headers, signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Asks each until it answers, and no longer: what is admitted has a limit. */
  async function eachAnswers(path: string, headers?: Record<string, string>): Promise<void> {
    const endMs = performance.now() + READY_MS_MAX;
    const untilAnswered = async (base: string) => {
      while (!wasPaused(base, performance.now()) && !(await isAnswered(base + path, headers))) {
        if (performance.now() > endMs) throw new Error(`a gateway does not answer ${path}`);
        await Bun.sleep(POLL_MS);
      }
    };
    await Promise.all(bases.map(untilAnswered));
  }

  await eachAnswers("/readyz");
  const world: World = {
    startMs: performance.now() - startedMs,
    bases,
    databaseUrl: url,
    sql,
    async killGateway(index) {
      children[index]?.kill("SIGKILL");
      await children[index]?.exited;
    },
    async replaceGateway(index, next) {
      programs[index] = next;
      children[index]?.kill("SIGTERM");
      await children[index]?.exited;
    },
    async pauseGateway(index, ms) {
      const base = bases[index] as string;
      // One that starts may hold the migrations' lock, which the others need to start, too.
      if (!(await isAnswered(`${base}/readyz`))) return false;
      const child = children[index];
      wokenMs.set(base, Number.POSITIVE_INFINITY);
      child?.kill("SIGSTOP");
      await Bun.sleep(ms);
      child?.kill("SIGCONT");
      wokenMs.set(base, performance.now());
      return true;
    },
    wasPaused,
    async cutConnection() {
      const cut = await sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where application_name = 'feedgate'
        order by random()
        limit 1`;
      return cut.length > 0;
    },
    async killDatabase() {
      process.kill(embedded.pid, "SIGKILL");
      await Bun.sleep(Math.random() * DOWN_MS_MAX);
      const next = await startEmbedded({ dataDir });
      // Its entry among the users is written: to leave with the old one stops nothing.
      await embedded.stop();
      embedded = next;
    },
    ready: (key) => eachAnswers("/v1/catalog", { "x-api-key": key }),
    async stop() {
      isStopping = true;
      for (const child of children) child.kill("SIGTERM");
      await Promise.all(keeping);
      await sql.end({ timeout: 1 });
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
    abandon() {
      isStopping = true;
      for (const child of children) child.kill("SIGKILL");
      spawnSync("kill", ["-KILL", String(embedded.pid)]);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return world;
}
