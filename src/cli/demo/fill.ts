/**
 * Fills the demo's feeds through the gateway's own API: create, push in chunks, publish.
 *
 * What is finished is noted in the database, a feed at a time, so that another start pushes nothing
 * twice. Where a start was cut short in the middle of a feed, the next one finds the feed and pushes it
 * from the beginning: a stream skips the rows that it has, a collection swaps in a whole new batch.
 *
 * @module
 */

import type { Limits } from "../../limits.ts";
import type { Database } from "../../postgres/client/query.ts";
import type { GatewayClient } from "./client.ts";
import { DEMO_FEEDS, type DemoFeed } from "./feeds.ts";

/** A feed of the demo, filled and listed. */
export interface FilledFeed {
  readonly id: string;
  readonly slug: string;
  readonly feed: DemoFeed;
}

export interface FillContext {
  readonly client: GatewayClient;
  readonly database: Database;
  readonly writeKey: string;
  readonly limits: Limits;
}

const SETTING = "demo:filled:";

export async function fillDemoFeeds(context: FillContext): Promise<readonly FilledFeed[]> {
  const { database } = context;
  const settings = await database.rows("list_demo_settings", []);
  const finished = new Set(settings.map((row) => row.name));
  const owned = await listOwned(context);
  const filled: FilledFeed[] = [];
  for (const feed of DEMO_FEEDS) {
    const slug = feed.definition.endpoint_path;
    const id = owned.get(slug) ?? (await createFeed(context, feed));
    if (!finished.has(SETTING + slug)) {
      for (const body of pushBodies(feed, context.limits)) {
        const path = `/v1/provider/feed/${id}/push`;
        await context.client({ method: "POST", path, key: context.writeKey, body });
      }
      await database.rows("set_feeds_public", [[id], true]);
      await database.row("keep_setting", [SETTING + slug, id]);
    }
    filled.push({ id, slug, feed });
  }
  return filled;
}

/** The provider's feeds: id by slug. */
async function listOwned({ client, writeKey }: FillContext): Promise<Map<string, string>> {
  const path = "/v1/provider/feeds?limit=100";
  const { feeds } = await client<{
    feeds: readonly { id: string; endpoint_path: string }[];
  }>({ method: "GET", path, key: writeKey });
  return new Map(feeds.map((feed) => [feed.endpoint_path, feed.id]));
}

async function createFeed({ client, writeKey }: FillContext, feed: DemoFeed): Promise<string> {
  const path = "/v1/provider/feed/create";
  const body = JSON.stringify(feed.definition);
  const row = await client<{ id: string }>({ method: "POST", path, key: writeKey, body });
  return row.id;
}

/** The rows as push bodies, within the deployment's limits on rows and bytes. */
export function pushBodies(feed: DemoFeed, limits: Limits): readonly string[] {
  if (feed.definition.feed_type === "singleton") return [`{"payload":${feed.rows[0]}}`];
  const chunks = chunksOf(feed.rows, limits);
  if (feed.definition.feed_type === "stream") {
    return chunks.map((rows) => `{"payload":[${rows.join(",")}]}`);
  }
  // A batch of its own for each attempt: finalizing it retires what an interrupted one has left.
  const batchId = `demo-${crypto.randomUUID()}`;
  return chunks.map((rows, index) => {
    const isLast = index === chunks.length - 1;
    const members = `"batch_id":"${batchId}"${isLast ? ',"batch_complete":true' : ""}`;
    return `{"payload":[${rows.join(",")}],${members}}`;
  });
}

/** What the wrapper around the rows may take. */
const WRAPPER_BYTES = 256;

function chunksOf(rows: readonly string[], limits: Limits): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  let bytes = 0;
  for (const row of rows) {
    const rowBytes = Buffer.byteLength(row) + 1;
    const last = chunks.at(-1);
    const isFull =
      last === undefined ||
      last.length >= limits.rows ||
      bytes + rowBytes > limits.requestBodyBytes - WRAPPER_BYTES;
    if (isFull) {
      chunks.push([row]);
      bytes = rowBytes;
    } else {
      last.push(row);
      bytes += rowBytes;
    }
  }
  return chunks;
}
