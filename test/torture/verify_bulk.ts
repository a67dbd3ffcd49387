/**
 * What must hold of imports and exports after a torture: each export that a client saw is in the log as it was charged,
 * no export was charged twice, and the feeds are whole.
 *
 * @module
 */
import { faultOf, wholeRows } from "./bulk.ts";
import type { Record } from "./client.ts";
import type { Scene, TortureFeed } from "./scene.ts";
import type { World } from "./world.ts";

export async function verifyExports({ sql }: World, record: Record): Promise<string[]> {
  const violations: string[] = [];
  const events = await sql`
    select usage_id, account_id, feed_id, charge_nanos::float8 as charge_nanos, refunded
    from usage_events where operation = 'export'`;
  const logged = new Map(events.map((event) => [event.usage_id as string, event]));
  for (const [id, { accountId, feedId, chargeNanos }] of record.exported) {
    const event = logged.get(id);
    if (event === undefined) violations.push(`exported and not logged: ${id}`);
    else if (event.refunded) violations.push(`exported and refunded: ${id}`);
    else if (
      event.account_id !== accountId ||
      event.feed_id !== feedId ||
      event.charge_nanos !== chargeNanos
    ) {
      violations.push(`logged as another export: ${id}`);
    }
  }
  const charged = new Set<string>();
  for (const { account_id: accountId, refunded } of events) {
    if (refunded) continue;
    // Each agent has made one export, under one key.
    if (charged.has(accountId)) violations.push(`an export was charged twice: ${accountId}`);
    charged.add(accountId);
  }
  return violations;
}

/** All rows of a feed that was imported, by one more export. */
export async function checkBulk(
  { bases }: World,
  scene: Scene,
  feed: TortureFeed,
): Promise<string[]> {
  // A stream may have rows of an import that did not come to its end; they are not read before one does.
  if (!feed.isImported) return [];
  const { key } = await scene.addRichAgent();
  const response = await fetch(`${bases[0]}/v1/feed/${feed.slug}/export`, {
    headers: { "x-api-key": key },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${feed.slug}: ${text}`);
  const fault = faultOf(feed, wholeRows(text), feed.acknowledged);
  return fault === undefined ? [] : [`${feed.slug}: ${fault}`];
}
