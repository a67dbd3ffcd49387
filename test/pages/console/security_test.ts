import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createLog } from "../../../src/lib/log.ts";
import { shareTestGateway, type TestGateway } from "../../support/gateway.ts";
import { cookieFrom, createAdmin, makeLink, pressLink, signIn, visitor } from "./support.ts";

const SESSION_PATHS = ["", "/feeds", "/accounts", "/catalog", "/earnings"];

let gateway: TestGateway;
let admin: string;
let account: string;
let readKey: string;

beforeAll(async () => {
  gateway = await shareTestGateway();
  admin = await createAdmin(gateway);
  account = await gateway.createAccount({ credits: 100, name: "Acme" });
  readKey = await gateway.createKey(account, "read");
});
afterAll(() => gateway.stop());

async function keyIdOf(key: string): Promise<string> {
  const rows = await gateway.sql`select key_id from api_keys where key_start = ${key.slice(0, 12)}`;
  return rows[0]?.key_id;
}

/** Whether a page is shown to the visitor, rather than the sign-in. */
async function isSignedIn(who: { get(path: string): Promise<Response> }): Promise<boolean> {
  const answer = await who.get("");
  return (await answer.text()).includes("Sign out");
}

describe("session", () => {
  test("the cookie is HttpOnly and SameSite=Strict, lasts 12 hours, and is stored as a hash only", async () => {
    const answer = await visitor(gateway.baseUrl).post("/sign-in", { key: readKey });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^feedgate_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const token = cookieFrom(answer).split("=")[1] ?? "none";
    const rows = await gateway.sql`select * from console_sessions`;
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(readKey);
  });

  test("under TLS the cookie is Secure, and its name says that only this host may set it", async () => {
    const secure = await gateway.startPeer({ FEEDGATE_BASE_URL: "https://feeds.example" });
    const local = `http://127.0.0.1:${secure.port}`;
    const answer = await visitor(local).post("/sign-in", { key: readKey });
    expect(answer.headers.get("set-cookie")).toMatch(/^__Host-feedgate_session=.*; Secure$/);
    // A cookie of the plain name is none there.
    const plain = cookieFrom(answer).replace("__Host-", "");
    expect(await isSignedIn(visitor(local, plain))).toBe(false);
    expect(await isSignedIn(visitor(local, cookieFrom(answer)))).toBe(true);
  });

  test("a sign-in gives a token of its own, whatever cookie came with it", async () => {
    const planted = `feedgate_session=${"x".repeat(43)}`;
    const answer = await visitor(gateway.baseUrl, planted).post("/sign-in", { key: readKey });
    expect(cookieFrom(answer)).not.toBe(planted);
    expect(await isSignedIn(visitor(gateway.baseUrl, planted))).toBe(false);
  });

  test("a session ends on every process with its key", async () => {
    const key = await gateway.createKey(account, "read");
    const peer = await gateway.startPeer();
    const here = await signIn(gateway.baseUrl, key);
    const there = visitor(peer.baseUrl, here.cookie);
    expect(await isSignedIn(there)).toBe(true);
    const revoked = await gateway.send(
      "POST",
      `/v1/operator/keys/${await keyIdOf(key)}/revoke`,
      admin,
      {},
    );
    expect(revoked.status).toBe(200);
    expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([false, false]);
  });

  test("a session ends on every process with its account's suspension, for good", async () => {
    const suspended = await gateway.createAccount({ name: "Suspended" });
    const who = await signIn(gateway.baseUrl, await gateway.createKey(suspended, "write"));
    const peer = await gateway.startPeer();
    const path = `/v1/operator/accounts/${suspended}/suspend`;
    expect((await gateway.send("POST", path, admin, { reason: "unpaid" })).status).toBe(200);
    expect(await isSignedIn(who)).toBe(false);
    expect(await isSignedIn(visitor(peer.baseUrl, who.cookie))).toBe(false);
    const resume = `/v1/operator/accounts/${suspended}/resume`;
    expect((await gateway.send("POST", resume, admin, {})).status).toBe(200);
    expect(await isSignedIn(who)).toBe(false);
  });

  test("signing out ends this session; everywhere ends all of the account, and those of links with their keys", async () => {
    const [one, two] = [
      await signIn(gateway.baseUrl, readKey),
      await signIn(gateway.baseUrl, readKey),
    ];
    const link = await makeLink(gateway, { admin, account, permission: "read" });
    const third = visitor(gateway.baseUrl, cookieFrom(await pressLink(link)));
    expect(await isSignedIn(third)).toBe(true);
    expect((await one.post("/sign-out", {})).status).toBe(303);
    expect([await isSignedIn(one), await isSignedIn(two)]).toEqual([false, true]);
    await two.post("/sign-out", { everywhere: "yes" });
    expect([await isSignedIn(two), await isSignedIn(third)]).toEqual([false, false]);
    const made = await gateway.sql`
      select revoked_at from api_keys
      where account_id = ${account} and name like 'Console%'`;
    expect(made.length).toBeGreaterThan(0);
    expect(made.every((row) => row.revoked_at !== null)).toBe(true);
    // The key that signed in is still good: it was not made for the session.
    expect((await gateway.get("/v1/account", readKey)).status).toBe(200);
  });

  test("a session that ended says so, also that a form was not saved, and the sign-in leads back to the page", async () => {
    const key = await gateway.createKey(account, "read");
    const who = await signIn(gateway.baseUrl, key);
    const admins = await signIn(gateway.baseUrl, admin);
    await admins.post("/keys", { act: "revoke", key_id: await keyIdOf(key), confirmed: "yes" });
    const path = "/catalog?q=a%20b&offset=5";
    const page = await who.get(path);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining("Your session has ended."),
    ]);
    const sent = await who.post(path, { act: "try" });
    const html = await sent.text();
    expect([sent.status, html]).toEqual([
      401,
      expect.stringContaining("Nothing was changed or saved"),
    ]);
    const next = html.match(/name="next" value="([^"]*)"/)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const back = await visitor(gateway.baseUrl).post("/sign-in", { key: readKey, next });
    expect(new URL(back.headers.get("location") ?? "", `${gateway.baseUrl}/console/`).href).toBe(
      `${gateway.baseUrl}/console${path}`,
    );
    const stranger = await (await visitor(gateway.baseUrl).get("/usage")).text();
    expect(stranger).toContain('name="next" value="/console/usage"');
    expect(stranger).not.toContain("has ended");
  });

  test("a sign-in leads to nothing but the consent and pages of the console", async () => {
    for (const next of [
      "https://evil.example",
      "//evil.example/console",
      "/console//evil.example",
      "/console/../../evil",
      "/console@evil.example",
      "/consoles",
      "/console/link/a-token-of-somebody-else",
      "/console/sign-out",
      "/console?a b",
      "/console?a\r\nSet-Cookie: a=b",
      "/v1/account",
    ]) {
      const answer = await visitor(gateway.baseUrl).post("/sign-in", { key: readKey, next });
      expect([next, answer.headers.get("location")]).toEqual([next, "../console"]);
    }
  });

  test("a session is over after 12 hours", async () => {
    const who = await signIn(gateway.baseUrl, readKey);
    await gateway.sql`
      update console_sessions set expires_at = now() where key_id = ${await keyIdOf(readKey)}`;
    expect(await isSignedIn(who)).toBe(false);
  });
});

describe("sign-in", () => {
  test("an eleventh failed try of a minute is 429, and a good key of another address is not affected", async () => {
    const own = await gateway.startPeer();
    const wrong = { key: `fg_read_${"0".repeat(38)}` };
    const tries: number[] = [];
    for (let tried = 0; tried < 11; tried++) {
      tries.push((await visitor(own.baseUrl).post("/sign-in", wrong)).status);
    }
    expect(tries).toEqual([...Array(10).fill(401), 429]);
    const limited = await visitor(own.baseUrl).post("/sign-in", wrong);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    // What was typed is not on the page.
    expect(await limited.text()).not.toContain(wrong.key);
  });

  test("a refused key is not shown again, and the page says why", async () => {
    const answer = await visitor(gateway.baseUrl).post("/sign-in", { key: "<b>not a key</b>" });
    const html = await answer.text();
    expect([answer.status, html.includes("not a key")]).toEqual([401, false]);
    expect(html).toContain("This gateway has no such key");
  });

  test("a revoked key and one of a suspended account can't sign in", async () => {
    const key = await gateway.createKey(account, "read");
    await gateway.sql`update api_keys set revoked_at = now() where key_id = ${await keyIdOf(key)}`;
    expect((await visitor(gateway.baseUrl).post("/sign-in", { key })).status).toBe(401);
  });
});

describe("one-time link", () => {
  test("a link shows whom it is for, and its button signs in once; after that it is 410 and sets no cookie", async () => {
    const link = await makeLink(gateway, { admin, account, permission: "read" });
    const shown = await fetch(link);
    const html = await shown.text();
    expect([shown.status, shown.headers.get("set-cookie")]).toEqual([200, null]);
    expect(html).toContain("Acme");
    expect(html).toContain("consumer");
    const pressed = await pressLink(link);
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "../../console"]);
    expect(await isSignedIn(visitor(gateway.baseUrl, cookieFrom(pressed)))).toBe(true);
    for (const later of [await fetch(link), await pressLink(link)]) {
      expect([later.status, later.headers.get("set-cookie")]).toEqual([410, null]);
    }
  });

  test("of many that press a link's button at once, one is signed in", async () => {
    const link = await makeLink(gateway, { admin, account, permission: "write" });
    const all = await Promise.all(Array.from({ length: 8 }, () => pressLink(link)));
    expect(all.filter((answer) => answer.headers.has("set-cookie"))).toHaveLength(1);
  });

  test("nothing but the button uses a link up: no image, preview, prefetch or form of another site", async () => {
    const link = await makeLink(gateway, { admin, account, permission: "read" });
    await fetch(link, { method: "HEAD" });
    await fetch(link, { headers: { "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "cross-site" } });
    await fetch(link, { headers: { "Sec-Purpose": "prefetch;prerender" } });
    await fetch(link, { headers: { "User-Agent": "Slackbot-LinkExpanding 1.0" } });
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { "sec-fetch-site": "same-site" }]) {
      const foreign = await pressLink(link, headers);
      expect([foreign.status, foreign.headers.get("set-cookie")]).toEqual([403, null]);
    }
    expect((await pressLink(link)).headers.has("set-cookie")).toBe(true);
  });

  test("a link that is opened in a session of somebody else says so, and leaves it as it is", async () => {
    const other = await gateway.createAccount({ name: "Other" });
    const who = await signIn(gateway.baseUrl, await gateway.createKey(other, "read"));
    const link = await makeLink(gateway, { admin, account, permission: "write" });
    const html = await (await fetch(link, { headers: { cookie: who.cookie } })).text();
    expect(html).toContain("You are signed in as Other (consumer)");
    expect(html).toContain("Acme");
    expect(await isSignedIn(who)).toBe(true);
  });

  test("a link is over after 15 minutes, and while its account is suspended", async () => {
    const old = await makeLink(gateway, { admin, account, permission: "read" });
    const rows = await gateway.sql`
      select extract(epoch from expires_at - now())::int as seconds
      from sign_in_links where account_id = ${account}`;
    expect(rows[0]?.seconds).toBeWithin(890, 901);
    await gateway.sql`
      update sign_in_links set expires_at = now() - interval '1 second'
      where account_id = ${account}`;
    expect([(await fetch(old)).status, (await pressLink(old)).status]).toEqual([410, 410]);
    const unpaid = await gateway.createAccount({ name: "Unpaid" });
    const link = await makeLink(gateway, { admin, account: unpaid, permission: "read" });
    await gateway.sql`update accounts set suspension_reason = 'unpaid' where account_id = ${unpaid}`;
    expect([(await fetch(link)).status, (await pressLink(link)).status]).toEqual([410, 410]);
    const again = `/v1/operator/accounts/${unpaid}/sessions`;
    const refused = await gateway.send("POST", again, admin, { permission: "read" });
    expect(refused.status).toBe(403);
  });

  test("a link is stored as a hash, and stands in no log and no Referer", async () => {
    const lines: string[] = [];
    const { startGateway } = await import("../../../src/server.ts");
    const { readConfig } = await import("../../../src/config.ts");
    const log = createLog({ level: "debug", write: (line) => void lines.push(line) });
    const config = readConfig({ PORT: "0", DATABASE_URL: gateway.databaseUrl });
    const logged = await startGateway(config, log, { closingNoticeMs: 0 });
    const link = await makeLink(gateway, { admin, account, permission: "read" });
    const { pathname } = new URL(link);
    const token = pathname.split("/").at(-1) ?? "none";
    expect(JSON.stringify(await gateway.sql`select * from sign_in_links`)).not.toContain(token);
    const shown = await fetch(logged.baseUrl + pathname);
    const answer = await pressLink(logged.baseUrl + pathname);
    for (const each of [shown, answer]) {
      expect(each.headers.get("referrer-policy")).toBe("no-referrer");
      expect(each.headers.get("cache-control")).toBe("no-store");
      expect(await each.text()).not.toContain(token);
    }
    const session = cookieFrom(answer).split("=")[1] ?? "none";
    await visitor(logged.baseUrl, cookieFrom(answer)).get("");
    await logged.stop();
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("\n")).not.toContain(token);
    expect(lines.join("\n")).not.toContain(session);
  });

  test("a customer's link and key are no operator's", async () => {
    for (const permission of ["read", "write"]) {
      const link = await makeLink(gateway, { admin, account, permission });
      const who = visitor(gateway.baseUrl, cookieFrom(await pressLink(link)));
      for (const path of ["/accounts", "/reviews", "/keys", "/money", "/audit"]) {
        expect([path, (await who.get(path)).status]).toEqual([path, 404]);
        const act = { act: "grant", confirmed: "yes" };
        expect([path, (await who.post(path, act)).status]).toEqual([path, 404]);
      }
    }
    const path = `/v1/operator/accounts/${account}/sessions`;
    const asked = await gateway.send("POST", path, admin, { permission: "admin" });
    expect(asked.status).toBe(422);
    const foreign = await gateway.send("POST", path, readKey, { permission: "read" });
    expect(foreign.status).toBe(403);
  });
});

describe("pages", () => {
  test("every page forbids frames, scripts of others, caches and referrers", async () => {
    const who = await signIn(gateway.baseUrl, admin);
    const answers = [
      await visitor(gateway.baseUrl).get(""),
      await visitor(gateway.baseUrl).get("/sign-in"),
      ...(await Promise.all(SESSION_PATHS.map((path) => who.get(path)))),
    ];
    for (const answer of answers) {
      const headers = Object.fromEntries(answer.headers);
      expect(headers).toMatchObject({
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
      });
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("form-action 'self'");
      expect(policy).not.toContain("unsafe-inline");
      const html = await answer.text();
      expect(html).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=|style="/);
      expect(html).not.toMatch(/(?:src|action)="(?:https?:)?\/\//);
    }
  });

  test("a form that another site sends does nothing", async () => {
    const who = await signIn(gateway.baseUrl, admin);
    const path = `/accounts/${account}/money`;
    const grant = { act: "grant", usd_added: "5", reason: "test" };
    const from = async (headers: Record<string, string>) =>
      (await who.post(path, grant, { "sec-fetch-site": "", ...headers })).status;
    const before = await balance();
    expect(await from({ "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await from({ "sec-fetch-site": "same-site" })).toBe(403);
    const plain = (origin: string) =>
      fetch(`${gateway.baseUrl}/console${path}`, {
        method: "POST",
        headers: { cookie: who.cookie, origin },
        body: new URLSearchParams(grant),
      });
    expect((await plain("https://evil.example")).status).toBe(403);
    expect((await plain("null")).status).toBe(403);
    const signOut = { "sec-fetch-site": "cross-site" };
    expect((await who.post("/sign-out", {}, signOut)).status).toBe(403);
    expect((await who.post("/sign-in", { key: readKey }, signOut)).status).toBe(403);
    expect(await balance()).toBe(before);
    expect(await isSignedIn(who)).toBe(true);
  });

  async function balance(): Promise<string> {
    const rows = await gateway.sql`
      select balance_nanos from accounts where account_id = ${account}`;
    return String(rows[0]?.balance_nanos);
  }

  test("FEEDGATE_CONSOLE=off takes the console away", async () => {
    const off = await gateway.startPeer({ FEEDGATE_CONSOLE: "off" });
    for (const path of ["", "/sign-in", "/accounts"]) {
      expect((await visitor(off.baseUrl).get(path)).status).toBe(404);
    }
    expect((await visitor(off.baseUrl).post("/sign-in", { key: readKey })).status).toBe(404);
  });
});
