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
  test("an item that comes while no batch is in flight is sent at once, alone", () => {
    const { batcher, sent } = held();
    void batcher.submit("a");
    expect(sent()).toEqual(["a"]);
  });

  test("items of one turn of the event loop are sent together, and each gets its own result", async () => {
    const { batcher, flights, sent } = held();
    const results = Promise.all(["a", "b", "c"].map((item) => batcher.submit(item)));
    await turns();
    expect(sent()).toEqual(["a", "b c"]);
    for (const flight of flights) flight.land();
    expect(await results).toEqual(["a!", "b!", "c!"]);
  });

  test("while flightsMax batches are in flight, items wait, and leave in batches of at most batchMax", async () => {
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

  test("beside a batch in flight another leaves when it is as large, and the rest when one ends", async () => {
    // However slow the machine is, no batch is late by this clock.
    const { batcher, flights, sent } = held({ batchMax: 100, nowMs: () => 0 });
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

  test("a batch that is stuck holds up no other item", async () => {
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

  test("two batches in flight never lock the same, and items that lock something else are sent past them", async () => {
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

  test("what a failed batch locked is free again", async () => {
    const { batcher, flights, sent } = held({ holdOf: (item) => item[0] as string });
    const failing = batcher.submit("a1");
    await turns();
    void batcher.submit("a2");
    flights[0]?.fail(new Error("lost"));
    expect(failing).rejects.toThrow("lost");
    await turns();
    expect(sent()).toEqual(["a1", "a2"]);
  });

  test("an item that is no longer wanted is dropped when its batch leaves", async () => {
    const unwanted = new Set(["b"]);
    const { batcher, sent } = held({ isWanted: (item) => !unwanted.has(item) });
    const [, , dropped] = ["first", "a", "b", "c"].map((item) => batcher.submit(item));
    await turns();
    expect(sent()).toEqual(["first", "a c"]);
    expect(await dropped).toBeUndefined();
  });

  test("isWanted is asked, too, for an item that comes while no batch is in flight", async () => {
    const { batcher, sent } = held({ isWanted: () => false });
    expect(await batcher.submit("alone")).toBeUndefined();
    expect(sent()).toEqual([]);
  });

  test("an item beyond queueMax is refused at once", async () => {
    const { batcher } = held({ flightsMax: 1, queueMax: 2 });
    void batcher.submit("flying");
    await turns();
    void batcher.submit("a");
    void batcher.submit("b");
    expect(await batcher.submit("c")).toBeUndefined();
    expect(batcher.waiting).toBe(2);
  });

  test("behind a batch that is stuck no item waits longer than twice waitMsMax", async () => {
    const { batcher, flights } = held({ flightsMax: 1, waitMsMax: 10 });
    void batcher.submit("still");
    await turns();
    const startedMs = performance.now();
    expect(await batcher.submit("a")).toBeUndefined();
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(flights).toHaveLength(1);
  });
});
