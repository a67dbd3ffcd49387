import { expect, test } from "bun:test";
import { createEndpoint } from "../../src/http/endpoint.ts";
import { Problem } from "../../src/http/errors.ts";
import { Metrics } from "../../src/http/metrics.ts";
import { createLog } from "../../src/lib/log.ts";
import { createPace } from "../../src/lib/pace.ts";

test("createEndpoint sends refusals in turn, and Retry-After says twice how long the line is", async () => {
  const endpoint = createEndpoint(
    {
      baseUrl: () => "http://localhost",
      isDraining: () => false,
      cors: undefined,
      log: createLog({ level: "silent" }),
      metrics: new Metrics(),
      refusals: createPace({ perSecond: 10, atOnceMax: 1, waitSecondsMax: 5, waitingMax: 100 }),
    },
    { route: "/v1/feed/{id}", isKeyed: true },
    () => {
      throw new Problem("UNAVAILABLE", { detail: "Too many.", headers: { "Retry-After": "1" } });
    },
  );
  const startMs = performance.now();
  const refused = await Promise.all(
    Array.from({ length: 9 }, async () => {
      const response = await endpoint(new Request("http://localhost/v1/feed/x"));
      const { retry_after_ms } = (await response.json()) as { retry_after_ms?: number };
      const seconds = response.headers.get("retry-after");
      return { seconds, retry_after_ms, ms: performance.now() - startMs };
    }),
  );
  expect(refused[0]).toMatchObject({ seconds: "1" });
  expect(refused[0]?.ms).toBeLessThan(refused[1]?.ms as number);
  // Seven are in line before it, ten a second.
  expect(refused[8]).toMatchObject({ seconds: "2", retry_after_ms: 2_000 });
  expect(refused[8]?.ms).toBeGreaterThan(650);
});
