import { afterAll, beforeAll, expect, test } from "bun:test";
import { rm } from "node:fs/promises";
import guide from "../../../src/docs/guides/notices.md" with { type: "text" };
import { nameWebhook, sendNotices } from "../../notices/support.ts";
import { temporaryFolder } from "../../support/folders.ts";
import { freePort } from "../../support/free_port.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";

const LINES_MAX = 15;
const PYTHON = Bun.which("python3");
const hasPythonLibrary =
  PYTHON !== null && Bun.spawnSync([PYTHON, "-c", "import standardwebhooks"]).success;
if (!hasPythonLibrary) {
  console.log("skipped: the guide's receiver in Python, since Python lacks standardwebhooks");
}

let gateway: TestGateway;
// Beside the packages, so that it finds the one that it imports.
const typescript = Bun.fileURLToPath(
  new URL(`../../node_modules/.receiver-${process.pid}.ts`, import.meta.url),
);

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_WEBHOOK_FETCH: "private" });
});
afterAll(async () => {
  await gateway.stop();
  await rm(typescript, { force: true });
});

function receiverIn(language: string): string {
  const [, code = ""] =
    new RegExp(`\`\`\`${language} receiver\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  expect(code.split("\n").filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(
    LINES_MAX,
  );
  return code;
}

/** What the receiver prints of a test, after it has refused what is not signed. */
async function printedBy(command: readonly string[]) {
  const port = await freePort();
  const key = await gateway.createKey(await gateway.createAccount(), "read");
  const url = `http://127.0.0.1:${port}/`;
  const { id, secret } = await nameWebhook(gateway, key, { url, types: ["credits.granted"] });
  const { PATH, PYTHONPATH } = process.env;
  const receiver = Bun.spawn([...command], {
    env: { PATH, PYTHONPATH, WEBHOOK_SECRET: secret, PORT: String(port) },
    stdout: "pipe",
    stderr: "ignore",
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
    return { id, noticeId, printed: await new Response(receiver.stdout).text() };
  } finally {
    receiver.kill();
    await receiver.exited;
  }
}

test("the guide's receiver verifies a notice as printed, and refuses what is not signed", async () => {
  await Bun.write(typescript, receiverIn("ts"));
  const { id, noticeId, printed } = await printedBy([process.execPath, typescript]);
  expect(printed).toBe(`${noticeId} webhook.test {"webhook_id":"${id}"}\n`);
});

test("the guide's receiver in Python is short enough", () => {
  expect(receiverIn("python")).toContain("standardwebhooks");
});

test.skipIf(!hasPythonLibrary)("the guide's receiver in Python does the same", async () => {
  const file = `${temporaryFolder()}/receiver.py`;
  await Bun.write(file, receiverIn("python"));
  const { id, noticeId, printed } = await printedBy([PYTHON ?? "", file]);
  expect(printed).toBe(`${noticeId} webhook.test {'webhook_id': '${id}'}\n`);
});
