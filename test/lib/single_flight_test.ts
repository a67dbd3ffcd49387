import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createSingleFlight } from "../../src/lib/single_flight.ts";

describe("createSingleFlight", () => {
  test("no caller of a single flight gets a result older than its question, in any order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 }),
        async (acts) => {
          let version = 0;
          const landings: (() => void)[] = [];
          const shared = createSingleFlight<string, number>(
            () => {
              const read = version;
              return new Promise((resolve) => landings.push(() => resolve(read)));
            },
            (key) => key,
          );
          const checks: Promise<void>[] = [];
          for (const act of acts) {
            if (act === 0) version += 1;
            else if (act === 1) landings.shift()?.();
            else {
              const asked = version;
              const answer = shared.ask(`key ${act % 2}`);
              checks.push(answer.then((shown) => expect(shown).toBeGreaterThanOrEqual(asked)));
            }
            await Bun.sleep(0);
          }
          let isSettled = false;
          const all = Promise.all(checks).then(() => {
            isSettled = true;
          });
          while (!isSettled) {
            landings.shift()?.();
            await Bun.sleep(0);
          }
          await all;
        },
      ),
      { numRuns: 50 },
    );
  });

  test("a hundred callers that ask at once cost two runs", async () => {
    let runs = 0;
    const shared = createSingleFlight<string, number>(
      async () => {
        runs += 1;
        await Bun.sleep(1);
        return runs;
      },
      (key) => key,
    );
    const answers = await Promise.all(Array.from({ length: 100 }, () => shared.ask("same")));
    expect(runs).toBe(2);
    expect(answers.filter((answer) => answer === 2)).toHaveLength(99);
  });

  test("a run that fails rejects for the callers that share it, and for no others", async () => {
    let runs = 0;
    const shared = createSingleFlight<string, string>(
      async () => {
        runs += 1;
        if (runs === 1) throw new Error("lost");
        return "here";
      },
      (key) => key,
    );
    const [first, second] = await Promise.allSettled([shared.ask("same"), shared.ask("same")]);
    expect(first.status).toBe("rejected");
    expect(second).toEqual({ status: "fulfilled", value: "here" });
  });

  test("a run has the key of a caller that waits for it, not of one that has its answer", async () => {
    const shared = createSingleFlight<{ readonly by: string }, string>(
      async ({ by }) => by,
      () => "same",
    );
    const asked = ["a", "b", "c"].map((by) => shared.ask({ by }));
    expect(await Promise.all(asked)).toEqual(["a", "b", "b"]);
  });
});
