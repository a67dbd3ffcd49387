import { describe, expect, test } from "bun:test";
import { Batcher, type BatcherOptions } from "../../src/lib/batcher.ts";

/** A batcher whose flights return when the test lets them. */
function held(options: Partial<BatcherOptions<string, string>> = {}) {
  const flights: { items: readonly string[]; land: () => void; fail: (error: Error) => void }[] =
    [];
  const batcher = new Batcher<string, string>({
    batchMax: 4,
    flightsMax: 2,
    queueMax: 100,
    waitMsMax: 60_000,
    waitingFree: 0,
    latenessMax: 2,
    holdOf: (item) => item,
    isWanted: () => true,
    ...options,
    run: (items) =>
      new Promise((resolve, reject) => {
        flights.push({
          items,
          land: () => resolve(items.map((item) => `${item}!`)),
          fail: reject,
        });
      }),
  });
  return { batcher, flights, sent: () => flights.map(({ items }) => items.join(" ")) };
}

/** Long enough for every `setImmediate` that is due. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("Batcher", () => {
  test("what comes when nothing flies leaves at once, by itself", () => {
    const { batcher, sent } = held();
    void batcher.submit("a");
    expect(sent()).toEqual(["a"]);
  });

  test("all else that arrives in one turn flies together, and each gets its own result", async () => {
    const { batcher, flights, sent } = held();
    const results = Promise.all(["a", "b", "c"].map((item) => batcher.submit(item)));
    await turns();
    expect(sent()).toEqual(["a", "b c"]);
    for (const flight of flights) flight.land();
    expect(await results).toEqual(["a!", "b!", "c!"]);
  });

  test("while all flights are out, arrivals gather, in batches of batchMax at most", async () => {
    const { batcher, flights, sent } = held({ flightsMax: 1 });
    void batcher.submit("first");
    await turns();
    for (const item of ["a", "b", "c", "d", "e"]) void batcher.submit(item);
    await turns();
    expect(sent()).toEqual(["first"]);
    flights[0]?.land();
    await turns();
    expect(sent()).toEqual(["first", "a b c d"]);
    flights[1]?.land();
    await turns();
    expect(sent()).toEqual(["first", "a b c d", "e"]);
  });

  test("beside a flight that is out, a batch leaves once it is as large; what is left, when one lands", async () => {
    const { batcher, flights, sent } = held({ batchMax: 100 });
    for (const item of ["first", "a", "b", "c"]) void batcher.submit(item);
    await turns();
    flights[0]?.land();
    await turns();
    for (const item of ["d", "e"]) void batcher.submit(item);
    await turns();
    expect(sent()).toEqual(["first", "a b c"]);
    void batcher.submit("f");
    await turns();
    expect(sent()).toEqual(["first", "a b c", "d e f"]);
    void batcher.submit("g");
    flights[1]?.land();
    await turns();
    expect(sent()).toHaveLength(3);
    flights[2]?.land();
    await turns();
    expect(sent()).toEqual(["first", "a b c", "d e f", "g"]);
  });

  test("a flight that stands still holds up nobody else", async () => {
    const { batcher, flights, sent } = held({ batchMax: 100 });
    for (const item of ["first", "a", "b", "c"]) void batcher.submit(item);
    await turns();
    flights[0]?.land();
    await turns();
    const other = batcher.submit("d");
    while (flights.length < 3) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(sent()).toEqual(["first", "a b c", "d"]);
    flights[2]?.land();
    expect(await other).toBe("d!");
  });

  test("holdOf: two flights never hold the same, and who holds nothing in common flies past", async () => {
    const { batcher, flights, sent } = held({ holdOf: (item) => item[0] as string });
    void batcher.submit("a1");
    await turns();
    for (const item of ["a2", "b1", "a3"]) void batcher.submit(item);
    await turns();
    expect(sent()).toEqual(["a1", "b1"]);
    expect(batcher.waiting).toBe(2);
    flights[1]?.land();
    await turns();
    // A flight is free, but what waits is held by the other.
    expect(sent()).toEqual(["a1", "b1"]);
    flights[0]?.land();
    await turns();
    expect(sent()).toEqual(["a1", "b1", "a2 a3"]);
  });

  test("holdOf: what a failed flight held is free again", async () => {
    const { batcher, flights, sent } = held({ holdOf: (item) => item[0] as string });
    const failing = batcher.submit("a1");
    await turns();
    void batcher.submit("a2");
    flights[0]?.fail(new Error("lost"));
    expect(failing).rejects.toThrow("lost");
    await turns();
    expect(sent()).toEqual(["a1", "a2"]);
  });

  test("isWanted: an item that nobody wants any more is dropped when the batch leaves", async () => {
    const unwanted = new Set(["b"]);
    const { batcher, sent } = held({ isWanted: (item) => !unwanted.has(item) });
    const [, , dropped] = ["first", "a", "b", "c"].map((item) => batcher.submit(item));
    await turns();
    expect(sent()).toEqual(["first", "a c"]);
    expect(await dropped).toBeUndefined();
  });

  test("isWanted: an item that comes when nothing flies is asked, too", async () => {
    const { batcher, sent } = held({ isWanted: () => false });
    expect(await batcher.submit("alone")).toBeUndefined();
    expect(sent()).toEqual([]);
  });

  test("queueMax: what has no place is told so at once", async () => {
    const { batcher } = held({ flightsMax: 1, queueMax: 2 });
    void batcher.submit("flying");
    await turns();
    void batcher.submit("a");
    void batcher.submit("b");
    expect(await batcher.submit("c")).toBeUndefined();
    expect(batcher.waiting).toBe(2);
  });

  test("waitMsMax: behind a flight that stands still, nobody waits for longer than twice as long", async () => {
    const { batcher, flights } = held({ flightsMax: 1, waitMsMax: 10 });
    void batcher.submit("still");
    await turns();
    const startedMs = performance.now();
    expect(await batcher.submit("a")).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(flights).toHaveLength(1);
  });

  test("idle resolves when nothing waits and nothing flies", async () => {
    const { batcher, flights } = held();
    void batcher.submit("a");
    await turns();
    let isIdle = false;
    const idle = batcher.idle().then(() => {
      isIdle = true;
    });
    await turns();
    expect(isIdle).toBe(false);
    flights[0]?.land();
    await idle;
    expect(batcher.flying).toBe(0);
  });
});
