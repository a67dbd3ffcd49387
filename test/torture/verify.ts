/**
 * What must hold after a torture, whatever has been killed.
 *
 * @module
 */
import { findViolations, LIMIT_FREE } from "../support/account_checks.ts";
import type { Answered, Record } from "./client.ts";
import { BATCH_ROWS, streamRow } from "./load.ts";
import type { Scene, TortureFeed } from "./scene.ts";
import { checkBulk, verifyExports } from "./verify_bulk.ts";
import { verifyMoney } from "./verify_money.ts";
import type { World } from "./world.ts";

export interface Verdict {
  /** One line each; empty where all is well. */
  readonly violations: readonly string[];
  /** Events in the log, not refunded, that no client has seen: of processes that were killed. */
  readonly unseen: number;
  readonly refunded: number;
}

const LISTED_MAX = 50;

export async function verify(world: World, scene: Scene, record: Record): Promise<Verdict> {
  const { sql } = world;
  const violations = [...record.violations];
  const events = await sql`
    select usage_id, account_id, feed_id, charge_nanos::float8 as charge_nanos, refunded
    from usage_events where operation in ('data', 'stream')`;
  const logged = new Map(events.map((event) => [event.usage_id as string, event]));
  for (const [usageId, seen] of record.answered) {
    const event = logged.get(usageId);
    if (event === undefined) violations.push(`answered and not logged: ${usageId}`);
    else if (event.refunded) violations.push(`answered and refunded: ${usageId}`);
    else if (!isSame(event as never, seen)) violations.push(`logged as another read: ${usageId}`);
  }
  violations.push(...(await findViolations(sql)));
  violations.push(...(await verifyMoney(world, record)));
  violations.push(...(await verifyExports(world, record)));
  for (const feed of scene.bulk) violations.push(...(await checkBulk(world, scene, feed)));
  for (const feed of scene.feeds) violations.push(...(await checkFeed(world, scene, feed)));
  const unseen = events.filter(
    ({ usage_id, refunded }) => !refunded && !record.answered.has(usage_id),
  ).length;
  return {
    violations: violations.slice(0, LISTED_MAX),
    unseen,
    refunded: events.filter(({ refunded }) => refunded).length,
  };
}

function isSame(
  event: { account_id: string; feed_id: string; charge_nanos: number },
  seen: Answered,
): boolean {
  return (
    event.account_id === seen.accountId &&
    event.feed_id === seen.feedId &&
    event.charge_nanos === seen.chargeNanos
  );
}

/** Everything acknowledged is there, once and whole, read through the gateway. */
async function checkFeed(world: World, scene: Scene, feed: TortureFeed): Promise<string[]> {
  const rows = await readAll(world, scene, feed);
  const { slug, acknowledged, sent } = feed;
  if (feed.model === "singleton") {
    const [{ generation }] = rows as [{ generation: number }];
    return generation >= acknowledged && generation <= sent
      ? []
      : [`${slug}: ends with ${generation}, acknowledged ${acknowledged}`];
  }
  if (feed.model === "collection") {
    const generations = new Set(rows.map((row) => row.generation));
    const ids = new Set(rows.map((row) => row.id));
    const isWhole =
      generations.size === 1 && ids.size === rows.length && rows.length === BATCH_ROWS;
    return isWhole && Number(rows[0]?.generation) >= acknowledged
      ? []
      : [`${slug}: ${rows.length} rows of ${[...generations]}, acknowledged ${acknowledged}`];
  }
  const violations: string[] = [];
  const newest = Number(rows[0]?.seq);
  if (newest < acknowledged || newest > sent) violations.push(`${slug}: ends with ${newest}`);
  if (rows.length !== newest + 1) violations.push(`${slug}: ${rows.length} of ${newest + 1} rows`);
  for (const [place, row] of rows.entries()) {
    const expected = streamRow(newest - place);
    if (row.id === expected.id && row.event_timestamp === expected.event_timestamp) continue;
    violations.push(`${slug}: ${JSON.stringify(row)} in the place of ${JSON.stringify(expected)}`);
    break;
  }
  return violations;
}

type Row = { readonly [name: string]: unknown };

/** All rows by following the cursor; new agents take over as the limits of the old ones are reached. */
async function readAll(world: World, scene: Scene, feed: TortureFeed): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = "";
  let agent = await scene.addRichAgent();
  for (let page = 0; cursor !== null; page++) {
    if (page % LIMIT_FREE === LIMIT_FREE - 1) agent = await scene.addRichAgent();
    const base = world.bases[page % world.bases.length] as string;
    const query: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${base}/v1/feed/${feed.slug}?limit=100${query}`, {
      headers: { "x-api-key": agent.key },
    });
    const body = (await response.json()) as { data: Row | Row[]; next_cursor?: string | null };
    if (response.status !== 200) throw new Error(`${feed.slug}: ${JSON.stringify(body)}`);
    rows.push(...(Array.isArray(body.data) ? body.data : [body.data]));
    cursor = body.next_cursor ?? null;
  }
  return rows;
}
