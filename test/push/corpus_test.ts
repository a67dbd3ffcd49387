/**
 * Awkward rows, hostile texts and the JSON suites, pushed over HTTP: what is stored is what was sent, or
 * the push is refused and nothing is.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import edgeRows from "../fixtures/edge-rows.json" with { type: "json" };
import hostileStrings from "../fixtures/hostile-strings.json" with { type: "json" };
import jsonParsing from "../fixtures/json-parsing.json" with { type: "json" };
import { type PushScene, startPushScene } from "../support/push_scene.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());

interface EdgeRow {
  readonly case: string;
  readonly kind: string;
  readonly row: string;
}

/** Why a row of the corpus is refused; undefined where it is stored. */
function refusalOf({ case: name, kind, row }: EdgeRow, type: string): number | undefined {
  if (kind === "size") return row.includes("51201") ? 413 : undefined;
  if (kind === "depth") return /^(?:10|50|64) arrays/.test(name) ? undefined : 422;
  if (kind === "id-bad" || kind === "duplicate-key") return 422;
  if (/nul escape|lone low surrogate|1E400|1e131071|10{30}/.test(name)) return 422;
  if (kind === "id") return /x{200}|\\u0000/.test(row) && !isShortId(row) ? 422 : undefined;
  if (kind === "timestamp" && type === "stream") return isEventTime(row) ? undefined : 422;
  return undefined;
}

function isShortId(row: string): boolean {
  const { id } = JSON.parse(row);
  return !id.includes("\0") && id.length <= 256;
}

const EVENT_TIMES =
  /"(?:2024-02-29T23:59:60Z|2024-01-01T00:00:00\+00:00|2024-01-01T00:00:00\+14:00|2024-01-01T00:00:00\.1Z|2024-01-01t00:00:00z|9999-12-31T23:59:59\.999Z|1833-01-01T00:00:00Z)"/;

function isEventTime(row: string): boolean {
  return EVENT_TIMES.test(row.slice(row.indexOf("event_timestamp")));
}

describe("edge rows", () => {
  for (const type of ["collection", "stream"] as const) {
    const edges = edgeRows as EdgeRow[];
    const sound = edges.filter((edge) => refusalOf(edge, type) === undefined);
    const refused = edges.filter((edge) => refusalOf(edge, type) !== undefined);
    const stored = (feedId: string) =>
      type === "stream" ? scene.events(feedId) : scene.shown(feedId);

    test(`sound edge rows are stored in a ${type} as sent and in order, from an array and from lines`, async () => {
      const rows = sound.map(({ row }) => row);
      const array = `[ ${rows.join(" ,\n\t")} ]`;
      const lines = rows.join("\n");
      const headers = { "Content-Type": "application/x-ndjson" };
      for (const [body, options] of [
        [array, {}],
        [lines, { headers }],
      ] as const) {
        const feedId = await scene.createFeed({ type });
        const answer = await scene.push(feedId, body, options);
        expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
        const texts = (await stored(feedId)).map((text, index) => {
          const isStamped = type === "stream" && sound[index]?.kind !== "timestamp";
          return isStamped ? text.replace(/,"event_timestamp":"[^"]{27}"\}$/, "}") : text;
        });
        expect(texts).toEqual(rows);
      }
    });

    test(`each other edge row is refused by a ${type}, which stores nothing`, async () => {
      expect(refused.length).toBeGreaterThan(20);
      const feedId = await scene.createFeed({ type });
      for (const edge of refused) {
        const answer = await scene.push(feedId, `{"payload":[${edge.row}]}`);
        expect([edge.case, answer.status]).toEqual([edge.case, refusalOf(edge, type) as number]);
        expect(await stored(feedId)).toEqual([]);
        if (answer.status === 422) expect(answer.body.errors[0].path).toStartWith("/payload/0");
      }
    });
  }
});

describe("hostile texts", () => {
  const texts = (hostileStrings as { text: string }[]).map(({ text }) => text);
  test("hostile texts are stored as sent, as values, keys, row ids and batch ids", async () => {
    const rows = texts.map((text, index) =>
      JSON.stringify({ id: index, text, [`k${text}`]: [text] }),
    );
    const feedId = await scene.createFeed({ type: "collection" });
    const sendable = rows.filter((row) => !row.includes("\\u0000"));
    expect((await scene.push(feedId, `[${sendable}]`)).status).toBe(200);
    expect(await scene.shown(feedId)).toEqual(sendable);
    const ids = [...new Set(texts)].filter((text) => /^[^\0]{1,128}$/su.test(text));
    for (const type of ["collection", "stream"] as const) {
      const named = await scene.createFeed({ type });
      const time = { event_timestamp: "2024-01-01T00:00:00Z" };
      const answer = await scene.push(
        named,
        ids.map((id) => ({ id, ...time })),
      );
      // An id may look like the number that another is.
      expect(answer.status).toBe(200);
      expect(answer.body.rows_inserted).toBe(ids.length);
    }
    const batches = await scene.createFeed({ type: "collection" });
    for (const batch_id of ids.slice(0, 60)) {
      const answer = await scene.push(batches, { payload: [{ id: batch_id }], batch_id });
      expect(answer.body.batch_id).toBe(batch_id);
    }
  });
});

describe("the JSON suite, as bodies", () => {
  interface Case {
    readonly name: string;
    readonly expect: "accept" | "reject" | "either";
    readonly base64: string;
  }
  test("a body that is not JSON is 400, and one that is JSON is stored as sent or is 422", async () => {
    const feedId = await scene.createFeed({ type: "singleton" });
    for (const each of jsonParsing as Case[]) {
      const body = new Uint8Array(Buffer.from(each.base64, "base64"));
      const bare = await scene.push(feedId, body);
      const allowed = { accept: [200, 422], reject: [400], either: [200, 400, 422] }[each.expect];
      expect([each.name, allowed.includes(bare.status)]).toEqual([each.name, true]);
      // Nearly all of them are arrays or scalars: as a field, their content is what counts.
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
      const wrapped = await scene.push(feedId, `{"payload":{"a":${text}}}`);
      if (each.expect !== "accept") continue;
      expect([each.name, [200, 422].includes(wrapped.status)]).toEqual([each.name, true]);
      if (wrapped.status !== 200) continue;
      const stored = await scene.document(feedId);
      expect(JSON.parse(stored as string)).toEqual({ a: JSON.parse(text) });
    }
  });
});
