import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

/** Those that need no fixture tools, prompts, completions, subscriptions or tasks. */
const SCENARIOS = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "sep-2164-resource-not-found",
  "server-sse-multiple-streams",
  "http-header-validation",
  "dns-rebinding-protection",
];
const COMMAND = Bun.fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

for (const scenario of SCENARIOS) {
  test(`the MCP endpoint conforms to the scenario ${scenario}`, async () => {
    const url = `${gateway.baseUrl}/mcp`;
    const child = Bun.spawn(
      [process.execPath, COMMAND, "server", "--url", url, "--scenario", scenario],
      { stdout: "pipe", stderr: "pipe" },
    );
    const [output, errors] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect({ code: await child.exited, output: output + errors }).toMatchObject({ code: 0 });
    expect(output).toContain("0 failed");
  });
}
