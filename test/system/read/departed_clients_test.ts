import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type SeededFeed, seedFeed } from "../../support/seed.ts";

const CONNECTIONS = 10;
const REQUESTS_PIPELINED = 4;
const WAIT_MS = 300;

let gateway: TestGateway;
let feed: SeededFeed;
beforeAll(async () => {
  gateway = await startTestGateway();
  const owner = await gateway.createAccount();
  const rows = [{ id: 1 }];
  feed = await seedFeed(gateway, owner, { type: "collection", rows, callPriceNanos: 1_000 });
});
afterAll(() => gateway.stop());

type Manner = "pipelined" | "half-closed";

/** What one connection is sent before it is closed in this manner. */
function readOver(manner: Manner, request: string): Promise<string> {
  return new Promise((resolve) => {
    let received = "";
    const port = Number(new URL(gateway.baseUrl).port);
    const isHalfOpen = manner === "half-closed";
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: isHalfOpen }, () => {
      socket.write(manner === "pipelined" ? request.repeat(REQUESTS_PIPELINED) : request);
      if (isHalfOpen) socket.end();
    });
    const timer = setTimeout(() => socket.destroy(), WAIT_MS);
    socket.on("data", (bytes) => {
      received += bytes.toString("latin1");
    });
    // The close that follows a reset is enough.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(received);
    });
  });
}

for (const manner of ["pipelined", "half-closed"] as const) {
  test(`a read whose connection is ${manner} is charged only if its answer was sent`, async () => {
    const accountId = await gateway.createAccount({ credits: 1_000 });
    const key = await gateway.createKey(accountId, "read");
    const request = `GET /v1/feed/${feed.slug} HTTP/1.1\r\nHost: localhost\r\nx-api-key: ${key}\r\n\r\n`;
    let answers = 0;
    for (let connection = 0; connection < CONNECTIONS; connection++) {
      const received = await readOver(manner, request);
      answers += received.match(/HTTP\/1\.1 200/g)?.length ?? 0;
    }
    await Bun.sleep(WAIT_MS);
    await gateway.gateway.services.admission.idle();
    const [charged] = await gateway.sql`
      select count(*)::int as events from usage_events
      where account_id = ${accountId} and not refunded`;
    expect(charged?.events).toBeLessThanOrEqual(answers);
    const rows = await gateway.sql`
      select balance_nanos::int as nanos from accounts where account_id = ${accountId}`;
    expect(rows[0]?.nanos).toBeGreaterThanOrEqual(1_000_000 - answers * 1_000);
  });
}
