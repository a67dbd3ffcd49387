/**
 * Imports and exports of a torture. Files are imported again until they are acknowledged; exports are cut, and go on
 * behind the last whole row. Every export must be one version of its feed: all rows of one import, or all events up to
 * one.
 *
 * @module
 */
import { any, type Client } from "./client.ts";
import { type AgentKey, PRICES_NANOS, type Scene, type TortureFeed } from "./scene.ts";
import type { World } from "./world.ts";

export interface BulkOptions {
  readonly world: World;
  readonly scene: Scene;
  readonly isStopping: () => boolean;
}

interface BulkRow {
  readonly id: string;
  readonly seq: number;
  readonly generation: number;
}

/** Several parts of an import. */
export const IMPORT_ROWS = 4_000;
/** An export of so many rows takes a second at most. */
const STREAM_ROWS_MAX = 100_000;
const PIECE_ROWS = 250;
const PIECE_PAUSE_MS = 10;
const ROWS_PER_READ = 100;
const EXPORTERS = 3;
const EXPORT_TRIES_MAX = 100;
const RETRY_MS = 200;
/** An import of a gateway that was killed holds its feed for 15 s, and a paused gateway is silent for longer. */
const ANSWER_MS_MAX = 30_000;
const PASSING = new Set([429, 503]);

/** Loops that end when the torture stops; an import that has begun is brought to its end. */
export function startBulk(client: Client, options: BulkOptions): Promise<void>[] {
  const { world, scene, isStopping } = options;
  const { record, violate } = client;

  /** A gateway that is not paused. */
  function anyBase(): string {
    const nowMs = performance.now();
    return any(world.bases.filter((each) => !world.wasPaused(each, nowMs)));
  }

  async function importer(feed: TortureFeed): Promise<void> {
    while (!isStopping()) {
      const isLong = feed.model === "stream" && feed.sent >= STREAM_ROWS_MAX;
      // The same file again, whose events the stream has.
      const first = isLong ? feed.sent + 1 - IMPORT_ROWS : feed.sent + 1;
      if (!isLong) feed.sent = feed.model === "stream" ? feed.sent + IMPORT_ROWS : first;
      await untilAcknowledged(feed, first);
      await Bun.sleep(RETRY_MS);
    }
  }

  async function untilAcknowledged(feed: TortureFeed, first: number): Promise<void> {
    while (!isStopping()) {
      const last = await importOnce(feed, first);
      if (last?.receipt !== undefined) {
        record.imports += 1;
        feed.isImported = true;
        feed.acknowledged = feed.sent;
        const { rows_inserted: inserted, rows_duplicate: duplicate } = last.receipt;
        if (inserted + duplicate !== IMPORT_ROWS) violate(`${feed.slug}: imported ${inserted}`);
        return;
      }
      const problem: ImportProblem | undefined = last?.problem ?? last;
      if (problem?.code !== "IMPORT_RUNNING") record.broken += 1;
      if (problem !== undefined && problem.status !== 503 && problem.code !== "IMPORT_RUNNING") {
        violate(`import: ${JSON.stringify(problem).slice(0, 300)}`);
      }
      if (feed.model === "stream") {
        const { rows_inserted: inserted = 0, rows_duplicate: duplicate = 0 } = problem ?? {};
        // How far it came is said, and no more than that is promised.
        feed.acknowledged = Math.max(feed.acknowledged, first + inserted + duplicate - 1);
      }
      await Bun.sleep(RETRY_MS);
    }
  }

  /** The last line, or an ordinary answer; undefined if the connection broke. */
  async function importOnce(feed: TortureFeed, first: number): Promise<LastLine | undefined> {
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (at >= IMPORT_ROWS) return controller.close();
        const rows = Array.from({ length: PIECE_ROWS }, (_, place) =>
          rowOf(feed, first, at + place),
        );
        at += PIECE_ROWS;
        controller.enqueue(Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join("")));
        await Bun.sleep(PIECE_PAUSE_MS);
      },
    });
    const url = `${anyBase()}/v1/provider/feed/${feed.feedId}/import`;
    const headers = {
      Authorization: `Bearer ${scene.writeKey}`,
      "Content-Type": "application/x-ndjson",
    };
    const signal = AbortSignal.timeout(ANSWER_MS_MAX);
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal });
      const text = await response.text();
      return JSON.parse(text.trimEnd().split("\n").at(-1) ?? "");
    } catch {
      return undefined;
    }
  }

  async function exporter(): Promise<void> {
    while (!isStopping()) {
      await Bun.sleep(RETRY_MS);
      const feed = any(scene.bulk.filter(({ isImported }) => isImported));
      // One agent an export, so that a second charge would show, and no limit is met.
      const agent = await scene.addRichAgent().catch(() => undefined);
      if (feed === undefined || agent === undefined) continue;
      await exportAll(feed, agent);
    }
  }

  async function exportAll(feed: TortureFeed, agent: AgentKey): Promise<void> {
    const { acknowledged } = feed;
    const rows: BulkRow[] = [];
    let version: string | undefined;
    for (let tries = 0; tries < EXPORT_TRIES_MAX && !isStopping(); tries++) {
      if (tries > 0) await Bun.sleep(RETRY_MS);
      const after = version === undefined ? "" : `?version=${version}&after=${rows.at(-1)?.id}`;
      const answer = await exportOnce(feed, agent, after);
      if (answer === undefined) continue;
      const { status } = answer;
      // A version goes with what replaced it; and a key that was used for another version says so.
      if (status === 410 || (status === 409 && version === undefined)) return;
      if (PASSING.has(status)) continue;
      if (status !== 200) return violate(`export: ${status} ${answer.text.slice(0, 300)}`);
      if (version !== undefined) record.resumed += 1;
      rows.push(...wholeRows(answer.text));
      // Without one row there is nothing to go on behind.
      if (rows.length > 0) version = answer.version ?? version;
      if (!answer.isWhole) continue;
      record.exports += 1;
      const fault = faultOf(feed, rows, acknowledged);
      if (fault !== undefined) violate(`${feed.slug}: ${fault}`);
      return;
    }
  }

  /** Half of the answers are cut somewhere. */
  async function exportOnce(feed: TortureFeed, agent: AgentKey, after: string) {
    const cutAt = Math.random() < 0.5 ? Math.random() * IMPORT_ROWS * 40 : Number.POSITIVE_INFINITY;
    let text = "";
    let head: { status: number; version: string | undefined } | undefined;
    let isWhole = false;
    try {
      const response = await fetch(`${anyBase()}/v1/feed/${feed.slug}/export${after}`, {
        headers: {
          "x-api-key": agent.key,
          "Idempotency-Key": "torture-export",
          "Accept-Encoding": "identity",
        },
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
      });
      const version = response.headers.get("feedgate-data-version") ?? undefined;
      head = { status: response.status, version };
      if (response.status === 200) noteCharge(feed, agent, { response, isFirst: after === "" });
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > cutAt) return { ...head, text, isWhole };
      }
      isWhole = true;
    } catch {
      // Cut off.
    }
    return head === undefined ? undefined : { ...head, text, isWhole };
  }

  function noteCharge(
    { feedId, slug }: TortureFeed,
    { accountId }: AgentKey,
    { response: { headers }, isFirst }: { readonly response: Response; readonly isFirst: boolean },
  ): void {
    const chargeNanos = Math.round(Number(headers.get("feedgate-credits-charged")) * 1_000);
    record.exported.set(headers.get("feedgate-usage-id") ?? "", {
      accountId,
      feedId,
      chargeNanos,
    });
    const units = Math.ceil(Number(headers.get("feedgate-row-count")) / ROWS_PER_READ);
    // A part is charged with the whole, which was more.
    if (isFirst && chargeNanos !== units * PRICES_NANOS[0]) violate(`${slug} cost ${chargeNanos}`);
  }

  return [...scene.bulk.map(importer), ...Array.from({ length: EXPORTERS }, exporter)];
}

/** Rows of whole lines. */
export function wholeRows(text: string): BulkRow[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** What is wrong with all rows of a feed, as one version of it; `least` was acknowledged before. */
export function faultOf(
  { model, sent }: TortureFeed,
  rows: readonly BulkRow[],
  least: number,
): string | undefined {
  const place = rows.findIndex(({ seq }, index) => seq !== index);
  if (place >= 0) return `exported row ${rows[place]?.seq} in the place of ${place}`;
  if (model === "stream") {
    const newest = rows.length - 1;
    return newest < least || newest > sent ? `ends with ${newest} after ${least}` : undefined;
  }
  const generations = new Set(rows.map(({ generation }) => generation));
  const [generation = -1] = generations;
  if (generations.size > 1) return `exported rows of ${[...generations]}`;
  if (rows.length !== IMPORT_ROWS) return `exported ${rows.length} rows`;
  return generation < least ? `exported ${generation} after ${least}` : undefined;
}

interface LastLine extends ImportProblem {
  readonly receipt?: { readonly rows_inserted: number; readonly rows_duplicate: number };
  readonly problem?: ImportProblem;
}

interface ImportProblem {
  readonly status?: number;
  readonly code?: string;
  readonly rows_inserted?: number;
  readonly rows_duplicate?: number;
}

function rowOf({ model }: TortureFeed, first: number, place: number): BulkRow {
  const seq = model === "stream" ? first + place : place;
  return { id: `b${seq}`, seq, generation: model === "stream" ? 0 : first };
}
