/**
 * Fills the demo's feeds through the gateway's own API: create, push in chunks, publish.
 *
 * What is finished is noted in the database, a feed at a time, so that another start pushes nothing
 * twice. Where a start was cut short in the middle of a feed, the next one finds the feed and pushes it
 * from the beginning: a stream skips the rows that it has, a collection swaps in a whole new batch. A feed that was
 * deleted since stays deleted.
 *
 * @module
 */

import type { Limits } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { type GatewayClient, unlessRefused } from "./client.ts";
import { DEMO_FEEDS, type DemoFeed } from "./demo_feeds.ts";

/** A feed of the demo, filled and listed. */
export interface FilledFeed extends DemoFeed {
  readonly id: string;
}

const SETTING = "demo:filled:";

/** `client` has the provider's key. */
export async function fillDemoFeeds(
  client: GatewayClient,
  { database, config }: Pick<Services, "database" | "config">,
): Promise<readonly FilledFeed[]> {
  const settings = await database.rows("list_demo_settings", {});
  const finished = new Set(settings.map((row) => row.name));
  const owned = await listOwned(client);
  const filled: FilledFeed[] = [];
  for (const feed of DEMO_FEEDS) {
    const slug = feed.definition.endpoint_path;
    const isFinished = finished.has(SETTING + slug);
    // A feed that was there and is not any more was deleted on purpose.
    const id = owned.get(slug) ?? (isFinished ? undefined : await createFeed(client, feed));
    if (id === undefined) continue;
    if (!isFinished) {
      for (const body of pushBodies(feed, config.limits)) {
        await client(`/v1/provider/feed/${id}/push`, body);
      }
      await database.rows("set_feeds_public", { feed_ids: [id], is_public: true, actor: null });
      await database.row("keep_setting", { name: SETTING + slug, value: id });
    }
    filled.push({ ...feed, id });
  }
  return filled;
}

/** The provider's feeds: id by slug. */
async function listOwned(client: GatewayClient): Promise<Map<string, string>> {
  const { feeds } = await client<{
    feeds: readonly { id: string; endpoint_path: string }[];
  }>("/v1/provider/feeds?limit=100");
  return new Map(feeds.map((feed) => [feed.endpoint_path, feed.id]));
}

/** Undefined if another feed has the slug: one of another account, or one that was deleted. */
async function createFeed(client: GatewayClient, feed: DemoFeed): Promise<string | undefined> {
  const body = JSON.stringify(feed.definition);
  const creating = client<{ id: string }>("/v1/provider/feed/create", body);
  return (await unlessRefused(creating, ["ENDPOINT_PATH_TAKEN"]))?.id;
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
