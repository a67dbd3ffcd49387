import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { PAGES_MADE_OF_NETWORK_LIMIT } from "../../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

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
