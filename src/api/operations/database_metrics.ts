/**
 * Metrics of the database for alerting: whether it answers, its errors, how long its statements take, its disk, and the
 * findings of background jobs. Slow statements are logged by name, without their parameters.
 *
 * No metric names an account or a feed.
 *
 * @module
 */

import type { Metrics } from "../../http/metrics.ts";
import { inScrape } from "../../http/scrape.ts";
import type { Log } from "../../lib/log.ts";
import { createSingleFlight } from "../../lib/single_flight.ts";
import { MS_PER_SECOND } from "../../lib/time_units.ts";
import type { Row } from "../../postgres/client/database.ts";
import type { Databases } from "../../postgres/open_database.ts";
import { readReplicaLag } from "../../postgres/replica/replica_lag.ts";

/** Maximum age of the findings in a scrape. One scrape uses them for several metrics. */
const FRESH_MS = 250;

type Findings = ReadonlyMap<string, Row<"list_findings">>;

interface DatabaseMetricsOptions {
  readonly log: Log;
  /** Statements that take at least as long are logged. */
  readonly slowMs: number;
}

export function registerDatabaseMetrics(
  metrics: Metrics,
  { database, background, operatorDatabase, importDatabase, replica, diskRoom }: Databases,
  { log, slowMs }: DatabaseMetricsOptions,
): void {
  const pools = {
    requests: database,
    background,
    operators: operatorDatabase,
    imports: importDatabase,
    replica,
  };
  for (const [pool, each] of Object.entries(pools)) {
    each?.observe((statement, ms) => {
      metrics.stated(pool, ms / MS_PER_SECOND);
      if (ms >= slowMs) log.info("slow statement", { statement, pool, ms: Math.round(ms) });
    });
  }
  let newest: { readonly atMs: number; readonly findings: Findings | undefined } | undefined;
  const read = createSingleFlight(async () => {
    if (newest !== undefined && performance.now() - newest.atMs < FRESH_MS) return newest.findings;
    const rows = await inScrape(database.rows("list_findings", {}));
    const findings = rows && new Map(rows.map((row) => [row.name, row]));
    newest = { atMs: performance.now(), findings };
    return findings;
  });
  const finding = (name: string, value: (found: Row<"list_findings">) => number) => async () => {
    const found = (await read.ask())?.get(name);
    return found === undefined ? undefined : value(found);
  };

  metrics.gauge(
    "feedgate_database_up",
    "Whether the database answered this scrape",
    async () => Number((await read.ask()) !== undefined),
    "min",
  );
  metrics.counts(
    "feedgate_database_errors_total",
    "Failed statements, by SQLSTATE or the driver's error code",
    "sqlstate",
    () => sumOf([database, background, ...(replica === undefined ? [] : [replica])]),
  );
  metrics.gauge(
    "feedgate_feeds_overdue",
    "Readable feeds whose newest push is older than their sync interval, counted each minute",
    finding("overdue feeds", ({ amount }) => Number(amount)),
    "max",
  );
  metrics.gauge(
    "feedgate_feeds_overdue_seconds_max",
    "Seconds since the newest push of the feed that has been overdue longest; 0 if none is overdue",
    finding("overdue feeds", ({ since_seconds: seconds }) => seconds ?? 0),
    "max",
  );
  metrics.gauge(
    "feedgate_ledger_balanced",
    "Whether, at the last check, every account's balance equaled granted - revoked - charged + refunded, and total spending equaled providers' earnings",
    finding("ledger check", ({ amount }) => Number(amount === 0n)),
    "min",
  );
  metrics.gauge(
    "feedgate_ledger_checked_timestamp_seconds",
    "Time when the last check of all ledgers ended",
    finding("ledger check", ({ found_at_seconds: seconds }) => seconds),
    "max",
  );
  metrics.gauge(
    "feedgate_topup_alerts",
    "Top-ups that need an operator's attention: payments that were not credited, or refunds that exceeded the balance",
    finding("topup alerts", ({ amount }) => Number(amount)),
    "max",
  );
  metrics.gauge(
    "feedgate_totals_complete_timestamp_seconds",
    "Time up to which sales are included in the totals",
    finding("sales", ({ found_at_seconds: seconds }) => seconds),
    "max",
  );
  metrics.gauge(
    "feedgate_wal_archive_failing",
    "Whether the database can't copy its WAL to the archive; absent if there is no archive",
    finding("wal archive", ({ amount }) => Number(amount)),
    "max",
  );
  if (replica !== undefined) {
    metrics.gauge(
      "feedgate_replica_lag_seconds",
      "Age of the replica's data; absent while the replica or the primary does not respond",
      () => inScrape(readReplicaLag(replica, database)),
      "max",
    );
  }
  if (diskRoom === undefined) return;
  metrics.gauge(
    "feedgate_disk_free_bytes",
    "Free bytes on the disk of the embedded PostgreSQL",
    () => diskRoom()?.freeBytes,
    "min",
  );
  metrics.gauge(
    "feedgate_disk_used_bytes",
    "Used bytes on the disk of the embedded PostgreSQL",
    () => diskRoom()?.usedBytes,
    "max",
  );
}

/** Failures of several pools, by code. */
function sumOf(
  pools: readonly { readonly failures: ReadonlyMap<string, number> }[],
): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const { failures } of pools) {
    for (const [code, count] of failures) sum.set(code, (sum.get(code) ?? 0) + count);
  }
  return sum;
}
