import { afterAll, expect, test } from "bun:test";
import { IDLE_SECONDS_MAX } from "../../../src/limits.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";
import { callTool } from "../../support/tools.ts";

const gateway = await startTestGateway();
afterAll(() => gateway.stop());

test("a stream is waited for with its time, and for longer than other requests may last", async () => {
  const owner = await gateway.createAccount();
  const write = await gateway.createKey(owner, "write");
  const read = await gateway.createKey(await gateway.createAccount(), "read");
  const first = { id: "first", event_timestamp: "2020-01-01T00:00:00Z" };
  const feed = await seedFeed(gateway, owner, { type: "stream", rows: [first] });
  const follow = (given: Record<string, unknown>) =>
    callTool(gateway, read, "follow_stream", { feed: feed.slug, ...given });
  const { structuredContent: begun } = await follow({});
  const offset = begun.next_offset;
  const none = await follow({ offset, wait_seconds: 1 });
  expect(none.structuredContent).toMatchObject({ rows: [], up_to_date: true });
  expect(none.structuredContent).not.toHaveProperty("receipt");
  expect(JSON.parse(none.content[0].text)).toEqual(none.structuredContent);
  const waiting = follow({ offset, wait_seconds: 20 });
  await Bun.sleep(1_000 * (IDLE_SECONDS_MAX + 4));
  const next = { id: "next", event_timestamp: "2020-01-01T00:00:00Z" };
  await gateway.send("POST", `/v1/provider/feed/${feed.feedId}/push`, write, [next]);
  expect((await waiting).structuredContent.rows).toEqual([next]);
});
