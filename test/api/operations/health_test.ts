import { afterAll, describe, expect, test } from "bun:test";
import { startTestGateway } from "../../support/gateway.ts";

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
});

test("an answer has the request's own X-Request-Id, unless that is too long", async () => {
  const own = await gateway.get("/nothing", undefined, { "X-Request-Id": "mine" });
  expect(own.headers.get("x-request-id")).toBe("mine");
  expect(await own.json()).toMatchObject({ request_id: "mine" });
  const long = await gateway.get("/nothing", undefined, { "X-Request-Id": "m".repeat(129) });
  expect(long.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});
