import { afterAll, beforeAll, expect, test } from "bun:test";
import { present } from "../../../src/lib/assert.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type OpenIdHost, startOpenIdProvider } from "../../support/openid_provider.ts";
import { browser } from "../support.ts";

const EMAIL = "ada@example.com";

let host: OpenIdHost;
let gateway: TestGateway;
beforeAll(async () => {
  host = await startOpenIdProvider();
  gateway = await startTestGateway({ ...host.variables, FEEDGATE_SIGN_UP: "open" });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

test("a stranger joins through the provider, without mail, and signs in again", async () => {
  for (const isNew of [true, false]) {
    const at = browser(gateway.baseUrl);
    const page = await (await at.get("/console/sign-in")).text();
    expect(page).toContain("Example ID");
    const begun = await at.post("/console/sign-in/openid", { next: "/console/settings" });
    const back = await host.signIn(present(begun.headers.get("location") ?? undefined), EMAIL);
    expect(back.origin).toBe(gateway.baseUrl);
    // A browser that did not begin is not signed in.
    const other = await browser(gateway.baseUrl).get(back.pathname + back.search);
    expect([other.status, other.headers.getSetCookie()]).toEqual([403, []]);
    const finished = await at.get(back.pathname + back.search);
    expect(finished.status).toBe(200);
    if (isNew) {
      expect(await finished.text()).toContain("/console/join");
      expect((await at.post("/console/join", { name: "Ada" })).status).toBe(303);
    }
    // Who is signed in.
    const settings = await at.get("/console/settings");
    expect([settings.status, await settings.text()]).toEqual([
      200,
      expect.stringContaining(">Ada<"),
    ]);
  }
});

test("who does not agree at the provider sees one sentence", async () => {
  const at = browser(gateway.baseUrl);
  const begun = await at.post("/console/sign-in/openid", {});
  const back = await host.deny(present(begun.headers.get("location") ?? undefined));
  const answer = await at.get(back.pathname + back.search);
  expect([answer.status, await answer.text()]).toEqual([
    403,
    expect.stringContaining("The sign-in with Example ID was canceled."),
  ]);
});
