/**
 * Feeds with data, inserted directly into the tables, for tests of reading, which must not depend on push.
 *
 * @module
 */
import type { FeedType } from "../../src/feeds/find.ts";
import { arrayLiteral } from "../../src/postgres/client/array_literal.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";

export interface Seed {
  readonly type: FeedType;
  /** Rows as values, or a singleton's document. */
  readonly rows?: readonly Record<string, unknown>[];
  /** Rows as exact JSON texts, as an alternative. */
  readonly texts?: readonly string[];
  /** The price of a call in nano-dollars, which makes the feed metered. */
  readonly callPriceNanos?: number;
  readonly oneTimePriceCents?: number;
  readonly isPublic?: boolean;
  readonly name?: string;
}

export interface SeededFeed {
  readonly feedId: string;
  readonly slug: string;
}

let seeds = 0;

/** Creates an active feed of `accountId`. */
export async function seedFeed(
  { sql }: { readonly sql: Connections },
  accountId: string,
  seed: Seed,
): Promise<SeededFeed> {
  seeds += 1;
  const slug = `seed-${seeds}`;
  const texts = seed.texts ?? (seed.rows ?? []).map((row) => JSON.stringify(row));
  const price = seed.callPriceNanos;
  const priceType =
    seed.oneTimePriceCents === undefined ? (price === undefined ? "free" : "metered") : "one_time";
  const inserted = await sql`
    insert into feeds (
      account_id, name, endpoint_path, feed_type, status, first_pushed_at, last_sync_at, price_type,
      call_price_nanos, one_time_price_cents, is_public, published_at, data_version, push_count,
      next_position, current_batch
    )
    values (
      ${accountId}, ${seed.name ?? `Seed ${seeds}`}, ${slug}, ${seed.type}, 'active', now(), now(),
      ${priceType}, ${priceType === "one_time" ? null : String(price ?? 0)},
      ${seed.oneTimePriceCents ?? null}, ${seed.isPublic ?? false},
      ${seed.isPublic ? new Date().toISOString() : null}, 1, 1, ${texts.length + 1},
      ${seed.type === "collection" ? 1 : null}
    )
    returning feed_id`;
  const feedId: string = inserted[0]?.feed_id;
  if (seed.type === "singleton") {
    await sql`insert into documents (feed_id, payload) values (${feedId}, ${texts[0] ?? "{}"})`;
  } else if (seed.type === "collection") {
    await sql`
      insert into batches (feed_id, batch_number, status, finalized_at)
      values (${feedId}, 1, 'final', now())`;
    await sql`
      insert into collection_rows (feed_id, batch_number, position, row_id, payload)
      select ${feedId}, 1, place, row::json ->> 'id', row::json
      from unnest(${arrayLiteral(texts)}::text[]) with ordinality as rows (row, place)`;
  } else {
    await sql`
      insert into stream_events (feed_id, position, row_id, event_at, payload)
      select
        ${feedId}, place, row::json ->> 'id', (row::json ->> 'event_timestamp')::timestamptz,
        row::json
      from unnest(${arrayLiteral(texts)}::text[]) with ordinality as rows (row, place)`;
  }
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  await sql`
    insert into row_totals (feed_id, batch_number, row_count, payload_bytes)
    values (${feedId}, ${seed.type === "collection" ? 1 : 0}, ${texts.length}, ${bytes})`;
  return { feedId, slug };
}
