import { describe, expect, test } from "bun:test";
import { SIGN_IN_TRIES, WINDOW_MS } from "../../../src/limits.ts";
import { SignInTries } from "../../../src/pages/console/sign_in_tries.ts";

/** Whether the address may try again. */
function mayTry(tries: SignInTries, address: string, nowMs = 0): boolean {
  try {
    tries.begin(address, nowMs)();
    return true;
  } catch {
    return false;
  }
}

function failAll(tries: SignInTries, addresses: readonly string[]): void {
  for (const address of addresses) tries.begin(address, 0);
}

describe("SignInTries", () => {
  test("addresses of one IPv6 network count as one, and of another as another", () => {
    const tries = new SignInTries();
    failAll(
      tries,
      Array.from({ length: SIGN_IN_TRIES }, (_, host) => `2001:db8:1:2::${host + 1}`),
    );
    expect(mayTry(tries, "2001:db8:1:2:ffff::9")).toBe(false);
    expect(mayTry(tries, "2001:DB8:1:2::aaaa")).toBe(false);
    expect(mayTry(tries, "2001:db8:1:3::1")).toBe(true);
  });

  test("IPv4 addresses count each for itself, also in the form of IPv6", () => {
    const tries = new SignInTries();
    failAll(tries, Array(SIGN_IN_TRIES).fill("203.0.113.7"));
    expect(mayTry(tries, "::ffff:203.0.113.7")).toBe(false);
    expect(mayTry(tries, "203.0.113.8")).toBe(true);
  });

  test("tries at once count from their beginning, and those that succeed count no more", () => {
    const tries = new SignInTries();
    const begun = Array.from({ length: SIGN_IN_TRIES }, () => tries.begin("203.0.113.7", 0));
    expect(mayTry(tries, "203.0.113.7")).toBe(false);
    begun[0]?.();
    expect(mayTry(tries, "203.0.113.7")).toBe(true);
  });

  test("a minute later it may try again", () => {
    const tries = new SignInTries();
    failAll(tries, Array(SIGN_IN_TRIES).fill("203.0.113.7"));
    expect(mayTry(tries, "203.0.113.7", WINDOW_MS - 1)).toBe(false);
    expect(mayTry(tries, "203.0.113.7", WINDOW_MS)).toBe(true);
  });
});
