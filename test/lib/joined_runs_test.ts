import { expect, test } from "bun:test";
import { JoinedRuns } from "../../src/lib/joined_runs.ts";

test("JoinedRuns gives callers of one key one run, and each other key its own", async () => {
  const runs = new JoinedRuns<number>();
  const gates = [Promise.withResolvers<number>(), Promise.withResolvers<number>()];
  let begun = 0;
  const run = async () => (await gates[begun++]?.promise) ?? -1;
  const first = [runs.join("a", run), runs.join("a", run), runs.underWay("a")];
  const other = runs.join("b", run);
  expect([begun, runs.underWay("c")]).toEqual([2, undefined]);
  gates[1]?.resolve(2);
  expect(await other).toBe(2);
  expect(runs.underWay("b")).toBeUndefined();
  gates[0]?.resolve(1);
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  expect(runs.underWay("a")).toBeUndefined();
});

test("JoinedRuns fails for all that joined a run, and starts another one for the next caller", async () => {
  const runs = new JoinedRuns<string>();
  const failing = () => Promise.reject(new Error("gone"));
  const outcomes = await Promise.allSettled([runs.join("", failing), runs.join("", failing)]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(await runs.join("", async () => "here")).toBe("here");
});

test("JoinedRuns: callers that resume after a run share the next one", async () => {
  const runs = new JoinedRuns<number>();
  let begun = 0;
  const run = async () => {
    await Bun.sleep(1);
    return ++begun;
  };
  const again = async () => {
    await runs.join("", run);
    return runs.join("", run);
  };
  expect(await Promise.all([again(), again(), again()])).toEqual([2, 2, 2]);
});
