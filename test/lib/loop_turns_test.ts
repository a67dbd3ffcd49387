import { expect, test } from "bun:test";
import { LoopTurns } from "../../src/lib/loop_turns.ts";

/** Keeps the event loop for longer than a turn. */
function work(): void {
  const endMs = performance.now() + 2;
  while (performance.now() < endMs);
}

test("works take turns by owner, one between two rounds of the event loop", async () => {
  const turns = new LoopTurns();
  const steps: string[] = [];
  const run = async (owner: string) => {
    const nextTurn = turns.begin(owner);
    for (let step = 0; step < 4; step++) {
      work();
      await nextTurn();
      steps.push(owner);
    }
  };
  let isOver = false;
  const others = (async () => {
    while (!isOver) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (steps.at(-1) !== "|") steps.push("|");
    }
  })();
  await Promise.all([run("a"), run("a"), run("b")]);
  isOver = true;
  await others;
  const rounds = steps.join("").split("|").filter(Boolean);
  // No round has two turns.
  expect(rounds.every((round) => round.length === 1)).toBe(true);
  // The one work of b ends as soon as either of a's: its owner had every other turn.
  const order = rounds.join("");
  expect(order.lastIndexOf("b")).toBeLessThanOrEqual(8);
  expect(order).toHaveLength(12);
});

test("a turn that was short goes on", () => {
  expect(new LoopTurns().begin("a")()).toBeUndefined();
});
