import { describe, expect, test } from "bun:test";
import { createNetworkLimit, type NetworkLimit } from "../../../src/api/callers/network_limit.ts";
import { WINDOW_MS } from "../../../src/limits.ts";

const LIMIT = 100;
const NETWORK_LIMIT = 40;

function createLimit(now = () => 0): NetworkLimit {
  return createNetworkLimit({ limit: LIMIT, networkLimit: NETWORK_LIMIT, of: "calls", now });
}

/** How many of `calls` pass. */
function passed(limit: NetworkLimit, address: string, calls = LIMIT): number {
  let count = 0;
  for (let call = 0; call < calls; call += 1) {
    try {
      limit(address);
      count += 1;
    } catch {}
  }
  return count;
}

describe("a limit by network", () => {
  test("gives each network its share, and again after a minute", () => {
    let nowMs = 0;
    const limit = createLimit(() => nowMs);
    expect(passed(limit, "203.0.113.1")).toBe(NETWORK_LIMIT);
    expect(passed(limit, "::ffff:203.0.113.1")).toBe(0);
    expect(passed(limit, "203.0.113.2")).toBe(NETWORK_LIMIT);
    nowMs = WINDOW_MS;
    expect(passed(limit, "203.0.113.1")).toBe(NETWORK_LIMIT);
  });

  test("counts an IPv6 address by its /64, and by its /48", () => {
    const limit = createLimit();
    expect(passed(limit, "2001:db8:1:1::1")).toBe(NETWORK_LIMIT);
    expect(passed(limit, "2001:0DB8:0001:0001:ffff::2")).toBe(0);
    // The rest of the site's share, however many networks it has.
    let others = 0;
    for (let network = 2; network < 20; network += 1) {
      others += passed(limit, `2001:db8:1:${network.toString(16)}::1`, 10);
    }
    expect(others).toBe(NETWORK_LIMIT);
    expect(passed(limit, "2001:db8:2:1::1", 1)).toBe(1);
  });

  test("keeps room for those who have used little, when others have used up the limit", () => {
    const limit = createLimit();
    const many = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
    const used = many.map((address) => passed(limit, address));
    expect(used.reduce((sum, each) => sum + each)).toBe(LIMIT);
    expect(passed(limit, "198.51.100.1", 3)).toBe(3);
    expect(passed(limit, "203.0.113.3")).toBe(0);
  });

  test("gives the gateway itself all that is there", () => {
    expect(passed(createLimit(), "", 2 * LIMIT)).toBe(LIMIT);
  });
});
