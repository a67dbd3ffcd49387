/** The alert rules and the Prometheus configuration, as `promtool` sees them. */
import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { startTestGateway } from "../../support/gateway.ts";

const ROOT = resolve(import.meta.dir, "../../..");
const FOLDER = join(ROOT, "src/deploy/prometheus");
const PROMTOOL = Bun.which("promtool");
if (PROMTOOL === null) console.log("skipped: promtool (Debian: prometheus) is not installed");

/** Its exit code and all that it says. */
function promtool(argv: readonly string[], input = "") {
  const { status, stdout, stderr } = spawnSync(PROMTOOL ?? "", argv, { input, encoding: "utf8" });
  return { status, text: stdout + stderr };
}

test.skipIf(PROMTOOL === null)("the configuration and its alert rules are whole", () => {
  const { status, text } = promtool(["check", "config", join(FOLDER, "prometheus.yaml")]);
  expect({ status, text }).toMatchObject({ status: 0, text: expect.stringContaining("SUCCESS") });
});

test.skipIf(PROMTOOL === null)(
  "each alert fires when it should, and none while all is well",
  async () => {
    const tests = join(import.meta.dir, "alerts_test.yaml");
    const { status, text } = promtool(["test", "rules", tests]);
    expect({ status, text }).toMatchObject({ status: 0 });
    const rules = await Bun.file(join(FOLDER, "alerts.yaml")).text();
    const tested = await Bun.file(tests).text();
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !tested.includes(`"${name}"`))).toEqual([]);
  },
);

test.skipIf(PROMTOOL === null)("Prometheus' own rules for metrics are kept", async () => {
  const gateway = await startTestGateway();
  const metrics = await (await gateway.get("/metrics")).text();
  await gateway.stop();
  expect(promtool(["check", "metrics"], metrics)).toEqual({ status: 0, text: "" });
});
