import { expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { BoundedListener } from "../../../../src/http/load/connections.ts";
import { createLog } from "../../../../src/lib/log.ts";
import { waitFor } from "../../../support/processes.ts";

const IS_LINUX = process.platform === "linux";
/** A state in /proc/net/tcp. */
const ESTABLISHED = "01";

function listen(answer: () => Promise<Response>): BoundedListener {
  return new BoundedListener(
    (port = 0) =>
      // The timeout is longer than the test.
      Bun.serve({ port, hostname: "127.0.0.1", idleTimeout: 255, fetch: answer }),
    createLog({ level: "silent" }),
  );
}

/** Whether a connection to the port is open and belongs to a process: until it is accepted, its inode is 0. */
function hasAccepted(port: number): boolean {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return readFileSync("/proc/net/tcp", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .some((fields) => fields[1] === local && fields[3] === ESTABLISHED && fields[9] !== "0");
}

test.skipIf(!IS_LINUX)(
  "a listener that stops waits for no connection that has sent nothing",
  async () => {
    const listener = listen(async () => new Response("answered"));
    const silent = connect(listener.port, "127.0.0.1");
    await once(silent, "connect");
    // The kernel hands over one that says nothing only after a second.
    expect(await waitFor(() => hasAccepted(listener.port), 20_000)).toBe(true);
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
