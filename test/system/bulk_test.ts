import { expect, test } from "bun:test";
import { shellActor } from "../../src/accounts/actor.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { grantCredits } from "../../src/operator/credits.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { findViolations } from "../support/account_checks.ts";
import { usedDataDir } from "../support/folders.ts";
import { insertKey } from "../support/insert_key.ts";
import { waitFor } from "../support/processes.ts";
import { startWorld, type World } from "../torture/world.ts";

const ROWS = 60_000;
/** Longer than the lease of an import. */
const LEASE_OVER_MS = 16_000;

const lineOf = (id: number) => `${JSON.stringify({ id, filler: "x".repeat(200) })}\n`;

/** Sends a file piece by piece. Resolves to the last line, or to undefined if the connection broke. */
async function importFile(
  base: string | undefined,
  { feedId, key, onSent }: { feedId: string; key: string; onSent?: (rows: number) => void },
) {
  let sent = 0;
  const body = new ReadableStream({
    async pull(controller) {
      if (sent >= ROWS) return controller.close();
      controller.enqueue(
        Buffer.from(Array.from({ length: 500 }, (_, at) => lineOf(sent + at)).join("")),
      );
      sent += 500;
      onSent?.(sent);
      await Bun.sleep(20);
    },
  });
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/x-ndjson" };
  const url = `${base}/v1/provider/feed/${feedId}/import`;
  return fetch(url, { method: "POST", headers, body })
    .then((response) => response.text())
    .then((text) => JSON.parse(text.trimEnd().split("\n").at(-1) ?? ""))
    .catch(() => undefined);
}

/** A collection with one row, an empty stream, and keys. */
async function setStage({ sql, bases }: World) {
  const [owner] = await sql`
    insert into accounts (name, max_feeds_allowed) values ('Provider', 9) returning account_id`;
  const [agent] = await sql`
    insert into accounts (name, max_feeds_allowed, balance_nanos)
    values ('Agent', 0, 0) returning account_id`;
  const key = await insertKey(sql, owner?.account_id, "write");
  const readKey = await insertKey(sql, agent?.account_id, "read");
  const feeds = await sql`
    insert into feeds (account_id, name, endpoint_path, feed_type, call_price_nanos)
    values
      (${owner?.account_id}, 'Bulk', 'bulk-collection', 'collection', 0),
      (${owner?.account_id}, 'Bulk', 'bulk-stream', 'stream', 0)
    returning feed_id`;
  const [collection, stream] = feeds.map(({ feed_id: id }) => id as string) as [string, string];
  const pushed = await fetch(`${bases[0]}/v1/provider/feed/${collection}/push`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: '[{"id":"before"}]',
  });
  expect(pushed.status).toBe(200);
  return { agentId: agent?.account_id as string, key, readKey, collection, stream };
}

async function exportedIds(
  base: string | undefined,
  path: string,
  key: string,
): Promise<unknown[]> {
  const response = await fetch(`${base}/v1/feed/${path}`, { headers: { "x-api-key": key } });
  expect(response.status).toBe(200);
  return idsOf(await response.text());
}

/** Of the whole lines. */
function idsOf(text: string): unknown[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
}

const allIds = Array.from({ length: ROWS }, (_, id) => id);

test("kill -9 of a gateway amid imports: a collection is as before, a stream has what came first, and both can be imported again", async () => {
  const world = await startWorld({ gateways: 2, dataDir: await usedDataDir() });
  try {
    const { sql, bases } = world;
    const { key, readKey, collection, stream } = await setStage(world);
    const base = bases[0];
    const imports = Promise.all([
      importFile(base, { feedId: collection, key }),
      importFile(base, { feedId: stream, key }),
    ]);
    const isUnderWay = async () => {
      const [stored] = await sql`
        select
          (select count(*) from collection_rows where feed_id = ${collection}) > 1
          and exists (select from stream_events where feed_id = ${stream}) as under_way`;
      return stored?.under_way === true;
    };
    expect(await waitFor(isUnderWay, 20_000)).toBe(true);
    await world.killGateway(0);
    const ends = await imports;
    expect(ends).toEqual([undefined, undefined]);
    expect(await exportedIds(bases[1], `${collection}/export`, readKey)).toEqual(["before"]);
    const events = await sql`
      select row_id from stream_events where feed_id = ${stream} order by position`;
    expect(events.length).toBeGreaterThan(0);
    expect(events.map(({ row_id: id }) => Number(id))).toEqual(allIds.slice(0, events.length));

    const early = await importFile(bases[1], { feedId: collection, key });
    expect(early).toMatchObject({ status: 409, code: "IMPORT_RUNNING" });
    await Bun.sleep(LEASE_OVER_MS);
    const again = await Promise.all([
      importFile(bases[1], { feedId: collection, key }),
      importFile(bases[1], { feedId: stream, key }),
    ]);
    expect(again).toMatchObject([
      { receipt: { rows_inserted: ROWS } },
      { receipt: { rows_inserted: ROWS - events.length, rows_duplicate: events.length } },
    ]);
    expect(await exportedIds(bases[1], `${collection}/export`, readKey)).toEqual(allIds);
    expect(await exportedIds(bases[1], `${stream}/export`, readKey)).toEqual(allIds);
    // The history has each of them once, the killed ones with what stayed.
    for (const [feedId, inserted] of [
      [collection, 0],
      [stream, events.length],
    ] as const) {
      const history = await sql`
        select code, rows_inserted from pushes
        where feed_id = ${feedId} and code is distinct from 'IMPORT_RUNNING'
        order by push_id desc limit 2`;
      expect(history).toMatchObject([
        { code: null },
        { code: "UNAVAILABLE", rows_inserted: inserted },
      ]);
    }
    // What the killed import had staged is retired, and goes.
    const open = await sql`
      select status from batches where feed_id = ${collection} and status = 'open'`;
    expect(open).toHaveLength(0);
  } finally {
    await world.stop();
  }
});

test("kill -9 of PostgreSQL amid an import and an export: nothing looks whole, and the export goes on uncharged", async () => {
  const world = await startWorld({ gateways: 1, dataDir: await usedDataDir() });
  try {
    const { sql, bases } = world;
    const base = bases[0];
    const { agentId, key, readKey, collection, stream } = await setStage(world);
    expect(await importFile(base, { feedId: stream, key })).toMatchObject({
      receipt: { rows_inserted: ROWS },
    });
    await sql`
      update feeds
      set price_type = 'metered', call_price_nanos = 1000, definition_version = definition_version + 1
      where feed_id = ${stream}`;
    const operator = { database: createDatabase(sql), limits: LIMITS_DEFAULT };
    const grant = { account_id: agentId, credits: 1_000_000n, reason: "test" };
    await grantCredits(operator, grant, shellActor("test"));
    const headers = {
      "x-api-key": readKey,
      "Idempotency-Key": "all",
      "Accept-Encoding": "identity",
    };
    const first = await fetch(`${base}/v1/feed/${stream}/export`, { headers });
    expect(first.headers.get("feedgate-credits-charged")).toBe(String(ROWS / 100));
    const version = first.headers.get("feedgate-data-version");
    const reader = first.body?.getReader();
    let text = new TextDecoder().decode((await reader?.read())?.value);
    const importing = importFile(base, {
      feedId: collection,
      key,
      onSent: (rows) => {
        if (rows === ROWS / 2) void world.killDatabase();
      },
    });
    expect(await importing).toMatchObject({ problem: { status: 503 } });
    let isWhole = false;
    try {
      for (;;) {
        const part = await reader?.read();
        if (part === undefined || part.done) break;
        text += new TextDecoder().decode(part.value);
      }
      isWhole = true;
    } catch {
      // Cut off.
    }
    await world.ready(readKey);
    expect(isWhole).toBe(false);
    const seen = idsOf(text);
    expect(seen.length).toBeLessThan(ROWS);
    const path = `${stream}/export?version=${version}&after=${seen.at(-1)}`;
    const next = await fetch(`${base}/v1/feed/${path}`, { headers });
    expect(next.status).toBe(200);
    expect([...seen, ...idsOf(await next.text())]).toEqual(allIds);
    const charged = await sql`
      select charge_nanos, refunded from usage_events where feed_id = ${stream}`;
    expect(charged).toMatchObject([{ charge_nanos: BigInt(ROWS / 100) * 1_000n, refunded: false }]);
    expect(await findViolations(sql)).toEqual([]);
    expect(await exportedIds(base, `${collection}/export`, readKey)).toEqual(["before"]);
  } finally {
    await world.stop();
  }
});
