/**
 * Fills the demo's feeds through the gateway's own API: create, push in chunks, publish.
 *
 * The database records each feed that is finished, so that another start does not push it again. If a start was
 * interrupted within a feed, the next one pushes that feed from the beginning: a stream skips rows that it already has,
 * and a collection is replaced by a new batch. A feed that was deleted stays deleted.
 *
 * @module
 */

import type { Limits } from "../../limits.ts";
import type { Services } from "../../services.ts";
import { type GatewayClient, unlessRefused } from "./client.ts";
import { DEMO_FEEDS, type DemoFeed } from "./demo_feeds.ts";

/** A demo feed that is filled and published. */
export interface FilledFeed extends DemoFeed {
  readonly id: string;
}

const SETTING = "demo:filled:";

/** @param client uses the provider's key */
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
    // A finished feed that no longer exists was deleted on purpose.
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

/** Ids of the provider's feeds, by slug. */
async function listOwned(client: GatewayClient): Promise<Map<string, string>> {
  const { feeds } = await client<{
    feeds: readonly { id: string; endpoint_path: string }[];
  }>("/v1/provider/feeds?limit=100");
  return new Map(feeds.map((feed) => [feed.endpoint_path, feed.id]));
}

/** Returns undefined if the slug is taken by another account's feed or a deleted one. */
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
  // Each attempt has its own batch. Finalizing it discards the batch of an interrupted attempt.
  const batchId = `demo-${crypto.randomUUID()}`;
  return chunks.map((rows, index) => {
    const isLast = index === chunks.length - 1;
    const members = `"batch_id":"${batchId}"${isLast ? ',"batch_complete":true' : ""}`;
    return `{"payload":[${rows.join(",")}],${members}}`;
  });
}

/** Space for the JSON around the rows. */
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
