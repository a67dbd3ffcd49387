import { expect, test } from "bun:test";
import { createServer } from "node:net";
import { askAgain } from "../../../support/ask_again.ts";
import { connectTo, throughLink } from "../../../support/database_link.ts";
import { startTestGateway } from "../../../support/gateway.ts";
import { seedFeed } from "../../../support/seed.ts";

/** Far more than a cold read takes without it. */
const DELAY_MS = 250;

test("a read by a key of a feed that the gateway has never seen sends three statements one after the other", async () => {
  const gateway = await startTestGateway();
  let delayMs = 0;
  const link = createServer((client) => {
    const server = connectTo(gateway.databaseUrl);
    client.pipe(server);
    server.on("data", (bytes) => setTimeout(() => client.write(bytes), delayMs));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("close", () => other.destroy());
      one.on("error", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => link.listen(0, "127.0.0.1", resolve));
  const peer = await gateway.startPeer({ DATABASE_URL: throughLink(gateway.databaseUrl, link) });
  try {
    const ownerId = await gateway.createAccount();
    const seed = { type: "collection", rows: [{ id: "a" }] } as const;
    const read = async () => {
      const { slug } = await seedFeed(gateway, ownerId, seed);
      const key = await gateway.createKey(await gateway.createAccount(), "read");
      const startedMs = performance.now();
      const response = await askAgain(() =>
        fetch(`${peer.baseUrl}/v1/feed/${slug}`, { headers: { "x-api-key": key } }),
      );
      expect(response.status).toBe(200);
      return performance.now() - startedMs;
    };
    // Opens the connections, and prepares the statements on each.
    for (let times = 0; times < 4; times++) await Promise.all(Array.from({ length: 24 }, read));
    delayMs = DELAY_MS;
    // One of them finds all that it needs prepared on the connections that it gets.
    const times = [await read(), await read(), await read()];
    expect(Math.min(...times) / DELAY_MS).toBeWithin(3, 3.9);
  } finally {
    delayMs = 0;
    await gateway.stop();
    link.close();
  }
});
