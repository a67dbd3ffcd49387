import { describe, expect, test } from "bun:test";
import { createTimeBudget } from "../../../src/postgres/client/time_budget.ts";

const MINUTE_MS = 60_000;

describe("createTimeBudget", () => {
  test("an account over its budget waits, and what it spent runs out in a minute", () => {
    const budget = createTimeBudget(6_000, 10);
    expect(budget.waitMs("a", 0)).toBe(0);
    budget.spend("a", 5_999, 0);
    expect(budget.waitMs("a", 0)).toBe(0);
    budget.spend("a", 2_001, 0);
    // 2,000 ms too many run out in 20 s.
    expect(budget.waitMs("a", 0)).toBe(20_001);
    expect(budget.waitMs("a", 20_001)).toBe(0);
    expect(budget.spentMs("a", MINUTE_MS)).toBe(2_000);
    expect(budget.spentMs("a", 2 * MINUTE_MS)).toBe(0);
  });

  test("each account has a time budget of its own", () => {
    const budget = createTimeBudget(100, 10);
    budget.spend("a", 200, 0);
    expect(budget.waitMs("a", 0)).toBeGreaterThan(0);
    expect(budget.waitMs("b", 0)).toBe(0);
  });

  test("no account waits longer than a minute for its budget, whatever it spent", () => {
    const budget = createTimeBudget(100, 10);
    for (let times = 0; times < 100; times++) budget.spend("a", 5_000, 0);
    expect(budget.waitMs("a", 0)).toBe(MINUTE_MS + 1);
  });

  test("the budgets of the accounts that spent last are remembered", () => {
    const budget = createTimeBudget(100, 2);
    for (const account of ["a", "b", "a", "c"]) budget.spend(account, 10, 0);
    expect(["a", "b", "c"].map((account) => budget.spentMs(account, 0))).toEqual([20, 0, 10]);
  });
});
