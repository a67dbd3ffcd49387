import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "../support/folders.ts";
import { freePort } from "../support/free_port.ts";
import { type SmtpHost, type SmtpHostOptions, startSmtpHost } from "../support/smtp_host.ts";
import { failed, refused, runFeedgate } from "./support.ts";

let host: SmtpHost | undefined;
afterEach(() => host?.stop());

const LOGIN = { user: "feeds", password: "SECRET" };

/** A folder without a database, which the command does not need. */
function settings(port: number, login = ""): Record<string, string> {
  return {
    FEEDGATE_DATA_DIR: join(temporaryFolder(), "none"),
    FEEDGATE_SMTP_URL: `smtp://${login}127.0.0.1:${port}`,
    FEEDGATE_MAIL_FROM: "Example Feeds <feeds@example.com>",
  };
}

async function start(options?: SmtpHostOptions): Promise<SmtpHost> {
  host = await startSmtpHost(options);
  return host;
}

describe("mail test", () => {
  test("sends a mail, and prints what the server answered", async () => {
    const { port, received } = await start();
    const run = await runFeedgate(["mail", "test", " Ada@Example.ORG "], settings(port));
    expect(run).toEqual({
      code: 0,
      stdout: "The mail server accepted the message to Ada@example.org: 250 queued\n",
      stderr: "",
    });
    expect(received).toMatchObject([{ from: "feeds@example.com", to: ["Ada@example.org"] }]);
    expect(received[0]?.raw).toContain("Subject: Test message from Feedgate\r\n");
    const json = await runFeedgate(["mail", "test", "ada@example.org", "--json"], settings(port));
    expect(JSON.parse(json.stdout)).toEqual({ address: "ada@example.org", answer: "250 queued" });
  });

  test("says in one sentence what failed, without the password", async () => {
    const { port } = await start({ login: LOGIN });
    const wrong = await runFeedgate(
      ["mail", "test", "ada@example.org"],
      settings(port, "feeds:SECRE@"),
    );
    refused(wrong, `feedgate: 127.0.0.1:${port} refused the user or the password: 535 `);
    expect(wrong.stderr).not.toContain("SECRE");
    const free = freePort();
    const down = await runFeedgate(["mail", "test", "ada@example.org"], settings(free));
    refused(down, `127.0.0.1:${free} accepts no connections`);
  });

  test("says what the server says of a recipient, as a terminal may show it", async () => {
    const { port } = await start({ refuse: () => ({ code: 550, text: "no\u202e such user" }) });
    const run = await runFeedgate(["mail", "test", "ada@example.org"], settings(port));
    refused(run, `127.0.0.1:${port} refused the recipient: 550 no\\u202e such user`);
  });

  test("needs settings, and an address", async () => {
    const { FEEDGATE_DATA_DIR } = settings(1);
    const off = await runFeedgate(["mail", "test", "ada@example.org"], { FEEDGATE_DATA_DIR });
    refused(off, "mail is not configured: set FEEDGATE_SMTP_URL and FEEDGATE_MAIL_FROM");
    const wrong = await runFeedgate(["mail", "test", "ada"], settings(1));
    failed(wrong, 2, "ADDRESS must be an email address such as ada@example.com");
  });
});
