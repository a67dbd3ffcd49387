/**
 * Walks along `next_cursor`, from the first page to the last, while pushes go on and things are killed:
 * each row must come exactly once.
 *
 * @module
 */
import { any, type Client } from "./client.ts";
import { BATCH_ROWS } from "./load.ts";
import type { AgentKey, TortureFeed } from "./scene.ts";

export interface WalkOptions {
  /** Of which nothing is refused but by their windows. */
  readonly agents: readonly AgentKey[];
  readonly isStopping: () => boolean;
}

type Row = { readonly id: string | number; readonly seq: number; readonly generation: number };

/** Pages small enough that a batch is replaced several times during its walk. */
const PAGE_ROWS = { collection: 4, stream: 100, singleton: 1 } as const;
const PAUSE_MS = 100;

/** One walk; it is given up when the torture ends before it does. */
export async function walk(client: Client, feed: TortureFeed, options: WalkOptions): Promise<void> {
  const { agents, isStopping } = options;
  const { acknowledged, model } = feed;
  if (acknowledged < 0) return;
  const rows: Row[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    if (isStopping()) return;
    const from: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const query = `limit=${PAGE_ROWS[model]}${from}`;
    const answer = await client.read(any(agents), feed, { query });
    if (answer?.status !== 200) {
      if (answer !== undefined && answer.status !== 429 && answer.status !== 503) {
        const { code } = answer.body;
        client.violate(`${feed.slug}: a walk was answered ${answer.status} ${code}`);
        return;
      }
      await Bun.sleep(PAUSE_MS);
      continue;
    }
    client.record.pages += 1;
    rows.push(...(answer.body.data as Row[]));
    cursor = answer.body.next_cursor as string | null;
  }
  client.record.walks += 1;
  const fault = model === "stream" ? streamFault(rows) : batchFault(rows);
  if (fault !== undefined) client.violate(`${feed.slug}: ${fault}`);
  const newest = model === "stream" ? rows[0]?.seq : rows[0]?.generation;
  if ((newest ?? -1) < acknowledged) client.violate(`${feed.slug}: walked ${newest}, an old state`);
}

/** A stream's rows are numbered from 0, and the newest come first. */
function streamFault(rows: readonly Row[]): string | undefined {
  const place = rows.findIndex(({ seq }, index) => seq !== rows.length - 1 - index);
  return place < 0
    ? undefined
    : `a walk met row ${rows[place]?.seq} in the place of ${rows.length - 1 - place}`;
}

function batchFault(rows: readonly Row[]): string | undefined {
  const generations = new Set(rows.map(({ generation }) => generation));
  const ids = new Set(rows.map(({ id }) => id));
  if (generations.size === 1 && ids.size === BATCH_ROWS && rows.length === BATCH_ROWS) return;
  return `a walk met ${rows.length} rows, ${ids.size} ids, of batches ${[...generations]}`;
}
