import { afterAll, beforeAll, expect, test } from "bun:test";
import { IDLE_SECONDS_MAX } from "../../src/limits.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { seedFeed } from "../support/seed.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("an upload may take longer than other requests, also after the document was asked for", async () => {
  const provider = await gateway.createAccount();
  const key = await gateway.createKey(provider, "write");
  const { feedId } = await seedFeed(gateway, provider, { type: "collection", rows: [{ id: 1 }] });
  expect((await fetch(`${gateway.baseUrl}/docs/json`)).status).toBe(200);
  const bytes = new TextEncoder().encode(JSON.stringify([{ id: 2, text: "x".repeat(10_000) }]));
  const pieces = 2 * (IDLE_SECONDS_MAX + 2);
  const size = Math.ceil(bytes.length / pieces);
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let start = 0; start < bytes.length; start += size) {
        controller.enqueue(bytes.slice(start, start + size));
        await Bun.sleep(500);
      }
      controller.close();
    },
  });
  const answer = await fetch(`${gateway.baseUrl}/v1/provider/feed/${feedId}/push`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body,
  });
  expect(answer.status).toBe(200);
});
