import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callOperator, insertAdminKey } from "../admin/support.ts";
import { problemOf, startTestGateway, type TestGateway } from "../support/gateway.ts";

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
