import { describe, expect, test } from "bun:test";
import { createSemaphore } from "../../src/lib/semaphore.ts";

describe("createSemaphore", () => {
  test("a semaphore lets so many callers in at once, and the next when one ends, in order of arrival", async () => {
    const semaphore = createSemaphore({ runningMax: 2, waitingMax: 10, waitMsMax: 1_000 });
    expect([semaphore.acquire(), semaphore.acquire()]).toEqual([true, true]);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const entered = await semaphore.acquire();
      order.push(number);
      return entered;
    });
    expect([semaphore.running, semaphore.waiting]).toEqual([2, 3]);
    for (let left = 0; left < 3; left++) semaphore.release(1);
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(order).toEqual([1, 2, 3]);
    semaphore.release(1);
    semaphore.release(1);
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });

  test("a semaphore refuses a caller at once if its queue is full", () => {
    const semaphore = createSemaphore({ runningMax: 1, waitingMax: 1, waitMsMax: 1_000 });
    semaphore.acquire();
    semaphore.acquire();
    expect(semaphore.acquire()).toBe(false);
  });

  test("a semaphore refuses a caller at once if the mean time of the last calls says that it would wait too long", () => {
    const semaphore = createSemaphore({ runningMax: 1, waitingMax: 1_000, waitMsMax: 100 });
    for (let piece = 0; piece < 100; piece++) {
      expect(semaphore.acquire()).toBe(true);
      semaphore.release(40);
    }
    semaphore.acquire();
    const waiting = Array.from({ length: 5 }, () => semaphore.acquire());
    // Two more of 40 ms fit into 100 ms.
    expect(waiting.map((each) => each !== false)).toEqual([true, true, false, false, false]);
  });

  test("a semaphore refuses a caller that has waited for as long as it may", async () => {
    const semaphore = createSemaphore({ runningMax: 1, waitingMax: 10, waitMsMax: 30 });
    semaphore.acquire();
    const startedMs = performance.now();
    expect(await semaphore.acquire()).toBe(false);
    expect(performance.now() - startedMs).toBeWithin(20, 1_000);
    expect(semaphore.waiting).toBe(0);
  });

  test("owners of a semaphore take turns, and none runs more calls than it may", async () => {
    const semaphore = createSemaphore({
      runningMax: 3,
      ownerRunningMax: (owner) => (owner === "slow" ? 1 : 2),
      waitingMax: 100,
      waitMsMax: 1_000,
    });
    const order: string[] = [];
    const enter = async (owner: string) => {
      if (await semaphore.acquire(owner)) order.push(owner);
    };
    const all = ["slow", "slow", "slow", "a", "a", "a", "b"].map(enter);
    await Bun.sleep(0);
    expect(order).toEqual(["slow", "a", "a"]);
    expect([semaphore.running, semaphore.waiting]).toEqual([3, 4]);
    semaphore.release(1, "a");
    await Bun.sleep(0);
    // The slow one may run no more; of the others b has its first turn.
    semaphore.release(1, "a");
    await Bun.sleep(0);
    expect(order.slice(3).sort()).toEqual(["a", "b"]);
    semaphore.release(1, "a");
    semaphore.release(1, "b");
    await Bun.sleep(0);
    expect([semaphore.running, semaphore.waiting]).toEqual([1, 2]);
    semaphore.release(1, "slow");
    semaphore.release(1, "slow");
    await Promise.all(all);
    semaphore.release(1, "slow");
    expect([semaphore.running, semaphore.waiting]).toEqual([0, 0]);
  });

  test("an owner of a semaphore may have as many callers waiting as it leaves places free", () => {
    const semaphore = createSemaphore({
      runningMax: 1,
      waitingMax: 9,
      waitMsMax: 10,
      waitingFree: 9,
    });
    semaphore.acquire("a");
    const waiting = (owner: string, count: number) =>
      Array.from({ length: count }, () => semaphore.acquire(owner)).filter((each) => each !== false)
        .length;
    expect([waiting("a", 9), waiting("b", 9), waiting("c", 9)]).toEqual([4, 2, 1]);
  });

  test("how long a caller of a semaphore waits depends on its own owner's turn, not on another's queue", () => {
    const semaphore = createSemaphore({ runningMax: 1, waitingMax: 1_000, waitMsMax: 100 });
    for (let piece = 0; piece < 100; piece++) {
      expect(semaphore.acquire("a")).toBe(true);
      semaphore.release(40, "a");
    }
    semaphore.acquire("a");
    const isLetIn = (owner: string) => semaphore.acquire(owner) !== false;
    expect(["a", "a", "a"].map(isLetIn)).toEqual([true, true, false]);
    // Its turn is the second.
    expect(isLetIn("b")).toBe(true);
  });
});
