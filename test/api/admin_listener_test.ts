import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SIGN_IN_TRIES } from "../../src/limits.ts";
import { operatorOf } from "../cli/support.ts";
import { cookieFrom, pressLink, signIn, visitor } from "../pages/console/support.ts";
import { callOperator } from "../routes/operator/support.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";
import { insertAdminKey } from "../support/insert_key.ts";

const TOKEN = "scrape-me-0123456789";

let gateway: TestGateway;
let adminUrl: string;
let admin: { readonly key: string };

beforeAll(async () => {
  gateway = await startTestGateway({ FEEDGATE_ADMIN_PORT: "0", FEEDGATE_METRICS_TOKEN: TOKEN });
  adminUrl = `http://127.0.0.1:${gateway.gateway.adminPort}`;
  admin = await insertAdminKey(gateway);
});
afterAll(() => gateway.stop());

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describe("a listener for operators", () => {
  test("has the operator's routes and /metrics; the public one answers as if there were none", async () => {
    const accounts = await callOperator(adminUrl, admin.key, "/accounts");
    expect(accounts.status).toBe(200);
    expect((await fetch(`${adminUrl}/metrics`, bearer(TOKEN))).status).toBe(200);
    const head = await fetch(`${adminUrl}/metrics`, { method: "HEAD", ...bearer(TOKEN) });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const made = { method: "POST", body: { name: "By the operators' listener" } } as const;
    expect((await callOperator(adminUrl, admin.key, "/accounts", made)).status).toBe(201);
    const wrong = await fetch(`${adminUrl}/v1/operator/stats`, { method: "PUT" });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect((await fetch(`${adminUrl}/no-such-route-at-all`)).status).toBe(404);
    const unknown = await problemOf(await fetch(`${gateway.baseUrl}/no-such-route-at-all`));
    for (const path of ["/v1/operator/accounts", "/api/v1/operator/stats", "/metrics"]) {
      for (const method of ["GET", "POST", "HEAD"]) {
        const response = await fetch(gateway.baseUrl + path, { method, ...bearer(admin.key) });
        expect([path, method, response.status]).toEqual([path, method, 404]);
        expect(response.headers.get("allow")).toBeNull();
        if (method === "HEAD") continue;
        const { code, body } = await problemOf(response);
        expect({ code, detail: body.detail }).toEqual({
          code: "ROUTE_NOT_FOUND",
          detail: unknown.body.detail,
        });
      }
    }
    for (const path of ["/v1/%6fperator/accounts", "/v1/x/../operator/accounts", "//metrics"]) {
      const response = await fetch(gateway.baseUrl + path, bearer(admin.key));
      expect([path, response.status]).toEqual([path, 404]);
      await response.body?.cancel();
    }
    // A mistyped path is not answered with the name of one that is not there.
    const near = await problemOf(await fetch(`${gateway.baseUrl}/metrix`));
    expect(near.body.detail).not.toContain("/metrics");
  });

  test("both have probes and public routes, and both end with the gateway", async () => {
    for (const url of [gateway.baseUrl, adminUrl]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/v1/catalog`)).status).toBe(401);
    }
    const peer = await gateway.startPeer({});
    const url = `http://127.0.0.1:${peer.adminPort}/healthz`;
    expect((await fetch(url)).status).toBe(200);
    await peer.stop();
    expect(fetch(url)).rejects.toThrow();
  });

  test("without one, the public listener has all", async () => {
    const peer = await gateway.startPeer({ FEEDGATE_ADMIN_PORT: "", FEEDGATE_METRICS_TOKEN: "" });
    expect(peer.adminPort).toBeUndefined();
    expect((await fetch(`${peer.baseUrl}/metrics`)).status).toBe(200);
    expect((await callOperator(peer.baseUrl, admin.key, "/accounts")).status).toBe(200);
  });

  test("a port that is in use ends the start with its variable, and frees the other", async () => {
    const start = gateway.startPeer({ FEEDGATE_ADMIN_PORT: String(gateway.gateway.adminPort) });
    expect(start).rejects.toThrow(/in use: .*FEEDGATE_ADMIN_PORT/);
    expect(gateway.startPeer({ FEEDGATE_ADMIN_HOST: "192.0.2.1" })).rejects.toThrow(
      /^FEEDGATE_ADMIN_HOST must be an address of this machine/,
    );
    expect((await fetch(`${gateway.baseUrl}/healthz`)).status).toBe(200);
  });
});

describe("the console beside a listener for operators", () => {
  /** An operator's pages that no customer has. */
  const OPERATORS_OWN = ["/audit", "/keys", "/accounts", "/reviews", "/find"];

  test("signs customers in at both listeners, by key and by link", async () => {
    const account = await gateway.createAccount({ name: "Customer" });
    for (const url of [gateway.baseUrl, adminUrl]) {
      for (const permission of ["read", "write"] as const) {
        const customer = await signIn(url, await gateway.createKey(account, permission));
        expect((await customer.get("")).status).toBe(200);
        const made = await callOperator(adminUrl, admin.key, `/accounts/${account}/sessions`, {
          method: "POST",
          body: { permission },
        });
        const { url: link } = (await made.json()) as { url: string };
        expect(link).toStartWith(`${gateway.baseUrl}/console/link/`);
        const opened = await pressLink(link.replace(gateway.baseUrl, url));
        expect(opened.status).toBe(303);
        const page = await visitor(url, cookieFrom(opened)).get("");
        expect(await page.text()).toContain("Customer");
      }
    }
  });

  test("signs operators in at their own listener alone: by key, by link, by cookie", async () => {
    const atPublic = visitor(gateway.baseUrl);
    const refused = await atPublic.post("/sign-in", { key: admin.key });
    expect([refused.status, refused.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await refused.text()).toContain("Operators sign in at a different address");
    const operator = await signIn(adminUrl, admin.key);
    for (const path of ["", ...OPERATORS_OWN]) {
      expect([path, (await operator.get(path)).status]).toEqual([path, 200]);
    }
    // Cookies know no ports, so a browser sends it to both.
    const stray = visitor(gateway.baseUrl, operator.cookie);
    expect(await (await stray.get("")).text()).toContain("Sign in");
    const acted = await stray.post("", { act: "grant", confirmed: "yes" });
    expect(acted.status).toBe(401);
    for (const path of OPERATORS_OWN) {
      for (const answer of [await stray.get(path), await stray.post(path, { act: "grant" })]) {
        expect([path, answer.status]).toEqual([path, 404]);
      }
    }
    const consent = await fetch(`${gateway.baseUrl}/oauth/authorize?client_id=x`, {
      headers: { cookie: operator.cookie, "sec-fetch-site": "same-origin" },
      redirect: "manual",
    });
    expect(consent.status).toBe(303);
    expect(consent.headers.get("location")).toStartWith(`${gateway.baseUrl}/console/sign-in?`);
  });

  test("a link for an operator leads to their listener, and the public one leaves it as it is", async () => {
    const { stdout } = await operatorOf(gateway.databaseUrl).run(["console", "--json"], {
      FEEDGATE_ADMIN_PORT: String(gateway.gateway.adminPort),
    });
    const { url } = JSON.parse(stdout) as { url: string };
    expect(url).toStartWith(`${adminUrl}/console/link/`);
    const stray = url.replace(adminUrl, gateway.baseUrl);
    for (const answer of [await fetch(stray), await pressLink(stray)]) {
      expect([answer.status, answer.headers.get("set-cookie")]).toEqual([410, null]);
    }
    const opened = await pressLink(url);
    expect(opened.status).toBe(303);
    const operator = visitor(adminUrl, cookieFrom(opened));
    const account = await gateway.createAccount({ name: "Granted" });
    const granted = await operator.post(`/accounts/${account}/money`, {
      act: "grant",
      usd_added: "5",
      reason: "by the console",
      reference: "",
    });
    expect(granted.status).toBe(303);
  });

  test("keeps the sign-in of agents' customers, and the page that says how to pay", async () => {
    const account = await gateway.createAccount({ credits: 5, name: "Owner" });
    const [client] = await gateway.sql`
      insert into connect_clients (client_name, redirect_uris)
      values ('Agent', '{https://agent.example/back}') returning client_id`;
    const customer = await signIn(gateway.baseUrl, await gateway.createKey(account, "read"));
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client?.client_id,
      redirect_uri: "https://agent.example/back",
      code_challenge: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
      code_challenge_method: "S256",
      resource: `${gateway.baseUrl}/mcp/connect`,
    });
    const headers = { cookie: customer.cookie };
    for (const url of [gateway.baseUrl, adminUrl]) {
      const consent = await fetch(`${url}/oauth/authorize?${query}`, { headers });
      expect([consent.status, await consent.text()]).toEqual([
        200,
        expect.stringContaining("Agent"),
      ]);
      const billing = await fetch(`${url}/billing`, { headers });
      expect(await billing.text()).toContain("Owner");
    }
  });

  test("counts failed sign-ins at the operators' listener by address, too", async () => {
    const stranger = visitor(adminUrl);
    const statuses: number[] = [];
    for (let tries = 0; tries <= SIGN_IN_TRIES; tries++) {
      statuses.push((await stranger.post("/sign-in", { key: "no key" })).status);
    }
    expect(statuses.at(0)).toBe(401);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("FEEDGATE_METRICS_TOKEN", () => {
  test("is asked of whoever reads /metrics, and of nobody else", async () => {
    const url = `${adminUrl}/metrics`;
    const none = await fetch(url);
    expect(none.headers.get("www-authenticate")).toStartWith("Bearer");
    expect(await problemOf(none)).toMatchObject({ status: 401, code: "KEY_REQUIRED" });
    for (const wrong of ["x", `${TOKEN}x`, TOKEN.slice(1), admin.key]) {
      const refused = await problemOf(await fetch(url, bearer(wrong)));
      expect(refused).toMatchObject({ status: 401, code: "KEY_INVALID" });
    }
    const given = await fetch(url, bearer(TOKEN));
    expect(await given.text()).toContain("feedgate_build_info");
    expect((await fetch(`${adminUrl}/healthz`)).status).toBe(200);
  });
});
