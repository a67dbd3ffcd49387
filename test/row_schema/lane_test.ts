import { afterEach, describe, expect, test } from "bun:test";
import { Lane, type LaneOutcome } from "../../src/row_schema/lane.ts";
import { WAITING_MAX } from "../../src/row_schema/limits.ts";
import { createRowSchemas } from "../../src/row_schema/row_schema.ts";

const STUBBORN = new URL("./stubborn_worker.ts", import.meta.url);
const TIME_MS = 200;

let lane = new Lane(STUBBORN);
afterEach(() => {
  lane.close();
  lane = new Lane(STUBBORN);
});

function run(text: string): Promise<LaneOutcome> {
  return lane.run({ kind: "check", text }, TIME_MS);
}

function answered(text: string): LaneOutcome {
  return { kind: "done", outcome: { kind: "invalid_schema", detail: text } };
}

describe("Lane.run", () => {
  test("answers in order", async () => {
    const texts = ["a", "b", "c"];
    expect(await Promise.all(texts.map(run))).toEqual(texts.map(answered));
  });

  test("a job that hangs is timed out, and those that wait run on the next worker", async () => {
    const outcomes = await Promise.all([run("a"), run("hang"), run("b"), run("hang"), run("c")]);
    const timedOut: LaneOutcome = { kind: "timed_out" };
    expect(outcomes).toEqual([answered("a"), timedOut, answered("b"), timedOut, answered("c")]);
  });

  test("a job that brings the worker down is tried once more, then given up", async () => {
    for (const text of ["throw", "end"]) {
      const outcomes = await Promise.all([run("a"), run(text), run("b")]);
      expect(outcomes).toEqual([answered("a"), { kind: "crashed" }, answered("b")]);
    }
  });

  test("is busy where too many wait", async () => {
    const jobs = Array.from({ length: WAITING_MAX + 2 }, (_, index) => run(String(index)));
    const outcomes = await Promise.all(jobs);
    expect(outcomes.at(-1)).toEqual({ kind: "busy" });
    expect(outcomes.slice(0, WAITING_MAX)).toEqual(
      outcomes.slice(0, WAITING_MAX).map((_, index) => answered(String(index))),
    );
  });

  test("is busy where no worker starts", async () => {
    const broken = new Lane(new URL("./none.ts", import.meta.url));
    expect(await broken.run({ kind: "check", text: "a" }, TIME_MS)).toEqual({ kind: "busy" });
    broken.close();
  });

  test("is busy once closed, also for what waits", async () => {
    const waiting = [run("hang"), run("a")];
    await Bun.sleep(100);
    lane.close();
    expect(await Promise.all(waiting)).toEqual([{ kind: "busy" }, { kind: "busy" }]);
    expect(await run("a")).toEqual({ kind: "busy" });
  });
});

describe("createRowSchemas", () => {
  test("a schema that outlasts its time is refused, and delays other pushes only once", async () => {
    const rowSchemas = createRowSchemas({ workerUrl: STUBBORN, compileMs: 200, validateMs: 1_000 });
    expect(await rowSchemas.checkSchema("hang")).toMatchObject({ kind: "invalid" });
    const hang = () => rowSchemas.validateRows({ key: "slow", text: "hang" }, ["1"]);
    expect(await hang()).toMatchObject({ kind: "over_budget" });
    const again = hang();
    const startMs = performance.now();
    await rowSchemas.validateRows({ key: "other", text: "b" }, ["1"]);
    expect(performance.now() - startMs).toBeLessThan(800);
    expect(await again).toMatchObject({ kind: "over_budget" });
    await rowSchemas.close();
  });
});
