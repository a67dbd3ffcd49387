import { expect, test } from "bun:test";
import { createTestDatabase } from "../../support/database.ts";

test("a gateway without a way to pay loads nothing of one, and neither does one that takes cards, before it is asked", async () => {
  const { url } = await createTestDatabase();
  const program = `
    const { startGateway } = await import("${import.meta.dir}/../../../src/server.ts");
    const { readConfig } = await import("${import.meta.dir}/../../../src/config.ts");
    const { createLog } = await import("${import.meta.dir}/../../../src/lib/log.ts");
    const config = readConfig({ ...process.env, PORT: "0" });
    const gateway = await startGateway(config, createLog({ level: "silent" }), { closingNoticeMs: 0 });
    await fetch(gateway.baseUrl + "/readyz");
    if (process.env.SENDS_MESSAGE) {
      const headers = { "Stripe-Signature": "t=1,v1=x" };
      await fetch(gateway.baseUrl + "/webhooks/stripe", { method: "POST", headers, body: "{}" });
    }
    const loaded = Object.keys(require.cache).filter((path) => /node_modules\\/(?:stripe|@x402|viem)\\//.test(path));
    console.log(loaded.length > 0);
    await gateway.stop();
    process.exit(0);`;
  const cards = {
    FEEDGATE_STRIPE_SECRET_KEY: "sk_test_0123456789",
    FEEDGATE_STRIPE_WEBHOOK_SECRET: "whsec_0123456789",
  };
  for (const [environment, isLoaded] of [
    [{}, false],
    [cards, false],
    // Or this would show nothing.
    [{ ...cards, SENDS_MESSAGE: "1" }, true],
  ] as const) {
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { ...process.env, DATABASE_URL: url, ...environment },
      stdout: "pipe",
      stderr: "inherit",
    });
    expect((await child.stdout.text()).trim()).toBe(String(isLoaded));
    await child.exited;
  }
});
