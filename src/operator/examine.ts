/**
 * Checks an installation: settings, certificate, database, commits, connections, clock, disk, schema, ledgers, totals,
 * notices, top-ups, mail and replica, each with a hint if something is wrong.
 *
 * Nothing is migrated, so a database can be checked before an upgrade. Only the ledger check writes: it records its
 * result, as the hourly check does.
 *
 * @module
 */
import { X509Certificate } from "node:crypto";
import { type Config, ConfigError, isBaseUrlMissing, signUpWarning } from "../config.ts";
import { readTls } from "../http/listener.ts";
import { present } from "../lib/assert.ts";
import { counted } from "../lib/counted.ts";
import { codeOf, messageOf } from "../lib/error_fields.ts";
import { MS_PER_DAY, MS_PER_SECOND } from "../lib/time_units.ts";
import { within } from "../lib/within.ts";
import {
  CERTIFICATE_DAYS_LOW,
  CLOCK_OFF_SECONDS_LOW,
  DISK_FREE_BYTES_MIN,
  DISK_FREE_SHARE_LOW,
  LEDGER_PROOF_MS_MAX,
  MAIL_WAIT_SECONDS_LOW,
  NOTICES_LATE_SECONDS_LOW,
  PROCESS_CONNECTIONS_MAX,
  REPLICA_LAG_SECONDS_LOW,
  SPARE_CONNECTIONS,
  TOTALS_BEHIND_SECONDS_LOW,
} from "../limits.ts";
import { type Database, DatabaseUnavailableError, type Row } from "../postgres/client/database.ts";
import { type DurabilityFault, findDurabilityFault } from "../postgres/durability.ts";
import type { DiskRoom } from "../postgres/embedded/disk.ts";
import { inspectSchema, type SchemaState, VERSION_MIN } from "../postgres/migrate/migrate.ts";
import { openReplica, openServer } from "../postgres/open_database.ts";
import { readReplicaLag } from "../postgres/replica/replica_lag.ts";

/** `low`: it works, and somebody should look. `bad`: it does not work, or not for long. */
export type Health = "ok" | "low" | "bad";

/** What was found out about one part of the installation. */
export interface Check {
  readonly name: string;
  readonly health: Health;
  /** What is so. */
  readonly found: string;
  /** What to do if it is not well. */
  readonly hint?: string;
}

/** One statement at a time. */
const CONNECTIONS_MAX = 1;
/** Accounts that one step proves at most; a step ends after 200 ms. */
const LEDGERS_A_STEP = 1_000;
const BYTES_PER_MB = 1_000_000;

/** All checks, in the order in which a reader should mend what is wrong. Writes no more than the module says. */
export async function examine(config: Config): Promise<readonly Check[]> {
  const checks = [judgeSettings(config), ...(await examineCertificate(config))];
  try {
    const opened = await openServer(config, { connectionsMax: CONNECTIONS_MAX });
    try {
      return [...checks, ...(await examineDatabase(opened, config))];
    } finally {
      await opened.close();
    }
  } catch (error) {
    return [...checks, unreachable(error)];
  }
}

type Opened = Awaited<ReturnType<typeof openServer>>;

async function examineDatabase(
  { database, diskRoom, survey }: Opened,
  config: Config,
): Promise<readonly Check[]> {
  const commits = await database.row("find_durability", {});
  const startedMs = Date.now();
  const server = await database.row("find_server", {});
  const endedMs = Date.now();
  const schema = await inspectSchema(database.connections);
  const checks = [
    judgeServer(present(server)),
    judgeCommits(findDurabilityFault(present(commits), { hasStandbys: survey !== undefined })),
    ...(config.isDatabasePooled
      ? []
      : [judgeConnections(present(await database.row("find_connection_room", {})))]),
    judgeClock({ serverMs: present(server).now_seconds * MS_PER_SECOND, startedMs, endedMs }),
    judgeDisk(diskRoom?.()),
    judgeSchema(schema),
  ];
  if (schema.state === "whole") {
    checks.push(await attempt("ledgers", () => proveLedgers(database)));
    checks.push(await attempt("totals", () => examineTotals(database, endedMs)));
    checks.push(await attempt("notices", () => examineNotices(database)));
    checks.push(await attempt("archive", () => examineArchive(database)));
  }
  if (schema.state === "whole" && config.topups !== undefined) {
    checks.push(await attempt("top-ups", () => examineTopups(database)));
  }
  if (schema.state === "whole" && config.mail !== undefined) {
    checks.push(await attempt("mail", () => examineMail(database)));
  }
  if (config.databaseReadUrl !== undefined) {
    checks.push(await attempt("replica", () => examineReplica(database, config)));
  }
  return checks;
}

/** A check that fails is bad, and the others go on. */
async function attempt(name: string, work: () => Promise<Check>): Promise<Check> {
  try {
    return await work();
  } catch (error) {
    return { name, health: "bad", found: `check failed: ${messageOf(causeOf(error))}` };
  }
}

/** The driver's own error of a database that can't be reached. */
function causeOf(error: unknown): unknown {
  return error instanceof DatabaseUnavailableError ? error.cause : error;
}

function unreachable(error: unknown): Check {
  const cause = causeOf(error);
  const isReached = cause === error;
  return {
    name: "database",
    health: "bad",
    found: isReached ? messageOf(error) : `can't be reached (${codeOf(cause) ?? messageOf(cause)})`,
    ...(!isReached && { hint: "start the database, or check DATABASE_URL" }),
  };
}

/** Settings that can't be used end every command before this one. */
export function judgeSettings(config: Config): Check {
  const warnings = [
    ...config.warnings,
    ...[signUpWarning(config)].filter((each) => each !== undefined),
  ];
  if (isBaseUrlMissing(config)) {
    warnings.push(`HOST is ${config.host}, and FEEDGATE_BASE_URL is not set.`);
  }
  if (warnings.length === 0) {
    return { name: "settings", health: "ok", found: "valid" };
  }
  return {
    name: "settings",
    health: "low",
    found: warnings.join(" "),
    hint: "correct the environment; the guide for operators lists all variables",
  };
}

async function examineCertificate({ tls, baseUrl }: Config): Promise<readonly Check[]> {
  if (tls === undefined) return [];
  try {
    const { cert } = await readTls(tls);
    return [judgeCertificate(new X509Certificate(cert), { baseUrl, nowMs: Date.now() })];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const hint = "set TLS_CERT_FILE and TLS_KEY_FILE to a matching pair of PEM files";
    return [{ name: "certificate", health: "bad", found: error.mistakes.join(" "), hint }];
  }
}

/** `baseUrl` is what clients call. */
export function judgeCertificate(
  certificate: Pick<X509Certificate, "validFrom" | "validTo" | "checkHost" | "checkIP">,
  { baseUrl, nowMs }: { readonly baseUrl: string | undefined; readonly nowMs: number },
): Check {
  const name = "certificate";
  const daysLeft = (Date.parse(certificate.validTo) - nowMs) / MS_PER_DAY;
  const hint = "renew it, then send the gateway SIGHUP (systemctl reload feedgate)";
  if (daysLeft <= 0) {
    return { name, health: "bad", found: `expired on ${certificate.validTo}`, hint };
  }
  if (Date.parse(certificate.validFrom) > nowMs) {
    const found = `not valid before ${certificate.validFrom}`;
    return { name, health: "bad", found, hint: "check this machine's clock, or wait" };
  }
  const host = baseUrl && new URL(baseUrl).hostname.replace(/^\[(.*)\]$/, "$1");
  if (host && !certificate.checkHost(host) && !certificate.checkIP(host)) {
    const found = `does not cover ${host}, the host of FEEDGATE_BASE_URL`;
    return { name, health: "bad", found, hint: "get a certificate for that host" };
  }
  const found = `valid until ${certificate.validTo}`;
  if (daysLeft < CERTIFICATE_DAYS_LOW) return { name, health: "low", found, hint };
  return { name, health: "ok", found };
}

export function judgeServer(server: Row<"find_server">): Check {
  const { version, version_number: number, is_standby: isStandby, database_bytes: bytes } = server;
  const size = bytes === null ? "" : `, ${(Number(bytes) / BYTES_PER_MB).toFixed(1)} MB`;
  const found = `PostgreSQL ${version}${size}`;
  const name = "database";
  if (number < VERSION_MIN) {
    return { name, health: "bad", found, hint: "upgrade to PostgreSQL 15 or newer" };
  }
  if (isStandby) {
    const hint = "set DATABASE_URL to the primary";
    return { name, health: "bad", found: `${found}, a standby`, hint };
  }
  return { name, health: "ok", found };
}

function judgeCommits(fault: DurabilityFault | undefined): Check {
  return { name: "commits", health: "ok", found: "survive a server crash", ...fault };
}

/** Whether so many processes of a gateway get all connections that they may open. Not of a pooler's. */
export function judgeConnections(
  { room, open_count: open }: Row<"find_connection_room">,
  processes = 1,
): Check {
  const name = "connections";
  const needed = processes * PROCESS_CONNECTIONS_MAX + SPARE_CONNECTIONS;
  const enoughFor = Math.max(0, Math.floor((room - SPARE_CONNECTIONS) / PROCESS_CONNECTIONS_MAX));
  const found = `PostgreSQL allows ${room}, enough for ${counted(enoughFor, "process", "processes")}; ${open} open on the server`;
  if (needed <= room) return { name, health: "ok", found };
  const hint = `set max_connections, or the limit of the role or the database, to ${PROCESS_CONNECTIONS_MAX} per process of all gateways, plus ${SPARE_CONNECTIONS}`;
  return { name, health: "low", found, hint };
}

/** The database's clock decides limits and times; this machine's stands in the log. All in ms of the Unix epoch. */
export function judgeClock(times: {
  readonly serverMs: number;
  /** Of the question and its answer, on this machine. */
  readonly startedMs: number;
  readonly endedMs: number;
}): Check {
  const { serverMs, startedMs, endedMs } = times;
  // Whatever lies within the time of the question may be no difference at all.
  const offMs = Math.max(startedMs - serverMs, serverMs - endedMs, 0);
  const seconds = (offMs / MS_PER_SECOND).toFixed(1);
  if (offMs <= CLOCK_OFF_SECONDS_LOW * MS_PER_SECOND) {
    return { name: "clock", health: "ok", found: "in sync with the database" };
  }
  const side = serverMs > endedMs ? "behind" : "ahead of";
  const found = `${seconds} s ${side} the database`;
  const hint =
    "synchronize both machines' clocks (NTP); limits and timestamps use the database's clock";
  return { name: "clock", health: "low", found, hint };
}

/** Undefined for a database of another machine. */
export function judgeDisk(room: DiskRoom | undefined): Check {
  const name = "disk";
  if (room === undefined) {
    return { name, health: "ok", found: "not checked: the database is on another machine" };
  }
  const { freeBytes, usedBytes } = room;
  const share = freeBytes / (freeBytes + usedBytes);
  const found = `${(freeBytes / BYTES_PER_MB).toFixed(0)} MB free (${(share * 100).toFixed(0)} %)`;
  const hint = "free up space, or enlarge the disk";
  if (freeBytes < DISK_FREE_BYTES_MIN) return { name, health: "bad", found, hint };
  if (share < DISK_FREE_SHARE_LOW) return { name, health: "low", found, hint };
  return { name, health: "ok", found };
}

export function judgeSchema(schema: SchemaState): Check {
  const name = "schema";
  if (schema.state === "wrong") return { name, health: "bad", found: schema.reason };
  if (schema.state === "behind") {
    const [first, ...others] = schema.pending;
    const found = `pending: ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
    const hint = "applied by the next start of this version, or by the command migrate";
    return { name, health: "low", found, hint };
  }
  if (schema.hasTrigrams) return { name, health: "ok", found: "up to date" };
  return {
    name,
    health: "low",
    found: "up to date, but pg_trgm is missing, so search does not tolerate typos",
    hint: 'run "create extension pg_trgm" in the database, then restart the gateway',
  };
}

/** What was found last under a name. Undefined if nothing was. */
async function readFinding(database: Database, wanted: string) {
  const findings = await database.rows("list_findings", {});
  return findings.find(({ name }) => name === wanted);
}

/** Proves every ledger now, as long as that does not take too long. */
async function proveLedgers(database: Database): Promise<Check> {
  const endsMs = performance.now() + LEDGER_PROOF_MS_MAX;
  let mark = "";
  let isMore = true;
  while (isMore && performance.now() < endsMs) {
    const step = await database.row("prove_ledgers", { mark, account_limit: LEDGERS_A_STEP });
    ({ mark, is_more: isMore } = present(step));
  }
  const check = await readFinding(database, "ledger check");
  return judgeLedgers({ check, isComplete: !isMore });
}

/** What the newest check of the ledgers found; whether it was this one. */
export function judgeLedgers(proof: {
  readonly check: Pick<Row<"list_findings">, "amount" | "detail"> | undefined;
  readonly isComplete: boolean;
}): Check {
  const { check, isComplete } = proof;
  const name = "ledgers";
  if (check !== undefined && check.amount > 0n) {
    return {
      name,
      health: "bad",
      found: `${check.amount} do not balance: ${check.detail}`,
      hint: "account show ID prints the sums; stop payouts until the cause is known",
    };
  }
  if (isComplete) return { name, health: "ok", found: "all balance" };
  return {
    name,
    health: "low",
    found: "all that could be checked within a minute balance; the rest were skipped",
    hint: "a background job checks all of them: watch feedgate_ledger_checked_timestamp_seconds",
  };
}

async function examineTotals(database: Database, nowMs: number): Promise<Check> {
  const seconds = (await readFinding(database, "sales"))?.found_at_seconds;
  return judgeTotals(seconds === undefined ? undefined : nowMs / MS_PER_SECOND - seconds);
}

/** Undefined if nothing was counted yet. */
export function judgeTotals(behindSeconds: number | undefined): Check {
  const name = "totals";
  if (behindSeconds === undefined) return { name, health: "ok", found: "none yet" };
  if (behindSeconds <= TOTALS_BEHIND_SECONDS_LOW)
    return { name, health: "ok", found: "up to date" };
  return {
    name,
    health: "low",
    found: `${Math.round(behindSeconds)} s behind the usage log`,
    hint: "a running gateway updates them; if one is running, see its log for the reason",
  };
}

async function examineNotices(database: Database): Promise<Check> {
  return judgeNotices(present(await database.row("find_waiting_notices", {})));
}

/** Of notices for webhooks: whether due ones are sent. */
export function judgeNotices({
  unspread,
  waiting,
  oldest_seconds: oldest,
}: Row<"find_waiting_notices">): Check {
  const name = "notices";
  if (oldest === null || oldest <= NOTICES_LATE_SECONDS_LOW) {
    return { name, health: "ok", found: "none overdue" };
  }
  return {
    name,
    health: "low",
    found: `${unspread} notices and ${waiting} webhooks overdue, the oldest by ${Math.round(oldest)} s`,
    hint: "a running gateway calls webhooks; if one is running, notice list --status waiting shows which are stuck",
  };
}

async function examineTopups(database: Database): Promise<Check> {
  return judgeTopups((await readFinding(database, "topup alerts"))?.amount ?? 0n);
}

async function examineArchive(database: Database): Promise<Check> {
  return judgeArchive(await readFinding(database, "wal archive"));
}

/** Undefined if the server does not archive its WAL. */
export function judgeArchive(
  found: Pick<Row<"list_findings">, "amount" | "detail"> | undefined,
): Check {
  const name = "archive";
  if (found === undefined) return { name, health: "ok", found: "not configured" };
  if (found.amount === 0n)
    return { name, health: "ok", found: "all complete WAL segments are archived" };
  return {
    name,
    health: "bad",
    found: `PostgreSQL can't copy ${found.detail} to the archive, and its disk fills up with WAL`,
    hint: "see the server's log; free up space in the archive, or give the server's account access",
  };
}

/** Of payments for credits: how many need somebody. */
export function judgeTopups(alerts: bigint): Check {
  const name = "top-ups";
  if (alerts === 0n) return { name, health: "ok", found: "none need attention" };
  return {
    name,
    health: "low",
    found: `${alerts} need attention: a payment without credits, or a refund that was not fully recovered`,
    hint: "see topup list --alerts; once settled, run topup settle ID --reason S",
  };
}

async function examineMail(database: Database): Promise<Check> {
  const { waiting, oldest_seconds: seconds } = present(
    await database.row("find_waiting_mails", {}),
  );
  return judgeMail(waiting, seconds ?? 0);
}

/** Of mails that wait to be sent: how many, and for how long the oldest has waited. */
export function judgeMail(waiting: bigint, oldestSeconds: number): Check {
  const name = "mail";
  if (oldestSeconds <= MAIL_WAIT_SECONDS_LOW) return { name, health: "ok", found: "none overdue" };
  const minutes = Math.round(oldestSeconds / 60);
  return {
    name,
    health: "low",
    found: `${counted(Number(waiting), "email")} waiting, the oldest for ${minutes} min`,
    hint: "run feedgate mail test ADDRESS to see the mail server's response",
  };
}

async function examineReplica(database: Database, config: Config): Promise<Check> {
  const replica = present(openReplica(config));
  try {
    return judgeReplica(await readReplicaLag(replica, database));
  } catch (error) {
    const found = `can't be queried: ${messageOf(causeOf(error))}`;
    const hint =
      "check the replica and DATABASE_READ_URL; until then, the primary serves its reads";
    return { name: "replica", health: "low", found, hint };
  } finally {
    await within(replica.connections.end({ timeout: 0 }), MS_PER_SECOND);
  }
}

export function judgeReplica(lagSeconds: number): Check {
  const name = "replica";
  const found = `${lagSeconds.toFixed(1)} s behind`;
  if (lagSeconds <= REPLICA_LAG_SECONDS_LOW) return { name, health: "ok", found };
  const hint = "check the replica's load and connection; until then, the primary serves its reads";
  return { name, health: "low", found, hint };
}
