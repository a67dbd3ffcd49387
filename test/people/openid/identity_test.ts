import { afterAll, beforeAll, expect, test } from "bun:test";
import { present } from "../../../src/lib/assert.ts";
import { startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type OpenIdHost, startOpenIdProvider } from "../../support/openid_provider.ts";
import { type Browser, browser, join } from "../support.ts";

const TYPED = {
  /** The same subject, whose address has changed. */
  "old@example.com": { sub: "s1", email: "old@example.com", email_verified: true, name: "Ada" },
  "new@example.com": { sub: "s1", email: "new@example.com", email_verified: true, name: "Ada" },
  /** Another subject that has got the address. */
  "taker@example.com": { sub: "s2", email: "old@example.com", email_verified: true, name: "Eve" },
  "mailed@example.com": { sub: "s3", email: "Mailed@Example.com", email_verified: true },
  "mailed-later@example.com": { sub: "s4", email: "mailed@example.com", email_verified: true },
  "unverified@example.com": { sub: "s5", email: "mailed@example.com", email_verified: false },
};

let host: OpenIdHost;
let gateway: TestGateway;
beforeAll(async () => {
  host = await startOpenIdProvider({ accounts: TYPED });
  gateway = await startTestGateway({
    ...host.variables,
    FEEDGATE_SIGN_UP: "open",
    FEEDGATE_SMTP_URL: "smtp://127.0.0.1:1",
    FEEDGATE_MAIL_FROM: "feeds@example.com",
  });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

/** Signs in as whoever types this at the provider. Resolves with what the gateway answers. */
async function signIn(at: Browser, typed: keyof typeof TYPED): Promise<readonly [number, string]> {
  const begun = await at.post("/console/sign-in/openid", {});
  const back = await host.signIn(present(begun.headers.get("location") ?? undefined), typed);
  const answer = await at.get(back.pathname + back.search);
  return [answer.status, await answer.text()];
}

async function whoIs(at: Browser): Promise<unknown> {
  return (await at.get("/console/you?download=json")).json();
}

test("a subject stays the same person when its address changes, and who gets the address is refused", async () => {
  const first = browser(gateway.baseUrl);
  const [, page] = await signIn(first, "old@example.com");
  expect(page).toContain("/console/join");
  // With the name that the provider knows.
  expect(await (await first.get("/console/join")).text()).toContain('value="Ada"');
  await first.post("/console/join", { name: "Ada" });
  const { id } = (await whoIs(first)) as { id: string };
  const moved = browser(gateway.baseUrl);
  expect((await signIn(moved, "new@example.com"))[0]).toBe(200);
  expect(await whoIs(moved)).toMatchObject({ id, address: "old@example.com", name: "Ada" });
  const taker = browser(gateway.baseUrl);
  expect(await signIn(taker, "taker@example.com")).toEqual([
    403,
    expect.stringContaining("is linked to a different sign-in"),
  ]);
  expect((await taker.get("/console/you")).status).toBe(303);
});

test("an address that a mail has proven is the same person at its first sign-in through the provider, and no other subject's", async () => {
  const mailed = await join(gateway, "mailed@example.com");
  const before = (await whoIs(mailed)) as { id: string };
  const through = browser(gateway.baseUrl);
  expect((await signIn(through, "mailed@example.com"))[0]).toBe(200);
  expect(await whoIs(through)).toMatchObject({
    id: before.id,
    proven_by: ["mail", host.issuer],
  });
  expect((await signIn(browser(gateway.baseUrl), "mailed-later@example.com"))[0]).toBe(403);
  expect((await signIn(browser(gateway.baseUrl), "unverified@example.com"))[0]).toBe(403);
});

test("a session is a new one at each sign-in, whatever cookie the browser had", async () => {
  const at = browser(gateway.baseUrl);
  await signIn(at, "old@example.com");
  const one = at.cookie();
  await signIn(at, "old@example.com");
  expect(at.cookie()).not.toBe(one);
});
