import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { histories } from "../support/histories.ts";
import { type PushScene, startPushScene } from "../support/push_scene.ts";
import { runJob } from "../support/run_job.ts";

let scene: PushScene;
beforeAll(async () => {
  scene = await startPushScene();
});
afterAll(() => scene.gateway.stop());

interface Step {
  readonly ids: readonly string[];
  readonly batch?: string;
  readonly complete?: boolean;
  /** What each row holds beside its id. */
  readonly v?: number;
}

function bodyOf({ ids, batch, complete, v = 0 }: Step) {
  return {
    payload: ids.map((id) => ({ id, v })),
    ...(batch !== undefined && { batch_id: batch }),
    ...(complete && { batch_complete: true }),
  };
}

async function shownIds(feedId: string): Promise<string> {
  return (await scene.shown(feedId)).map((text) => JSON.parse(text).id).join("");
}

describe("what readers see, push by push", () => {
  /** A push, and the ids that readers see after it; "409" where it is refused. */
  const scenarios: Readonly<Record<string, readonly (readonly [Step, string])[]>> = {
    "without batch_id, rows go into the current batch": [
      [{ ids: ["a"] }, "a"],
      [{ ids: ["b", "a"] }, "ab"],
    ],
    "a named batch is staged until it is complete, then swapped in whole": [
      [{ ids: ["a"] }, "a"],
      [{ ids: ["x"], batch: "1" }, "a"],
      [{ ids: ["b"] }, "ab"],
      [{ ids: ["y"], batch: "1" }, "ab"],
      [{ ids: ["z"], batch: "1", complete: true }, "xyz"],
      [{ ids: ["w"] }, "xyzw"],
    ],
    "before any is finalized, the oldest open batch is current": [
      [{ ids: ["a"], batch: "1" }, "a"],
      [{ ids: ["b"], batch: "2" }, "a"],
      [{ ids: ["c"] }, "ac"],
      [{ ids: ["d"], batch: "1", complete: true }, "acd"],
      [{ ids: ["e"], batch: "2", complete: true }, "be"],
    ],
    "batch_complete without batch_id swaps these rows in as a whole new batch": [
      [{ ids: ["a", "b"] }, "ab"],
      [{ ids: ["c"], complete: true }, "c"],
      [{ ids: [], complete: true }, ""],
      [{ ids: ["d"] }, "d"],
    ],
    "finalizing retires the former current and every open batch begun before it": [
      [{ ids: ["a"] }, "a"],
      [{ ids: ["b"], batch: "1" }, "a"],
      [{ ids: ["c"], batch: "2" }, "a"],
      [{ ids: ["d"], batch: "3" }, "a"],
      [{ ids: ["e"], batch: "2", complete: true }, "ce"],
      [{ ids: ["f"], batch: "1" }, "409"],
      [{ ids: ["f"], batch: "1", complete: true }, "409"],
      [{ ids: ["g"], batch: "3", complete: true }, "dg"],
      [{ ids: ["h"], batch: "2", complete: true }, "409"],
    ],
    "an open current batch is retired by one that overtakes it": [
      [{ ids: ["a"], batch: "1" }, "a"],
      [{ ids: ["b"], batch: "2", complete: true }, "b"],
      [{ ids: ["c"], batch: "1" }, "409"],
    ],
    "a finalized batch takes no more rows, but the exact retry of its last chunk": [
      [{ ids: ["a"], batch: "1" }, "a"],
      [{ ids: ["b", "c"], batch: "1", complete: true }, "abc"],
      [{ ids: ["b", "c"], batch: "1", complete: true }, "abc"],
      [{ ids: ["b", "c"], batch: "1" }, "409"],
      [{ ids: ["b", "d"], batch: "1", complete: true }, "409"],
      [{ ids: ["b", "c"], batch: "1", complete: true, v: 1 }, "409"],
      // Rows that are there, but not that chunk: who uses a batch_id again with fewer rows is told.
      [{ ids: ["b"], batch: "1", complete: true }, "409"],
      [{ ids: ["a", "b", "c"], batch: "1", complete: true }, "409"],
      [{ ids: [], batch: "1", complete: true }, "409"],
      [{ ids: ["b", "c"], batch: "1", complete: true }, "abc"],
    ],
    "an empty batch can be finalized": [
      [{ ids: ["a"] }, "a"],
      [{ ids: [], batch: "1" }, "a"],
      [{ ids: [], batch: "1", complete: true }, ""],
      [{ ids: [], batch: "1", complete: true }, ""],
    ],
    "a row in a batch replaces its own kind there only": [
      [{ ids: ["a", "b"] }, "ab"],
      [{ ids: ["b"], batch: "1", v: 1 }, "ab"],
      [{ ids: ["c", "b"], batch: "1", v: 2, complete: true }, "bc"],
    ],
  };
  for (const [name, steps] of Object.entries(scenarios)) {
    test(name, async () => {
      const feedId = await scene.createFeed({ type: "collection" });
      for (const [step, expected] of steps) {
        const before = await shownIds(feedId);
        const answer = await scene.push(feedId, bodyOf(step));
        if (expected === "409") {
          expect([answer.status, answer.body.code]).toEqual([409, "BATCH_CLOSED"]);
          expect(await shownIds(feedId)).toBe(before);
        } else {
          expect(answer.status).toBe(200);
          expect(answer.body).toMatchObject({
            batch_id: step.batch ?? null,
            batch_complete: step.complete ?? false,
          });
          expect(await shownIds(feedId)).toBe(expected);
        }
      }
    });
  }
});

describe("is_visible: whether readers see a push's rows now", () => {
  const completes = (batch: string) =>
    `Readers see these rows once the batch is complete: send batch_complete true with the last push of batch_id "${batch}".`;

  test("of an open first batch they do; of a staged one they do once it is complete; a dry run says the same", async () => {
    const feedId = await scene.createFeed({ type: "collection" });
    const steps: readonly (readonly [Step, string | undefined])[] = [
      [{ ids: ["a"], batch: "1" }, undefined],
      [{ ids: ["b"], batch: "2" }, completes("2")],
      [{ ids: ["c"] }, undefined],
      [{ ids: ["d"], batch: "1", complete: true }, undefined],
      [{ ids: ["d"], batch: "1", complete: true }, undefined],
      [{ ids: [], batch: "2" }, completes("2")],
      [{ ids: ["e"], batch: "2", complete: true }, undefined],
      [{ ids: ["f"], complete: true }, undefined],
      [{ ids: ["f"], complete: true }, undefined],
    ];
    for (const [step, detail] of steps) {
      for (const query of ["?dry_run=true", ""]) {
        const { body } = await scene.push(feedId, bodyOf(step), { query });
        expect({ step, query, is_visible: body.is_visible, detail: body.detail }).toEqual({
          step,
          query,
          is_visible: detail === undefined,
          detail,
        });
      }
    }
  });

  test("while the feed is inactive they see nothing, and the receipt says so", async () => {
    const activate = "Readers can't see this feed while its status is inactive: set it to active.";
    for (const type of ["singleton", "collection", "stream"] as const) {
      const feedId = await scene.createFeed({ type });
      const rows = type === "singleton" ? { a: 1 } : [{ id: 1 }];
      expect((await scene.push(feedId, rows)).body).toMatchObject({ is_visible: true });
      await scene.gateway.sql`update feeds set status = 'inactive' where feed_id = ${feedId}`;
      const { body } = await scene.push(feedId, rows);
      expect(body).toMatchObject({ status: "inactive", is_visible: false, detail: activate });
      if (type !== "collection") continue;
      const staged = await scene.push(feedId, bodyOf({ ids: ["b"], batch: "next" }));
      expect(staged.body.detail).toBe(`${completes("next")} ${activate}`);
    }
  });
});

test("data_version moves when readers see a change, and not when rows are staged", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  const versionAfter = async (step: Step) =>
    (await scene.push(feedId, bodyOf(step))).body.data_version;
  expect(await versionAfter({ ids: ["a"] })).toBe(1);
  expect(await versionAfter({ ids: ["a"] })).toBe(1);
  expect(await versionAfter({ ids: ["x"], batch: "1" })).toBe(1);
  expect(await versionAfter({ ids: ["y"], batch: "1", complete: true })).toBe(2);
  expect(await versionAfter({ ids: ["y"], batch: "1", complete: true })).toBe(2);
  expect(await versionAfter({ ids: ["z"] })).toBe(3);
});

test("a batch is abandoned a day after its last push, however long ago it was begun", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  await scene.push(feedId, bodyOf({ ids: ["a"] }));
  const push = async (step: Step) =>
    (await scene.push(feedId, bodyOf({ ...step, batch: "slow" }))).body;
  await push({ ids: ["x"] });
  const { sql } = scene.gateway;
  await sql`
    update batches set begun_at = begun_at - interval '3 days', pushed_at = pushed_at - interval '3 days'
    where feed_id = ${feedId} and batch_id = 'slow'`;
  await push({ ids: ["y"] });
  await runJob(sql, "abandoned batches");
  expect(await push({ ids: ["z"], complete: true })).toMatchObject({ rows_inserted: 1 });
  expect(await shownIds(feedId)).toBe("xyz");
});

test("the exact retry of a finalizing chunk counts as a push, and all its rows as duplicates", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  const step = { ids: ["a", "b"], batch: "1", complete: true };
  await scene.push(feedId, bodyOf(step));
  const again = await scene.push(feedId, bodyOf(step));
  expect(again.body).toMatchObject(receiptOf(["duplicate", "duplicate"]));
  expect(await scene.feed(feedId)).toMatchObject({
    push_count: 2n,
    last_sync_at: again.body.last_sync_at,
  });
});

test("batch_complete with the rows that readers see is a retry, unless it retires an open batch", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  const whole = { ids: ["a", "b"], complete: true };
  const repeated = [receiptOf(["duplicate", "duplicate"]), { data_version: 1 }];
  const pushed = async (step: Step) => (await scene.push(feedId, bodyOf(step))).body;
  expect(await pushed(whole)).toMatchObject(receiptOf(["inserted", "inserted"]));
  for (const expected of repeated) expect(await pushed(whole)).toMatchObject(expected);
  const others = [
    { ...whole, ids: ["b", "a"] },
    { ...whole, ids: ["b"] },
    { ...whole, ids: ["b", "a"] },
    { ...whole, ids: ["b", "a"], v: 1 },
  ];
  for (const [index, other] of others.entries()) {
    expect(await pushed(other)).toMatchObject({ data_version: 2 + index, rows_updated: 0 });
    expect(await shownIds(feedId)).toBe(other.ids.join(""));
  }
  // Beside an open batch it finalizes a new one, which retires the open one.
  await pushed({ ids: ["x"], batch: "1" });
  expect(await pushed({ ...whole, ids: ["b", "a"], v: 1 })).toMatchObject({ data_version: 6 });
  expect((await pushed({ ids: ["y"], batch: "1" })).code).toBe("BATCH_CLOSED");
});

test("batches are final, open or retired, each with its times", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  for (const step of [
    { ids: ["a"] },
    { ids: ["b"], batch: "old" },
    { ids: ["c"], batch: "new", complete: true },
    { ids: ["d"], batch: "next" },
  ]) {
    await scene.push(feedId, bodyOf(step));
  }
  const batches = await scene.gateway.sql`
    select
      batch_id, status, finalized_at is not null as was_final, retired_at is not null as was_retired
    from batches where feed_id = ${feedId} order by batch_number`;
  expect(batches.map((batch) => ({ ...batch }))).toEqual([
    { batch_id: null, status: "retired", was_final: true, was_retired: true },
    { batch_id: "old", status: "retired", was_final: false, was_retired: true },
    { batch_id: "new", status: "final", was_final: true, was_retired: false },
    { batch_id: "next", status: "open", was_final: false, was_retired: false },
  ]);
});

interface ModelBatch {
  readonly name: string | null;
  state: string;
  readonly rows: Map<string, number>;
  /** The ids of the push that finalized it. */
  finalizing?: string;
}

/** The rules of decisions 5 again, in the plainest form. */
class BatchModel {
  readonly batches: ModelBatch[] = [];
  current = -1;

  /** What happens to each row; undefined where the push is refused. */
  push({ ids, batch, complete = false, v = 0 }: Step): string[] | undefined {
    let target = this.batches.findIndex(({ name }) => batch !== undefined && name === batch);
    if (batch === undefined && !complete) target = this.current;
    const found = this.batches[target];
    if (batch !== undefined && found !== undefined && found.state !== "open") {
      const isRetry =
        found.state === "final" &&
        complete &&
        found.finalizing === ids.join() &&
        ids.every((id) => found.rows.get(id) === v);
      return isRetry ? ids.map(() => "duplicate") : undefined;
    }
    if (batch === undefined && complete && this.isShown(ids, v)) return ids.map(() => "duplicate");
    if (found === undefined) {
      const state = batch === undefined ? "final" : "open";
      this.batches.push({ name: batch ?? null, state, rows: new Map() });
      target = this.batches.length - 1;
    }
    const rows = this.batches[target]?.rows ?? new Map<string, number>();
    const outcomes = ids.map((id) => (rows.has(id) ? "updated" : "inserted"));
    for (const id of ids) rows.set(id, v);
    if (complete) {
      this.batches.forEach((each, index) => {
        if (index === this.current || (each.state === "open" && index < target)) {
          each.state = "retired";
        }
      });
      Object.assign(this.batches[target] as ModelBatch, { state: "final", finalizing: ids.join() });
      this.current = target;
    } else if (this.current < 0) {
      this.current = target;
    }
    return outcomes;
  }

  /** Whether a whole new batch of these rows would change nothing: neither what is shown, nor a state. */
  private isShown(ids: readonly string[], v: number): boolean {
    const isAlone = this.current >= 0 && this.batches.every(({ state }) => state !== "open");
    return isAlone && ids.map((id) => `${id}${v}`).join() === this.shown();
  }

  shown(): string {
    return [...(this.batches[this.current]?.rows ?? [])].map(([id, v]) => `${id}${v}`).join();
  }
}

/** The part of an answer that tells of the rows. */
function receiptOf(outcomes: readonly string[]) {
  const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
  return {
    rows_received: outcomes.length,
    rows_inserted: count("inserted"),
    rows_updated: count("updated"),
    rows_duplicate: count("duplicate"),
    row_outcomes: outcomes,
  };
}

test("any sequence of pushes to a collection leaves what a plain model says, and its receipts say so", async () => {
  const step = fc.record(
    {
      ids: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 5 }),
      batch: fc.constantFrom("1", "2", "3"),
      complete: fc.boolean(),
      v: fc.nat({ max: 1 }),
    },
    { requiredKeys: ["ids"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const feedId = await scene.createFeed({ type: "collection" });
      const model = new BatchModel();
      let version = 0;
      for (const each of steps) {
        const before = model.shown();
        const outcomes = model.push(each);
        const answer = await scene.push(feedId, bodyOf(each));
        expect(answer.status).toBe(outcomes ? 200 : 409);
        const shown = (await scene.shown(feedId)).map((text) => {
          const { id, v } = JSON.parse(text);
          return `${id}${v}`;
        });
        expect(shown.join()).toBe(model.shown());
        if (!outcomes) continue;
        expect(answer.body).toMatchObject(receiptOf(outcomes));
        if (model.shown() !== before) expect(answer.body.data_version).toBeGreaterThan(version);
        version = answer.body.data_version;
      }
    }),
    { numRuns: histories(15) },
  );
});

test("a batch keeps the time at which it was retired, so its rows go after its own grace", async () => {
  const feedId = await scene.createFeed({ type: "collection" });
  const complete = (id: string) =>
    scene.push(feedId, { payload: [{ id }], batch_id: id, batch_complete: true });
  const retiredAt = async () =>
    (
      await scene.gateway.sql`
        select retired_at from batches where feed_id = ${feedId} and batch_id = 'a'`
    )[0]?.retired_at;
  for (const id of ["a", "b"]) await complete(id);
  const before = await retiredAt();
  expect(before).not.toBeNull();
  await complete("c");
  expect(await retiredAt()).toBe(before);
});
