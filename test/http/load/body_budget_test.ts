import { describe, expect, test } from "bun:test";
import { BodyBudget, type HoldBytes } from "../../../src/http/load/body_budget.ts";
import { Problem } from "../../../src/http/problem_details.ts";

/** A body at work: how to hold bytes of it, and how to end the work. */
async function begin(budget: BodyBudget, accountId: string) {
  const begun = Promise.withResolvers<HoldBytes>();
  const ended = Promise.withResolvers<void>();
  const work = budget.whileHeld(accountId, (hold) => {
    begun.resolve(hold);
    return ended.promise;
  });
  return {
    hold: await begun.promise,
    end: () => {
      ended.resolve();
      return work;
    },
  };
}

describe("BodyBudget.whileHeld", () => {
  test("bytes count as they are held, and are given back at the end, also where the work fails", async () => {
    const budget = new BodyBudget(100);
    const first = await begin(budget, "a");
    expect(budget.bytes).toBe(0);
    first.hold(40);
    first.hold(10);
    expect(budget.bytes).toBe(10);
    const failing = budget.whileHeld("a", async (hold) => {
      hold(5);
      expect(budget.bytes).toBe(15);
      throw new Error("as told");
    });
    expect(failing).rejects.toThrow("as told");
    await failing.catch(() => {});
    expect(budget.bytes).toBe(10);
    await first.end();
    expect(budget.bytes).toBe(0);
  });

  test("an account may hold as much as it leaves free, in any number of bodies; others get in", async () => {
    const budget = new BodyBudget(100);
    const bodies = await Promise.all(["a", "a", "a"].map((id) => begin(budget, id)));
    bodies[0]?.hold(25);
    bodies[1]?.hold(25);
    expect(() => bodies[2]?.hold(1)).toThrow(Problem);
    expect(() => bodies[1]?.hold(26)).toThrow(Problem);
    expect(budget.bytes).toBe(50);
    const other = await begin(budget, "b");
    other.hold(25);
    expect(() => other.hold(26)).toThrow(Problem);
    await bodies[0]?.end();
    other.hold(37);
    expect(budget.bytes).toBe(62);
  });

  test("the refusal is 503 with Retry-After, and closes the connection, whose rest is not read", async () => {
    const budget = new BodyBudget(2);
    (await begin(budget, "a")).hold(1);
    try {
      (await begin(budget, "a")).hold(1);
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        code: "UNAVAILABLE",
        status: 503,
        options: { headers: { "Retry-After": "1", Connection: "close" } },
      });
    }
  });

  test("a body that is alone has room for more than there is, and then no other has", async () => {
    const budget = new BodyBudget(100);
    const large = await begin(budget, "a");
    large.hold(200);
    const small = await begin(budget, "b");
    expect(() => small.hold(1)).toThrow(Problem);
    large.hold(20);
    small.hold(1);
    expect(() => large.hold(200)).toThrow(Problem);
  });
});
