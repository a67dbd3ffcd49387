import { afterAll, beforeAll, expect, test } from "bun:test";
import { startReceiver } from "../notices/support.ts";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";
import { runFeedgate } from "./support.ts";

let gateway: TestGateway;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let readKey: string;

beforeAll(async () => {
  receiver = await startReceiver();
  gateway = await startTestGateway({}, { webhookTrial: receiver.trial });
  readKey = await gateway.createKey(await gateway.createAccount(), "read");
});
afterAll(async () => {
  await gateway.stop();
  await receiver.stop();
});

const run = (key: string, ...argv: readonly string[]) =>
  runFeedgate(["webhook", ...argv], { FEEDGATE_URL: gateway.baseUrl, FEEDGATE_KEY: key });

async function done(key: string, ...argv: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(key, ...argv);
  expect({ argv, code, stderr }).toEqual({ argv, code: 0, stderr: "" });
  return stdout;
}

test("an address is named, listed, changed, tested, rotated and removed, and a delivery is sent again", async () => {
  expect(await done(readKey, "list")).toContain("no webhooks yet");
  const url = `${receiver.origin}/hook`;
  const added = await done(readKey, "add", url, "--types", "credits.granted,balance.low");
  expect(added).toMatch(/^secret +whsec_\S+$/m);
  const id = /^webhook +(\S+)$/m.exec(added)?.[1] ?? "";
  expect(await done(readKey, "list")).toContain(id);

  await done(readKey, "test", id);
  await gateway.gateway.services.notices.idle();
  expect(receiver.received.map(({ notice }) => notice.type)).toEqual(["webhook.test"]);
  const page = JSON.parse(await done(readKey, "deliveries", id, "--json"));
  expect(page.deliveries).toMatchObject([{ status: "delivered", code: 204 }]);
  expect(await done(readKey, "deliveries", id)).toContain("delivered");
  await done(readKey, "resend", page.deliveries[0].id);
  await gateway.gateway.services.notices.idle();
  const ids = receiver.received.map(({ headers }) => headers["webhook-id"]);
  expect(ids).toEqual([page.deliveries[0].notice_id, page.deliveries[0].notice_id]);

  const off = await done(readKey, "edit", id, "--off", "--types", "feed.gone");
  expect(off).toMatch(/^types +feed\.gone$/m);
  expect(off).toMatch(/^state +off$/m);
  expect(await done(readKey, "edit", id, "--on", "--to", `${url}/2`)).toContain(`${url}/2`);
  expect(await done(readKey, "rotate", id)).toMatch(/^old secret expires +\S+Z$/m);
  await done(readKey, "remove", id);
  expect(await done(readKey, "list")).toContain("no webhooks yet");
});

test("an operator's admin key manages the operators' addresses", async () => {
  const { key } = await insertAdminKey(gateway);
  const url = `${receiver.origin}/operators`;
  const added = await done(key, "add", url, "--types", "job.failed", "--json");
  const { id } = JSON.parse(added);
  const listed = await gateway.send("GET", "/v1/operator/webhooks", key, undefined);
  expect(await listed.json()).toMatchObject({ webhooks: [{ id, url }] });
  await done(key, "deliveries", id);
  await done(key, "remove", id);
});

test("what is wrong is said, and nothing is done", async () => {
  const refusals = [
    [["add", "http://example.com/", "--types", "balance.low"], 1, "https"],
    [["add", `${receiver.origin}/x`, "--types", "feed.late"], 1, "does not receive feed.late"],
    [["add", `${receiver.origin}/x`], 2, "--types"],
    [["edit", "x"], 2, "nothing to change"],
    [["edit", "x", "--on", "--off"], 2, "can't be combined"],
    [["test", crypto.randomUUID()], 1, "No webhook with this id"],
  ] as const;
  for (const [argv, code, message] of refusals) {
    const ended = await run(readKey, ...argv);
    expect({ argv, code: ended.code, stdout: ended.stdout }).toEqual({ argv, code, stdout: "" });
    expect(ended.stderr).toContain(message);
  }
});
