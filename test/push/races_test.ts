import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { askAgain } from "../support/ask_again.ts";
import { lockWaiters } from "../support/lock_waiters.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());

/** Sends through this gateway and a peer in turns, all at once. */
async function pushAll(
  feedId: string,
  bodies: readonly unknown[],
  peerUrl: string,
  { key, gateway }: PushScene = scene,
) {
  return Promise.all(
    bodies.map(async (body, index) => {
      const base = index % 2 === 0 ? gateway.baseUrl : peerUrl;
      const response = await askAgain(() =>
        fetch(`${base}/v1/provider/feed/${feedId}/push`, {
          method: "POST",
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
          body: JSON.stringify(body),
        }),
      );
      // biome-ignore lint/suspicious/noExplicitAny: an answer as a client sees it
      return { status: response.status, body: (await response.json()) as any };
    }),
  );
}

describe("pushes that race", () => {
  let peerUrl: string;
  beforeAll(async () => {
    peerUrl = (await scene.gateway.startPeer()).baseUrl;
  });

  test("events that two processes push at once are stored once each, and counted once", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const bodies = Array.from({ length: 20 }, (_, from) =>
      Array.from({ length: 50 }, (_, index) => ({ id: (from % 4) * 25 + index, from })),
    );
    const answers = await pushAll(feedId, bodies, peerUrl);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const inserted = answers.reduce((sum, { body }) => sum + body.rows_inserted, 0);
    const duplicate = answers.reduce((sum, { body }) => sum + body.rows_duplicate, 0);
    expect([inserted, duplicate]).toEqual([125, 20 * 50 - 125]);
    expect((await scene.events(feedId)).length).toBe(125);
    expect(await scene.feed(feedId)).toMatchObject({ push_count: 20n });
  });

  test("of first pushes at once, one decides the type and activates, and the others are checked by it", async () => {
    for (let round = 0; round < 5; round++) {
      const feedId = await scene.createFeed();
      const bodies = Array.from({ length: 8 }, (_, index) => [{ id: index % 4 }]);
      const answers = await pushAll(feedId, bodies, peerUrl);
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect((await scene.shown(feedId)).length).toBe(4);
      expect(await scene.feed(feedId)).toMatchObject({
        definition_version: 2n,
        push_count: 8n,
        feed_type: "collection",
      });
    }
  });

  test("of an array and an object at once on a feed without type, the first decides for both", async () => {
    for (let round = 0; round < 10; round++) {
      const feedId = await scene.createFeed();
      const answers = await pushAll(feedId, [[{ id: 1 }], { id: 2 }], peerUrl);
      const type = (await scene.feed(feedId)).feed_type;
      // One object is a row to a collection, but a list is no document.
      const expected = type === "collection" ? [200, 200] : [422, 200];
      expect(answers.map(({ status }) => status)).toEqual(expected);
      const rows =
        type === "collection" ? await scene.shown(feedId) : [await scene.document(feedId)];
      expect(rows.length).toBe(type === "collection" ? 2 : 1);
    }
  });

  test("of two pushes that finalize one batch, one is stored, or both if they are the same", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const bodies = [1, 2].map((v) => ({
      payload: [{ id: "a", v }],
      batch_id: "1",
      batch_complete: true,
    }));
    const answers = await pushAll(feedId, bodies, peerUrl);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await scene.shown(feedId)).length).toBe(1);
    const same = Array(4).fill({ payload: [{ id: "b" }], batch_id: "2", batch_complete: true });
    const retries = await pushAll(feedId, same, peerUrl);
    expect(retries.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(retries.filter(({ body }) => body.rows_inserted === 1).length).toBe(1);
  });

  test("of pushes of one row at once, the last to be committed stays, whole", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const bodies = Array.from({ length: 20 }, (_, v) => [
      { id: "a", v },
      { id: "b", v },
    ]);
    const answers = await pushAll(feedId, bodies, peerUrl);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const newest = answers.toSorted((a, b) => a.body.data_version - b.body.data_version).at(-1);
    const [a, b] = (await scene.shown(feedId)).map((text) => JSON.parse(text).v);
    expect(a).toBe(b);
    expect(newest?.body.data_version).toBe(20);
    expect(answers[a as number]?.body.data_version).toBe(20);
  });

  test("of 40 pushes at once over two processes exactly the limit is stored", async () => {
    const limited = await startPushScene({ FEEDGATE_PUSH_LIMIT: "20" });
    const { baseUrl } = await limited.gateway.startPeer();
    const feedId = await limited.createFeed({ type: "collection" });
    const bodies = Array.from({ length: 40 }, (_, id) => [{ id }]);
    const answers = await pushAll(feedId, bodies, baseUrl, limited);
    const statuses = answers.map(({ status }) => status);
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(20).fill(429)]);
    await limited.gateway.stop();
  });

  test("positions are in the order of commits, so a reader that follows them misses no row", async () => {
    const feedId = await scene.createFeed({ type: "stream" });
    const seen: string[] = [];
    let after = 0n;
    let isDone = false;
    const following = (async () => {
      for (let isLast = false; !isLast; ) {
        isLast = isDone;
        const rows = await scene.gateway.sql`
          select position, row_id from stream_events
          where feed_id = ${feedId} and position > ${String(after)}
          order by position`;
        for (const row of rows) seen.push(row.row_id);
        after = rows.at(-1)?.position ?? after;
      }
    })();
    const bodies = Array.from({ length: 60 }, (_, push) =>
      Array.from({ length: 1 + (push % 7) * 20 }, (_, index) => ({ id: `${push}-${index}` })),
    );
    const answers = await pushAll(feedId, bodies, peerUrl);
    isDone = true;
    await following;
    // A machine that is too busy refuses some of the pushes.
    const stored = answers.filter(({ status }) => status === 200);
    expect(stored.length).toBeGreaterThan(bodies.length / 2);
    expect(seen.length).toBe(stored.reduce((sum, { body }) => sum + body.rows_inserted, 0));
  });
});

test("pushes that wait for their feed hold one connection, and no other feed's push", async () => {
  const { sql } = scene.gateway;
  const [held, free] = [
    await scene.createFeed({ type: "stream" }),
    await scene.createFeed({ type: "stream" }),
  ];
  const holder = await sql.reserve();
  await holder`begin`;
  await holder`select from feeds where feed_id = ${held} for update`;
  const bodies = Array.from({ length: 40 }, (_, id) => [{ id }]);
  const waiting = pushAll(held, bodies, scene.gateway.baseUrl);
  expect((await scene.push(free, [{ id: 1 }])).status).toBe(200);
  expect(await lockWaiters(sql)).toBe(1);
  await holder`commit`;
  holder.release();
  expect((await waiting).map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect((await scene.events(held)).length).toBe(40);
});

describe("a push whose feed is edited in the meantime", () => {
  /** Holds the feed's row while the push waits for it, then commits `edit`. */
  async function pushDuring(feedId: string, body: unknown, edit: string) {
    const editor = await scene.gateway.sql.reserve();
    await editor`begin`;
    await editor`select from feeds where feed_id = ${feedId} for update`;
    const pushing = scene.push(feedId, body);
    await lockWaiters(scene.gateway.sql);
    await editor.unsafe(
      `update feeds set ${edit}, definition_version = definition_version + 1 where feed_id = '${feedId}'`,
    );
    await editor`commit`;
    editor.release();
    return pushing;
  }

  test("a push whose feed gets another type in the meantime is checked by that type", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const answer = await pushDuring(feedId, { id: 1 }, "feed_type = 'stream'");
    expect(answer.body).toMatchObject({ feed_type: "stream", rows_inserted: 1 });
    const other = await scene.createFeed({ type: "stream" });
    const refused = await pushDuring(other, [{ id: 1 }], "feed_type = 'singleton'");
    expect(refused.status).toBe(422);
    expect(await scene.events(other)).toEqual([]);
  });
  test("a push whose feed gets a locked schema in the meantime is checked by it", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const edit = `schema_definition = '{"required":["name"]}', schema_locked = true`;
    const answer = await pushDuring(feedId, [{ id: 1 }], edit);
    expect(answer.status).toBe(422);
    expect(await scene.shown(feedId)).toEqual([]);
    expect((await scene.feed(feedId)).push_count).toBe(0n);
  });
});

describe("a push that lost a deadlock", () => {
  test("a push that lost a deadlock is sent again and stored once", async () => {
    const { sql } = scene.gateway;
    const feedId = await scene.createFeed({ type: "singleton" });
    await scene.push(feedId, { v: 1 });
    // The one that looks for deadlocks first is the one that loses them. Read as a session begins.
    await sql.unsafe(
      `alter database ${new URL(scene.gateway.databaseUrl).pathname.slice(1)} set deadlock_timeout = '200ms'`,
    );
    const peer = await scene.gateway.startPeer();
    const rival = await sql.reserve();
    await rival`set deadlock_timeout = '20s'`;
    await rival`begin`;
    await rival`select from documents where feed_id = ${feedId} for update`;
    // Holds the feed's row, and waits for the document's.
    const pushing = fetch(`${peer.baseUrl}/v1/provider/feed/${feedId}/push`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${scene.key}` },
      body: '{"v":2}',
    });
    await lockWaiters(sql);
    // That this ends shows that the push was rolled back: it can't have ended before the commit.
    await rival`update feeds set data_version = data_version where feed_id = ${feedId}`;
    await rival`commit`;
    await rival`reset deadlock_timeout`;
    rival.release();
    const response = await pushing;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ rows_updated: 1, data_version: 2 });
    expect(await scene.document(feedId)).toBe('{"v":2}');
  });
});
