import { describe, expect, test } from "bun:test";
import { attempt, chain } from "../../src/lib/maybe_promise.ts";

const fault = new Error("fault");
const fails = (): number => {
  throw fault;
};

describe("chain", () => {
  test("goes on at once with a value, and later with a promised one", async () => {
    expect(chain(1, (value) => value + 1)).toBe(2);
    const later = chain(Promise.resolve(1), (value) => value + 1);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe(2);
  });

  test("leaves a rejection to whoever waits", async () => {
    expect(await Promise.resolve(chain(Promise.reject(fault), String)).catch((e) => e)).toBe(fault);
  });
});

describe("attempt", () => {
  test("gives the outcome, and asks for none other where there is no error", async () => {
    expect(attempt(() => 1, fails)).toBe(1);
    expect(await attempt(() => Promise.resolve(1), fails)).toBe(1);
  });

  test("recovers from what is thrown and from what is rejected", async () => {
    expect(attempt(fails, (error) => error)).toBe(fault);
    const rejected = attempt(
      () => Promise.reject(fault),
      (error) => error,
    );
    expect(await rejected).toBe(fault);
  });
});
