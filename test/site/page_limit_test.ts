import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createPageLimit } from "../../src/api/page_limit.ts";
import { PAGES_MADE_LIMIT, PAGES_MADE_OF_NETWORK_LIMIT, WINDOW_MS } from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

/** How many of `calls` pages are made for an address. */
function made(limit: (address: string) => void, address: string, calls: number): number {
  let count = 0;
  for (let call = 0; call < calls; call += 1) {
    try {
      limit(address);
      count += 1;
    } catch {}
  }
  return count;
}

describe("createPageLimit", () => {
  test("a network has a share of its own, and all together have a limit", () => {
    let nowMs = 0;
    const limit = createPageLimit(() => nowMs);
    const many = 2 * PAGES_MADE_OF_NETWORK_LIMIT;
    expect(made(limit, "2001:db8::1", many)).toBe(PAGES_MADE_OF_NETWORK_LIMIT);
    // The same network, and another one.
    expect(made(limit, "2001:db8::2", 1)).toBe(0);
    expect(made(limit, "203.0.113.1", 1)).toBe(1);
    let others = 0;
    for (let host = 2; host < 20; host += 1) others += made(limit, `203.0.113.${host}`, many);
    expect(others).toBe(PAGES_MADE_LIMIT - PAGES_MADE_OF_NETWORK_LIMIT - 1);
    nowMs = WINDOW_MS;
    expect(made(limit, "2001:db8::1", 1)).toBe(1);
  });
});

describe("a crawler", () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  afterAll(() => gateway.stop());

  test("that is over the limit still gets pages from memory, and shuts no agent out", async () => {
    const html = { Accept: "text/html" };
    const status = async (path: string) => {
      const response = await gateway.get(path, undefined, html);
      await response.bytes();
      return response.status;
    };
    expect(await status("/")).toBe(200);
    let limited: Response | undefined;
    for (let page = 0; page < 3 * PAGES_MADE_OF_NETWORK_LIMIT && !limited; page += 50) {
      const crawled = Array.from({ length: 50 }, (_, place) =>
        gateway.get(`/feeds/none-${page + place}`, undefined, html),
      );
      const answers = await Promise.all(crawled);
      limited = answers.find((answer) => answer.status === 429);
      await Promise.all(answers.map((answer) => answer.bytes()));
    }
    expect(limited?.status).toBe(429);
    expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await status("/docs/guides/agents")).toBe(200);
    expect(await status("/llms.txt")).toBe(200);
    expect(await status("/.well-known/agent-skills/index.json")).toBe(200);
  });
});
