/**
 * The dashboard and the alert rules name only metrics that the program has: quick, from the sources. In
 * `test/system/dashboard_test.ts`, a Prometheus evaluates them on what gateways report.
 */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { Glob } from "bun";

const ROOT = resolve(import.meta.dir, "../..");
const METRIC = /\bfeedgate_[a-z0-9_]+/g;
/** What Prometheus derives from a histogram. */
const SUFFIX = /_(?:bucket|sum|count)$/;

/** Metrics are registered by their whole names. */
async function metricsOfSources(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const path of new Glob("src/**/*.ts").scanSync(ROOT)) {
    const text = await Bun.file(join(ROOT, path)).text();
    for (const [, name = ""] of text.matchAll(/["'`](feedgate_[a-z0-9_]+)["'`]/g)) names.add(name);
  }
  return names;
}

test.each(["prometheus/alerts.yaml", "grafana/dashboard.json"])(
  "each metric that %s names is one of the program",
  async (path) => {
    const known = await metricsOfSources();
    const text = await Bun.file(join(ROOT, "src/deploy", path)).text();
    const named = new Set([...text.matchAll(METRIC)].map(([name]) => name));
    expect(named.size).toBeGreaterThan(10);
    const unknown = [...named].filter(
      (name) => !known.has(name) && !known.has(name.replace(SUFFIX, "")),
    );
    expect(unknown).toEqual([]);
  },
);
