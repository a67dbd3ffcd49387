import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import guide from "../../src/docs/guides/notices.md" with { type: "text" };
import { NOTICE_TYPES } from "../../src/notices/notice_types.ts";
import { freePort } from "../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { nameWebhook, sendNotices } from "./support.ts";

let gateway: TestGateway;
// Beside the packages, so that it finds the one that it imports.
const file = Bun.fileURLToPath(
  new URL(`../../node_modules/.receiver-${process.pid}.ts`, import.meta.url),
);

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_WEBHOOK_FETCH: "private" });
});
afterAll(async () => {
  await gateway.stop();
  await rm(file, { force: true });
});

test("the guide's receiver verifies a notice as printed, and refuses what is not signed", async () => {
  const code = /```ts receiver\n([\s\S]*?)```/.exec(guide)?.[1] ?? "";
  expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(15);
  await Bun.write(file, code);
  const port = await freePort();
  const account = await gateway.createAccount();
  const key = await gateway.createKey(account, "read");
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await nameWebhook(gateway, key, { url, types: ["credits.granted"] });
  const receiver = Bun.spawn([process.execPath, file], {
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdout: "pipe",
  });
  try {
    let isUp = false;
    for (let tries = 0; tries < 200 && !isUp; tries += 1) {
      isUp = await fetch(url, { method: "POST", body: "{}" }).then(
        ({ status }) => status === 400,
        () => false,
      );
      if (!isUp) await Bun.sleep(50);
    }
    expect(isUp).toBe(true);
    const tested = await gateway.send("POST", `/v1/webhooks/${id}/test`, key, {});
    const { notice_id: noticeId } = (await tested.json()) as { notice_id: string };
    await sendNotices(gateway);
    const listed = await gateway.get(`/v1/webhooks/${id}/deliveries`, key);
    expect(await listed.json()).toMatchObject({ deliveries: [{ status: "delivered", code: 204 }] });
    receiver.kill();
    expect(await new Response(receiver.stdout).text()).toBe(
      `${noticeId} webhook.test {"webhook_id":"${id}"}\n`,
    );
  } finally {
    receiver.kill();
    await receiver.exited;
  }
});

test("the guide names every type", () => {
  const missing = Object.keys(NOTICE_TYPES).filter((type) => !guide.includes(`\`${type}\``));
  expect(missing).toEqual([]);
});
