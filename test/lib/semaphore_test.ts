import { describe, expect, test } from "bun:test";
import { present } from "../../src/lib/assert.ts";
import { createSemaphore, type Permit, type SemaphoreOptions } from "../../src/lib/semaphore.ts";

/** A semaphore that asks who has a permit, and ends calls by owner. */
function sceneOf(options: SemaphoreOptions) {
  const semaphore = createSemaphore(options);
  const permits: { owner: string; permit: Permit }[] = [];
  const order: string[] = [];
  let refused = 0;
  return {
    semaphore,
    /** Owners of the calls that were let in, in that order. */
    order,
    get refused() {
      return refused;
    },
    async enter(owner = ""): Promise<boolean> {
      const permit = await semaphore.acquire(owner);
      if (permit === undefined) refused += 1;
      else {
        permits.push({ owner, permit });
        order.push(owner);
      }
      return permit !== undefined;
    },
    /** Ends the oldest call of the owner. */
    async leave(owner = ""): Promise<void> {
      const [ended] = permits.splice(
        permits.findIndex((each) => each.owner === owner),
        1,
      );
      present(ended).permit[Symbol.dispose]();
      await Bun.sleep(0);
    },
  };
}

describe("createSemaphore", () => {
  test("a semaphore lets so many callers in at once, and the next when one ends, in order of arrival", async () => {
    const scene = sceneOf({ runningMax: 2, waitingMax: 10, waitMsMax: 1_000 });
    const { semaphore, enter, leave } = scene;
    expect(await Promise.all([enter(), enter()])).toEqual([true, true]);
    const arrived: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const isLetIn = await enter();
      arrived.push(number);
      return isLetIn;
    });
    expect([semaphore.running, semaphore.waiting]).toEqual([2, 3]);
    for (let left = 0; left < 3; left++) await leave();
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(arrived).toEqual([1, 2, 3]);
    await leave();
    await leave();
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });

  test("a permit lets the next caller in when its block ends, and also when the block throws", async () => {
    const semaphore = createSemaphore({ runningMax: 1, waitingMax: 10, waitMsMax: 1_000 });
    const fail = async () => {
      using permit = await semaphore.acquire();
      expect(permit).toBeDefined();
      throw new Error("on purpose");
    };
    const failed = fail();
    const next = semaphore.acquire();
    await expect(failed).rejects.toThrow("on purpose");
    expect(await next).toBeDefined();
  });

  test("a semaphore refuses a caller at once if its queue is full", async () => {
    const { enter } = sceneOf({ runningMax: 1, waitingMax: 1, waitMsMax: 1_000 });
    await enter();
    enter();
    expect(await enter()).toBe(false);
  });

  test("a semaphore refuses a caller at once if the mean time of the last calls says that it would wait too long", async () => {
    let nowMs = 0;
    const options = { runningMax: 1, waitingMax: 1_000, waitMsMax: 100, nowMs: () => nowMs };
    const scene = sceneOf(options);
    for (let piece = 0; piece < 100; piece++) {
      expect(await scene.enter()).toBe(true);
      nowMs += 40;
      await scene.leave();
    }
    await scene.enter();
    for (let caller = 0; caller < 5; caller++) scene.enter();
    await Bun.sleep(0);
    // Two more of 40 ms fit into 100 ms.
    expect([scene.semaphore.waiting, scene.refused]).toEqual([2, 3]);
  });

  test("a semaphore refuses a caller that has waited for as long as it may", async () => {
    const { semaphore, enter } = sceneOf({ runningMax: 1, waitingMax: 10, waitMsMax: 30 });
    await enter();
    const startedMs = performance.now();
    expect(await enter()).toBe(false);
    expect(performance.now() - startedMs).toBeWithin(20, 1_000);
    expect(semaphore.waiting).toBe(0);
  });

  test("owners of a semaphore take turns, and none runs more calls than it may", async () => {
    const { semaphore, enter, leave, order } = sceneOf({
      runningMax: 3,
      ownerRunningMax: (owner) => (owner === "slow" ? 1 : 2),
      waitingMax: 100,
      waitMsMax: 1_000,
    });
    const all = ["slow", "slow", "slow", "a", "a", "a", "b"].map(enter);
    await Bun.sleep(0);
    expect(order).toEqual(["slow", "a", "a"]);
    expect([semaphore.running, semaphore.waiting]).toEqual([3, 4]);
    await leave("a");
    // The slow one may run no more; of the others b has its first turn.
    await leave("a");
    expect(order.slice(3).sort()).toEqual(["a", "b"]);
    await leave("a");
    await leave("b");
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 2]);
    await leave("slow");
    await leave("slow");
    await Promise.all(all);
    await leave("slow");
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });

  test("an owner of a semaphore may have as many callers waiting as it leaves places free", async () => {
    const scene = sceneOf({ runningMax: 1, waitingMax: 9, waitMsMax: 10, waitingFree: 9 });
    await scene.enter("a");
    const waiting = async (owner: string) => {
      const before = scene.semaphore.waiting;
      for (let caller = 0; caller < 9; caller++) scene.enter(owner);
      return scene.semaphore.waiting - before;
    };
    expect([await waiting("a"), await waiting("b"), await waiting("c")]).toEqual([4, 2, 1]);
  });

  test("how long a caller of a semaphore waits depends on its own owner's turn, not on another's queue", async () => {
    let nowMs = 0;
    const options = { runningMax: 1, waitingMax: 1_000, waitMsMax: 100, nowMs: () => nowMs };
    const { semaphore, enter, leave } = sceneOf(options);
    for (let piece = 0; piece < 100; piece++) {
      expect(await enter("a")).toBe(true);
      nowMs += 40;
      await leave("a");
    }
    await enter("a");
    for (const _ of [1, 2, 3]) enter("a");
    expect(semaphore.waiting).toBe(2);
    // Its turn is the second.
    enter("b");
    expect(semaphore.waiting).toBe(3);
  });
});
