import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { shareTestGateway, startTestGateway, type TestGateway } from "../../support/gateway.ts";
import { type SmtpHost, startSmtpHost } from "../../support/smtp_host.ts";

let host: SmtpHost;
let gateway: TestGateway;

beforeAll(async () => {
  host = await startSmtpHost();
  gateway = await startTestGateway(
    {
      FEEDGATE_SMTP_URL: `smtp://127.0.0.1:${host.port}`,
      FEEDGATE_MAIL_FROM: "feeds@example.com",
    },
    { hasJobs: true },
  );
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

async function queue(address: string, lifetime = "10 minutes"): Promise<void> {
  await gateway.sql`select queue_mail(null, ${address}, 'A', 'text', '<p>html', ${lifetime})`;
}

const received = () => host.received.flatMap(({ to }) => to);

async function metrics(of: TestGateway): Promise<string> {
  const text = await (await fetch(`${of.baseUrl}/metrics`)).text();
  return [...text.matchAll(/^feedgate_mails\w*(?:\{.*\})? .*$/gm)].join("\n");
}

describe("a gateway with a mail server", () => {
  test("sends a queued mail as soon as it is woken", async () => {
    await queue("woken@example.org");
    gateway.gateway.services.mail?.wake();
    await gateway.gateway.services.mail?.idle();
    expect(received()).toContain("woken@example.org");
  });

  test("sends what nobody has woken it for by its job, and removes what expired", async () => {
    await queue("late@example.org", "-1 minute");
    await queue("job@example.org");
    while (!received().includes("job@example.org")) await Bun.sleep(20);
    await gateway.gateway.services.mail?.idle();
    expect(received()).not.toContain("late@example.org");
    expect(await gateway.sql`select from mails`).toHaveLength(0);
    const text = await metrics(gateway);
    expect(text).toContain('feedgate_mails_total{outcome="sent"} 2');
    expect(text).toContain('feedgate_mails_total{outcome="postponed"} 0');
    expect(text).toContain('feedgate_mails_total{outcome="refused"} 0');
    expect(text).toContain('feedgate_mails_total{outcome="expired"} 1');
    expect(text).toContain("feedgate_mails_waiting 0");
    expect(text).toContain("feedgate_mails_waiting_seconds_max 0");
  });
});

test("a gateway without one sends nothing, and has no metrics of mails", async () => {
  const other = await shareTestGateway();
  expect(other.gateway.services.mail).toBeUndefined();
  expect(await metrics(other)).toBe("");
  await other.stop();
});

test("a gateway without one does not load nodemailer", async () => {
  const script = `
    await import("./src/server.ts");
    await import("./src/cli/command_table.ts");
    const loaded = Object.keys(require.cache).filter((path) => path.includes("nodemailer"));
    console.log(JSON.stringify(loaded));`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe" });
  expect(JSON.parse(await new Response(child.stdout).text())).toEqual([]);
});
