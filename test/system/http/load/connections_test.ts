import { expect, test } from "bun:test";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { BoundedListener } from "../../../../src/http/load/connections.ts";
import { createLog } from "../../../../src/lib/log.ts";
import { waitFor } from "../../../support/processes.ts";

const IS_LINUX = process.platform === "linux";

function listen(answer: () => Promise<Response>): BoundedListener {
  return new BoundedListener(
    (port = 0) =>
      // The timeout is longer than the test.
      Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 255, fetch: answer }),
    createLog({ level: "silent" }),
  );
}

test.skipIf(!IS_LINUX)(
  "a listener that stops waits for no connection that has sent nothing",
  async () => {
    const listener = listen(async () => new Response("answered"));
    const descriptors = () => readdirSync("/proc/self/fd").length;
    const before = descriptors();
    const silent = connect(listener.port, "127.0.0.1");
    await once(silent, "connect");
    // Its two ends. The kernel hands over one that says nothing only after a second.
    expect(await waitFor(() => descriptors() >= before + 2, 20_000)).toBe(true);
    await listener.stop();
    silent.destroy();
  },
);

test("a listener that stops answers what is in flight", async () => {
  const released = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const listener = listen(async () => {
    begun.resolve();
    await released.promise;
    return new Response("answered");
  });
  const answer = fetch(`http://127.0.0.1:${listener.port}/`, { keepalive: false });
  await begun.promise;
  let isStopped = false;
  const stopped = listener.stop().then(() => {
    isStopped = true;
  });
  // Several times the pause after which a listener without requests counts as quiet.
  await Bun.sleep(300);
  expect(isStopped).toBe(false);
  released.resolve();
  expect(await (await answer).text()).toBe("answered");
  await stopped;
});
