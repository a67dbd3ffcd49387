import { afterAll, describe, expect, test } from "bun:test";
import { createSpans } from "../../../src/api/operations/spans.ts";
import { ConfigError, readConfig } from "../../../src/config.ts";
import { createCall } from "../../../src/http/call.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[];
  readonly status: { code: number };
}

const texts: string[] = [];
const collector = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    if (new URL(request.url).pathname !== "/v1/traces") return new Response(null, { status: 404 });
    texts.push(await request.text());
    return Response.json({});
  },
});
afterAll(() => collector.stop(true));
const OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${collector.port}/`;

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const parentOf = (sampled: "00" | "01") => ({
  traceparent: `00-${TRACE}-b7ad6b7169203331-${sampled}`,
});

const sent = (): readonly Span[] =>
  texts.flatMap((text) =>
    JSON.parse(text).resourceSpans.flatMap(
      (each: { scopeSpans: { spans: Span[] }[] }) => each.scopeSpans[0]?.spans,
    ),
  );

/** The spans of a call whose caller recorded its own span, one whose caller did not, and one without a caller. */
async function spansOf(environment: Record<string, string>): Promise<readonly Span[]> {
  texts.length = 0;
  const { tracing } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...environment });
  const spans = tracing && createSpans(tracing);
  for (const headers of [parentOf("01"), parentOf("00"), {}]) {
    const call = createCall(new Request("http://localhost/healthz", { headers }), "/healthz");
    spans?.record({ call, route: "/healthz", status: 200, ms: 1 });
  }
  await spans?.end();
  return sent();
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe("a span for each response", () => {
  test("has the caller's trace, the route, the status and ids, and no key or query", async () => {
    const gateway = await startTestGateway({ OTEL_EXPORTER_OTLP_ENDPOINT });
    const account = await gateway.createAccount();
    const { slug } = await seedFeed(gateway, account, { type: "singleton", rows: [{ a: 1 }] });
    const key = await gateway.createKey(account, "read");
    await gateway.get(`/v1/feed/${slug}?jsonpath=$.a`, key, parentOf("01"));
    await gateway.get("/v1/feed/none", key);
    await gateway.stop();
    expect(texts.join()).not.toContain(key);
    expect(texts.join()).not.toContain("jsonpath");
    const [read, none, ...others] = sent();
    expect(others).toEqual([]);
    expect(read).toMatchObject({
      name: "GET /v1/feed/{id}",
      traceId: TRACE,
      parentSpanId: "b7ad6b7169203331",
      kind: 2,
      status: { code: 0 },
    });
    expect(attributesOf(read as Span)).toMatchObject({
      "http.request.method": "GET",
      "http.route": "/v1/feed/{id}",
      "http.response.status_code": 200,
      "feedgate.request_id": expect.any(String),
      "feedgate.feed_id": expect.any(String),
    });
    const { startTimeUnixNano: start, endTimeUnixNano: end } = read as Span;
    expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
    expect(none?.traceId).not.toBe(TRACE);
    expect(attributesOf(none as Span)).toMatchObject({
      "http.response.status_code": 404,
      "feedgate.code": "FEED_NOT_FOUND",
    });
    const [{ resource }] = JSON.parse(texts[0] ?? "").resourceSpans;
    expect(resource.attributes).toContainEqual({
      key: "service.name",
      value: { stringValue: "feedgate" },
    });
  });

  test.each([
    [{ OTEL_SDK_DISABLED: "true" }, 0],
    [{ OTEL_TRACES_EXPORTER: "none" }, 0],
    [{}, 2],
    [{ OTEL_TRACES_SAMPLER: "always_on" }, 3],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, 0],
    [{ OTEL_TRACES_SAMPLER: "parentbased_always_off" }, 1],
    [{ OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0" }, 0],
  ] as const)("is recorded as %p says", async (environment, recorded) => {
    expect(await spansOf(environment)).toHaveLength(recorded);
  });

  test("holds up nothing if the collector is not there", async () => {
    expect(await spansOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:1/x" })).toEqual(
      [],
    );
  });
});

test("variables of traces that can't be read are mistakes", () => {
  expect(() =>
    readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: "collector",
      OTEL_TRACES_SAMPLER: "some",
      OTEL_TRACES_SAMPLER_ARG: "2",
    }),
  ).toThrow(ConfigError);
  expect(readConfig({}).tracing).toBeUndefined();
});
