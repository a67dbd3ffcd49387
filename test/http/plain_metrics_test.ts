import { expect, test } from "bun:test";
import { Metrics } from "../../src/http/metrics.ts";

test("Metrics: every answer is counted and observed once, however many and however often it is asked", async () => {
  const metrics = new Metrics({ textMs: 0 });
  const answered = (status: number, seconds: number, route = "/a") =>
    metrics.answered({ route, status, seconds });
  const other = (status: number, seconds: number) => answered(status, seconds, "/b");
  const lines = async () => (await metrics.text()).split("\n");
  for (let answer = 0; answer < 700; answer++) answered(200, 0.003);
  expect(await lines()).toContain('feedgate_http_request_duration_seconds_count{route="/a"} 700');
  for (let answer = 0; answer < 700; answer++) answered(answer % 7 === 0 ? 429 : 200, 0.03);
  other(200, 7);
  // On a bound, and over all of them.
  other(200, 0.25);
  other(200, 11);
  await metrics.text();
  const told = await lines();
  for (const line of [
    'feedgate_http_requests_total{route="/a",status="200"} 1300',
    'feedgate_http_requests_total{route="/a",status="429"} 100',
    'feedgate_http_requests_total{route="/b",status="200"} 3',
    'feedgate_http_request_duration_seconds_count{route="/a"} 1400',
    'feedgate_http_request_duration_seconds_bucket{le="0.005",route="/a"} 700',
    'feedgate_http_request_duration_seconds_bucket{le="0.1",route="/b"} 0',
    'feedgate_http_request_duration_seconds_bucket{le="0.25",route="/b"} 1',
    'feedgate_http_request_duration_seconds_bucket{le="5",route="/b"} 1',
    'feedgate_http_request_duration_seconds_bucket{le="10",route="/b"} 2',
    'feedgate_http_request_duration_seconds_bucket{le="+Inf",route="/b"} 3',
    'feedgate_http_request_duration_seconds_sum{route="/b"} 18.25',
    "# TYPE feedgate_http_request_duration_seconds histogram",
  ]) {
    expect(told).toContain(line);
  }
});
