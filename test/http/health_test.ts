import { afterAll, describe, expect, test } from "bun:test";
import { startTestGateway } from "../support/gateway.ts";

const gateway = await startTestGateway();
afterAll(() => gateway.stop());

describe("health", () => {
  test("healthz and readyz answer without a key", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      const response = await gateway.get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("x-request-id")).toBeTruthy();
    }
  });
  test("readyz asks the database once for all who ask meanwhile", async () => {
    const database = gateway.gateway.services.database as { row: unknown };
    const { row } = database;
    let pings = 0;
    const silent = Promise.withResolvers<void>();
    database.row = () => {
      pings += 1;
      return silent.promise;
    };
    const asked = Array.from({ length: 50 }, () => gateway.get("/readyz"));
    await Bun.sleep(100);
    // Who asks late waits no longer than who asked first.
    asked.push(gateway.get("/readyz"));
    await Bun.sleep(50);
    silent.resolve();
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200);
    expect(pings).toBe(1);
    database.row = row;
  });

  test("an answer that can't be written is 500 as a problem, too", async () => {
    const http = gateway.gateway.services.http as { isDraining: () => boolean };
    const { isDraining } = http;
    http.isDraining = () => {
      http.isDraining = isDraining;
      throw new Error("a fault of ours");
    };
    const response = await gateway.get("/healthz");
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: "INTERNAL", status: 500 });
  });

  test("an unknown route is 404, a known one with another method 405 with Allow", async () => {
    const missing = await gateway.get("/nothing", undefined, { "X-Request-Id": "mine" });
    expect(missing.status).toBe(404);
    expect(missing.headers.get("x-request-id")).toBe("mine");
    const long = await gateway.get("/nothing", undefined, { "X-Request-Id": "m".repeat(129) });
    expect(long.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await missing.json()).toMatchObject({
      code: "ROUTE_NOT_FOUND",
      status: 404,
      request_id: "mine",
    });
    const wrong = await fetch(`${gateway.baseUrl}/healthz`, { method: "DELETE" });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get("allow")).toBe("GET, HEAD");
    expect(wrong.headers.get("cache-control")).toBeNull();
    const keyed = await fetch(`${gateway.baseUrl}/v1/catalog`, { method: "DELETE" });
    expect([keyed.status, keyed.headers.get("cache-control")]).toEqual([405, "private, no-cache"]);
    expect((await gateway.get("/xwell-known/agent-skills/index.json")).status).toBe(404);
  });
});
