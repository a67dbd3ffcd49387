import { afterEach, describe, expect, test } from "bun:test";
import { createRowSchemas } from "../../../src/push/schema/row_schemas.ts";
import {
  JOBS_WAITING_MAX,
  type QueueOutcome,
  WorkerQueue,
  type WorkerQueueOptions,
} from "../../../src/push/schema/worker_queue.ts";
import { whenBusy } from "../../support/pace.ts";
import { CALLER, callerOf, IDLE_MACHINE } from "./caller.ts";

const STUBBORN = new URL("./stubborn_worker.ts", import.meta.url);
const OPTIONS: WorkerQueueOptions = { workerUrl: STUBBORN, ...IDLE_MACHINE };
/** An answer comes at once, but not on a machine that is busy. */
const TIME_MS = whenBusy(200);
const BUSY: QueueOutcome = { kind: "busy" };

let queue = new WorkerQueue(OPTIONS);
afterEach(() => {
  queue.close();
  queue = new WorkerQueue(OPTIONS);
});

function run(text: string, caller = CALLER): Promise<QueueOutcome> {
  return queue.run({ kind: "compile", text }, { timeMs: TIME_MS, caller });
}

function answered(text: string): QueueOutcome {
  return {
    kind: "done",
    outcome: { kind: "invalid_schema", detail: text, pointer: "" },
    processorMs: 0,
  };
}

describe("WorkerQueue.run", () => {
  test("jobs of one account are answered in order", async () => {
    const texts = ["a", "b", "c"];
    expect(await Promise.all(texts.map((text) => run(text)))).toEqual(texts.map(answered));
  });

  test("accounts take turns: another's jobs cost no more than the time of one", async () => {
    const order: string[] = [];
    // By account, and of the first account all at once.
    const texts = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"];
    await Promise.all(
      texts.map(async (text) => {
        await run(text, callerOf(text.slice(0, 1)));
        order.push(text);
      }),
    );
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("a job whose caller goes away leaves the queue, and none begins for one that has gone", async () => {
    const leaving = new AbortController();
    const caller = callerOf("a", leaving.signal);
    const staying = run("a", callerOf("a"));
    const left = [run("hang", caller), run("hang", caller)];
    expect(queue.waiting).toBe(3);
    leaving.abort();
    expect(queue.waiting).toBe(1);
    expect(await Promise.all([...left, run("hang", caller)])).toEqual([BUSY, BUSY, BUSY]);
    expect(await staying).toEqual(answered("a"));
  });

  test("a job that hangs is stopped, and those that wait run on the next worker", async () => {
    const texts = ["a", "hang", "b", "hang", "c"];
    const outcomes = await Promise.all(texts.map((text) => run(text)));
    const stopped: QueueOutcome = { kind: "stopped" };
    expect(outcomes).toEqual([answered("a"), stopped, answered("b"), stopped, answered("c")]);
  });

  test("a job that the machine has no time for is not stopped at once: it has longer, then it is busy", async () => {
    queue.close();
    queue = new WorkerQueue({ workerUrl: STUBBORN, processorMs: () => 0 });
    const startedMs = performance.now();
    expect(await run("hang")).toEqual(BUSY);
    expect(performance.now() - startedMs).toBeGreaterThan(2 * TIME_MS);
    expect(await run("a")).toEqual(answered("a"));
  });

  test("a job that hangs ends by the process's own processor clock, too", async () => {
    queue.close();
    queue = new WorkerQueue({ workerUrl: STUBBORN });
    // Busy where the machine that runs this test is.
    expect(["stopped", "busy"]).toContain((await run("spin")).kind);
    expect(await run("a")).toEqual(answered("a"));
  });

  test("a job that brings the worker down is stopped, and the next one runs on another worker", async () => {
    for (const text of ["throw", "end"]) {
      const outcomes = await Promise.all([run("a"), run(text), run("b")]);
      expect(outcomes).toEqual([answered("a"), { kind: "stopped" }, answered("b")]);
    }
  });

  test("an account that has as many jobs waiting as it leaves free is answered with busy, and another is not", async () => {
    const half = JOBS_WAITING_MAX / 2;
    const jobs = Array.from({ length: half + 2 }, (_, index) => run(String(index)));
    const other = run("other", callerOf("other"));
    const outcomes = await Promise.all(jobs);
    expect(outcomes.slice(half)).toEqual([BUSY, BUSY]);
    expect(outcomes.slice(0, half)).toEqual(
      outcomes.slice(0, half).map((_, index) => answered(String(index))),
    );
    expect(await other).toEqual(answered("other"));
  });

  test("a job is busy if no worker starts", async () => {
    const broken = new WorkerQueue({ workerUrl: new URL("./none.ts", import.meta.url) });
    const job = { kind: "compile", text: "a" } as const;
    expect(await broken.run(job, { timeMs: TIME_MS, caller: CALLER })).toEqual(BUSY);
    broken.close();
  });

  test("jobs of a closed queue are busy, also those that wait", async () => {
    const waiting = [run("hang"), run("a")];
    await Bun.sleep(100);
    queue.close();
    expect(await Promise.all(waiting)).toEqual([BUSY, BUSY]);
    expect(await run("a")).toEqual(BUSY);
  });
});

describe("createRowSchemas", () => {
  test("a schema that outlasts its time is refused, and delays other pushes only once", async () => {
    const rowSchemas = createRowSchemas({ ...OPTIONS, compileMs: 200, validateMs: 1_000 });
    expect(await rowSchemas.checkSchema("hang", CALLER)).toMatchObject({ kind: "invalid_schema" });
    const hang = () => rowSchemas.validateRows("hang", ["1"], CALLER);
    expect(await hang()).toMatchObject({ kind: "over_budget" });
    const again = hang();
    const other = rowSchemas.validateRows("b", ["1"], CALLER);
    const first = await Promise.race([again.then(() => "hang"), other.then(() => "b")]);
    expect(first).toBe("b");
    expect(await again).toMatchObject({ kind: "over_budget" });
    await rowSchemas.close();
  });

  test("a schema that was slow once runs beside other pushes from then on", async () => {
    const rowSchemas = createRowSchemas({ ...OPTIONS, compileMs: 1_000 });
    const order: string[] = [];
    const noted = async (name: string, work: Promise<unknown>) => {
      await work;
      order.push(name);
    };
    const push = (text: string) => rowSchemas.validateRows(text, ["1"], CALLER);
    await push("costly");
    // It stops the queue of checks, and no push that has not been slow.
    const check = noted("check", rowSchemas.checkSchema("hang", CALLER));
    await Promise.all([check, noted("costly", push("costly"))]);
    expect(order).toEqual(["check", "costly"]);
    rowSchemas.close();
  });

  test("a schema that a busy machine had no time for is busy, and not invalid", async () => {
    const busyMachine = { processorMs: () => 0 };
    const rowSchemas = createRowSchemas({ ...OPTIONS, ...busyMachine, compileMs: 50 });
    expect(await rowSchemas.checkSchema("hang", CALLER)).toEqual({ kind: "busy" });
    rowSchemas.close();
  });
});
