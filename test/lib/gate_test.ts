import { describe, expect, test } from "bun:test";
import { createGate } from "../../src/lib/gate.ts";

describe("createGate", () => {
  test("lets so many in at once, and the next when one leaves, in order of arrival", async () => {
    const gate = createGate({ runningMax: 2, waitingMax: 10, waitMsMax: 1_000 });
    expect([gate.enter(), gate.enter()]).toEqual([true, true]);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (number) => {
      const entered = await gate.enter();
      order.push(number);
      return entered;
    });
    expect([gate.running, gate.waiting]).toEqual([2, 3]);
    for (let left = 0; left < 3; left++) gate.leave(1);
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(order).toEqual([1, 2, 3]);
    gate.leave(1);
    gate.leave(1);
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  });

  test("refuses at once what has no place to wait", () => {
    const gate = createGate({ runningMax: 1, waitingMax: 1, waitMsMax: 1_000 });
    gate.enter();
    gate.enter();
    expect(gate.enter()).toBe(false);
  });

  test("refuses at once what would wait too long by the pace of late", () => {
    const gate = createGate({ runningMax: 1, waitingMax: 1_000, waitMsMax: 100 });
    for (let piece = 0; piece < 100; piece++) {
      expect(gate.enter()).toBe(true);
      gate.leave(40);
    }
    gate.enter();
    const waiting = Array.from({ length: 5 }, () => gate.enter());
    // Two more of 40 ms fit into 100 ms.
    expect(waiting.map((each) => each !== false)).toEqual([true, true, false, false, false]);
  });

  test("refuses what has waited for as long as it may", async () => {
    const gate = createGate({ runningMax: 1, waitingMax: 10, waitMsMax: 30 });
    gate.enter();
    const startedMs = performance.now();
    expect(await gate.enter()).toBe(false);
    expect(performance.now() - startedMs).toBeWithin(20, 1_000);
    expect(gate.waiting).toBe(0);
  });

  test("owners take turns, and none runs more than it may", async () => {
    const gate = createGate({
      runningMax: 3,
      ownerRunningMax: (owner) => (owner === "slow" ? 1 : 2),
      waitingMax: 100,
      waitMsMax: 1_000,
    });
    const order: string[] = [];
    const enter = async (owner: string) => {
      if (await gate.enter(owner)) order.push(owner);
    };
    const all = ["slow", "slow", "slow", "a", "a", "a", "b"].map(enter);
    await Bun.sleep(0);
    expect(order).toEqual(["slow", "a", "a"]);
    expect([gate.running, gate.waiting]).toEqual([3, 4]);
    gate.leave(1, "a");
    await Bun.sleep(0);
    // The slow one may run no more; of the others b has its first turn.
    gate.leave(1, "a");
    await Bun.sleep(0);
    expect(order.slice(3).sort()).toEqual(["a", "b"]);
    gate.leave(1, "a");
    gate.leave(1, "b");
    await Bun.sleep(0);
    expect([gate.running, gate.waiting]).toEqual([1, 2]);
    gate.leave(1, "slow");
    gate.leave(1, "slow");
    await Promise.all(all);
    gate.leave(1, "slow");
    expect([gate.running, gate.waiting]).toEqual([0, 0]);
  });

  test("an owner may wait with as many as it leaves free, so others find a place", () => {
    const gate = createGate({
      runningMax: 1,
      waitingMax: 9,
      waitMsMax: 10,
      waitingFree: 9,
    });
    gate.enter("a");
    const waiting = (owner: string, count: number) =>
      Array.from({ length: count }, () => gate.enter(owner)).filter((each) => each !== false)
        .length;
    expect([waiting("a", 9), waiting("b", 9), waiting("c", 9)]).toEqual([4, 2, 1]);
  });

  test("how long one waits is told by its own turn, not by another's line", () => {
    const gate = createGate({ runningMax: 1, waitingMax: 1_000, waitMsMax: 100 });
    for (let piece = 0; piece < 100; piece++) {
      expect(gate.enter("a")).toBe(true);
      gate.leave(40, "a");
    }
    gate.enter("a");
    const isLetIn = (owner: string) => gate.enter(owner) !== false;
    expect(["a", "a", "a"].map(isLetIn)).toEqual([true, true, false]);
    // Its turn is the second.
    expect(isLetIn("b")).toBe(true);
  });
});
