import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../../../support/gateway.ts";
import { createAdmin, signIn } from "../support.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test("a provider sees that its feed is suspended, why, and no button that is refused", async () => {
  const key = await gateway.createKey(await gateway.createAccount(), "write");
  const body = { name: "Gold", endpoint_path: "gold" };
  const created = await gateway.send("POST", "/v1/provider/feed/create", key, body);
  const { id } = (await created.json()) as { id: string };
  await gateway.send("POST", `/v1/provider/feed/${id}/push`, key, { payload: [{ id: 1 }] });
  const who = await signIn(gateway.baseUrl, key);
  const pages = async () => [
    await (await who.get("")).text(),
    await (await who.get(`/feeds/${id}`)).text(),
  ];
  const act = async (path: string, sent: object) => {
    const at = `/v1/operator/feeds/${id}/${path}`;
    expect((await gateway.send("POST", at, admin, sent)).status).toBe(200);
  };
  const admin = await createAdmin(gateway);
  await act("suspend", { reason: "a <complaint>" });
  const [list = "", one = ""] = await pages();
  expect(list).toContain('<span class="badge bad">suspended</span>');
  expect(list).not.toContain(">active<");
  expect(one).toContain('<span class="badge bad">suspended</span>');
  expect(one).toContain("a &lt;complaint>");
  for (const button of ["Push a file", "Edit the listing", "Ask to be listed"]) {
    expect(one).not.toContain(button);
  }
  await act("resume", {});
  const [listAfter = "", oneAfter = ""] = await pages();
  for (const html of [listAfter, oneAfter]) {
    expect(html).toContain('<span class="badge good">active</span>');
    expect(html).not.toContain("suspended");
  }
  for (const button of ["Push a file", "Edit the listing", "Ask to be listed"]) {
    expect(oneAfter).toContain(button);
  }
});
