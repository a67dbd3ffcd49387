/**
 * A primary and its streaming standby, both real servers of the embedded PostgreSQL.
 *
 * The standby starts as a copy of the primary's files, taken online with PostgreSQL's low-level backup functions
 * (PostgreSQL manual, 25.3.4), because the embedded PostgreSQL does not include `pg_basebackup`.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { chmodSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { placeSite } from "../../src/postgres/embedded/site.ts";
import { startEmbedded } from "../../src/postgres/embedded/start.ts";
import { giveToPostgres, startCluster } from "./cluster.ts";
import { temporaryFolder } from "./folders.ts";
import { signalFamilies } from "./processes.ts";

export interface ServerPair {
  readonly primaryUrl: string;
  readonly standbyUrl: string;
  /** A connection to the primary. */
  readonly sql: Connections;
  /** A connection to the standby, valid until the standby ends. */
  readonly standbySql: () => Connections;
  /** Signals every process of the standby. */
  readonly signalStandby: (signal: "SIGSTOP" | "SIGCONT" | "SIGKILL") => void;
  readonly startStandby: () => Promise<void>;
  /** Cuts the standby off once it is up to date, so that it misses everything that the primary commits later. */
  readonly cutOff: () => Promise<void>;
  /** Kills the primary. */
  readonly endPrimary: () => Promise<void>;
  /** Restarts the killed primary, as a primary. */
  readonly startPrimary: () => Promise<void>;
  /** Resolves when the standby accepts writes. */
  readonly promote: () => Promise<void>;
  stop(): Promise<void>;
}

const NOT_COPIED = /\/(postmaster\.(pid|opts)|pg_wal\/.+|pg_replslot\/.+)$/;
const POLL_MS = 10;
const START_MS_MAX = 20_000;

export async function startServerPair(): Promise<ServerPair> {
  const folder = temporaryFolder();
  const dataDir = join(folder, "primary");
  const postgres = await startEmbedded({ dataDir });
  const site = placeSite(dataDir);
  const primaryUrl = postgres.url;
  const standbyUrl = `postgres://postgres@localhost:5432/feedgate?host=${encodeURIComponent(folder)}`;
  const sql = connect({ url: primaryUrl }, { connectionsMax: 2, statementTimeoutMs: 0 });
  const cluster = join(folder, "standby");
  await copyCluster(sql, site.cluster, cluster);
  writeFileSync(join(cluster, "standby.signal"), "");
  writeFileSync(
    join(cluster, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${postgres.host} port=5432 user=postgres'\n`,
  );
  giveToPostgres(site, folder);
  chmodSync(cluster, 0o700);

  let child: ChildProcess | undefined;
  let revived: ChildProcess | undefined;
  let standbySql: Connections | undefined;
  async function startStandby(): Promise<void> {
    // The locks of a killed server stay until its exit is noticed.
    while (child?.exitCode === null && child.signalCode === null) await Bun.sleep(POLL_MS);
    rmSync(join(cluster, "postmaster.pid"), { force: true });
    child = await startCluster(site, { cluster, socketDir: folder });
  }
  function signalStandby(signal: "SIGSTOP" | "SIGCONT" | "SIGKILL"): void {
    signalFamilies([child?.pid as number], signal);
  }
  await startStandby();
  const standby = () => {
    standbySql ??= connect({ url: standbyUrl }, { connectionsMax: 1, statementTimeoutMs: 0 });
    return standbySql;
  };
  return {
    primaryUrl,
    standbyUrl,
    sql,
    standbySql: standby,
    signalStandby,
    startStandby,
    async cutOff() {
      const [written] = await sql`select pg_current_wal_flush_lsn()::text as position`;
      await untilHolds(standby(), `pg_last_wal_replay_lsn() >= '${written?.position}'`);
      await standby().unsafe("alter system set primary_conninfo = ''");
      await standby()`select pg_reload_conf()`;
      await untilHolds(standby(), "not exists (select from pg_stat_wal_receiver)");
    },
    async endPrimary() {
      process.kill(postgres.pid, "SIGQUIT");
      await postgres.ended;
    },
    async startPrimary() {
      revived = await startCluster(site, { cluster: site.cluster, socketDir: postgres.host });
    },
    async promote() {
      await standby()`select pg_promote()`;
    },
    async stop() {
      child?.kill("SIGQUIT");
      revived?.kill("SIGQUIT");
      await standbySql?.end({ timeout: 0 });
      await sql.end({ timeout: 0 });
      await postgres.stop();
    },
  };
}

async function copyCluster(sql: Connections, from: string, to: string): Promise<void> {
  const session = await sql.reserve();
  // Fast: makes the checkpoint immediately.
  await session`select pg_backup_start('standby', true)`;
  cpSync(from, to, { recursive: true, filter: (path) => !NOT_COPIED.test(path) });
  const [stopped] = await session`select labelfile from pg_backup_stop(false)`;
  writeFileSync(join(to, "backup_label"), stopped?.labelfile);
  session.release();
}

async function untilHolds(sql: Connections, condition: string): Promise<void> {
  const until = Date.now() + START_MS_MAX;
  const isSo = async () => (await sql.unsafe(`select ${condition} as holds`))[0]?.holds === true;
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`the standby did not come to this: ${condition}`);
    await Bun.sleep(POLL_MS);
  }
}
