import { afterEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { SmtpConfig } from "../../../src/config.ts";
import { openDelivery } from "../../../src/people/mail/open_delivery.ts";
import type { DeliveryError, OutgoingMail } from "../../../src/people/mail/outgoing_mail.ts";
import { codeMail } from "../../../src/people/mail/templates.tsx";
import {
  type SmtpHost,
  type SmtpHostOptions,
  smtpCertificate,
  startSmtpHost,
} from "../../support/smtp_host.ts";

const FROM = { name: "Exämple Feeds", address: "feeds@example.com" };
const CODE = "12345678";
const LOGIN = { user: "feeds@example.com", password: "s/e c?ret" };
const LOGIN_TEXT = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}@`;
/** On this machine, but not one of the names by which that is known. */
const OTHER_MACHINE = "127.0.0.2";

const hosts: SmtpHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop();
});

async function start(options?: SmtpHostOptions): Promise<SmtpHost> {
  const host = await startSmtpHost(options);
  hosts.push(host);
  return host;
}

function mailTo(address: string, content: Partial<OutgoingMail> = {}): OutgoingMail {
  const gateway = { baseUrl: "https://feeds.example.com", name: "Feedgate" };
  return {
    ...codeMail({ code: CODE, minutes: 10, gateway }),
    mailId: crypto.randomUUID(),
    address,
    ...content,
  };
}

async function deliver(
  smtpUrl: string,
  mail: OutgoingMail = mailTo("ada@example.org"),
  trial: SmtpConfig["trial"] = {},
): Promise<string> {
  const delivery = await openDelivery({ smtpUrl, from: FROM, trial });
  return delivery.deliver(mail);
}

function failureOf(delivered: Promise<string>): Promise<DeliveryError> {
  return delivered.then(
    (answer) => {
      throw new Error(`accepted: ${answer}`);
    },
    (error) => error,
  );
}

describe("delivery by SMTP", () => {
  test("is plain on this machine, and the answer is the server's", async () => {
    const host = await start();
    expect(await deliver(`smtp://127.0.0.1:${host.port}`)).toBe("250 queued");
    expect(host.received).toMatchObject([
      { from: FROM.address, to: ["ada@example.org"], isEncrypted: false },
    ]);
  });

  test("sends text and HTML, an encoded name, and marks the mail as automatic", async () => {
    const host = await start();
    const mail = mailTo("ada@example.org", { subject: "Invitation to Gözde’s Feeds" });
    await deliver(`smtp://127.0.0.1:${host.port}`, mail);
    const raw = host.received[0]?.raw ?? "";
    expect(raw).toContain("From: =?UTF-8?Q?Ex=C3=A4mple_Feeds?= <feeds@example.com>");
    expect(raw).toContain("To: ada@example.org\r\n");
    expect(raw).toMatch(/^Subject: =\?UTF-8\?[QB]\?\S+\?=/m);
    expect(raw).toContain(`Message-ID: <${mail.mailId}@example.com>`);
    expect(raw).toContain("Auto-Submitted: auto-generated");
    expect(raw).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(raw).toContain("Content-Type: text/plain; charset=utf-8");
    expect(raw).toContain("Content-Type: text/html; charset=utf-8");
    expect(raw).toContain(`\r\n\r\n${CODE}\r\n\r\n`);
    expect(raw).not.toContain("Reply-To");
  });

  test("no line break in a subject becomes a header", async () => {
    const host = await start();
    const subject = "Invitation to A\r\nBcc: eve@example.net\r\n\r\nBody";
    await deliver(`smtp://127.0.0.1:${host.port}`, mailTo("ada@example.org", { subject }));
    expect(host.received[0]?.to).toEqual(["ada@example.org"]);
    const [headers = ""] = host.received[0]?.raw.split("\r\n\r\n") ?? [];
    expect(headers).not.toMatch(/^Bcc:/im);
  });

  test("encrypts by STARTTLS if the server offers it, here with any certificate", async () => {
    const host = await start({ hasStartTls: true, login: LOGIN });
    await deliver(`smtp://${LOGIN_TEXT}127.0.0.1:${host.port}`);
    expect(host.received).toMatchObject([{ isEncrypted: true, user: LOGIN.user }]);
  });

  test("encrypts from the start by smtps, with a certificate that is trusted", async () => {
    const host = await start({ isSecure: true, login: LOGIN });
    const url = `smtps://${LOGIN_TEXT}localhost:${host.port}`;
    await deliver(url, undefined, { certificate: await smtpCertificate() });
    expect(host.received).toMatchObject([{ isEncrypted: true, user: LOGIN.user }]);
    const failure = await failureOf(deliver(url));
    expect(failure).toMatchObject({ isPermanent: false });
    expect(failure.message).toMatch(/^the connection to localhost:\d+ failed: .*certificate/);
    expect(host.received).toHaveLength(1);
  });

  test("to another machine, a certificate by STARTTLS is checked, too", async () => {
    const host = await start({ hasStartTls: true, host: OTHER_MACHINE });
    const failure = await failureOf(deliver(`smtp://${OTHER_MACHINE}:${host.port}`));
    expect(failure.message).toMatch(/certificate/);
    expect(host.received).toEqual([]);
  });

  test("to another machine, a password is never sent unencrypted", async () => {
    const host = await start({ login: LOGIN, host: OTHER_MACHINE });
    const failure = await failureOf(deliver(`smtp://${LOGIN_TEXT}${OTHER_MACHINE}:${host.port}`));
    expect(failure.message).toMatch(/^no encrypted connection to 127\.0\.0\.2:\d+: /);
    expect(failure.message).not.toContain(LOGIN.password);
    expect(host.received).toEqual([]);
  });

  test("a wrong password is named without it, and may be corrected", async () => {
    const host = await start({ login: LOGIN });
    const failure = await failureOf(deliver(`smtp://feeds:wrong-one@127.0.0.1:${host.port}`));
    expect(failure).toMatchObject({ isPermanent: false });
    expect(failure.message).toMatch(/^127\.0\.0\.1:\d+ refused the user or the password: 535 /);
    expect(failure.message).not.toContain("wrong-one");
  });

  test("a recipient that is refused for good is final, one that is refused for now is not", async () => {
    const text = `<ada@example.org> unknown; ${CODE}`;
    for (const code of [550, 450]) {
      const host = await start({ refuse: () => ({ code, text }) });
      const failure = await failureOf(deliver(`smtp://127.0.0.1:${host.port}`));
      expect(failure.isPermanent).toBe(code === 550);
      // Neither the address nor a code is repeated.
      expect(failure.message).toBe(
        `127.0.0.1:${host.port} refused the recipient: ${code} <…> unknown; …`,
      );
    }
  });

  test("a connection that breaks in the middle of the mail is a failure", async () => {
    const host = await start({ breaks: () => true });
    const html = "x".repeat(2_000_000);
    const mail = mailTo("ada@example.org", { html });
    const failure = await failureOf(deliver(`smtp://127.0.0.1:${host.port}`, mail));
    expect(failure).toMatchObject({ name: "DeliveryError", isPermanent: false });
    expect(host.received).toEqual([]);
  });

  test("a server that is not there, or has no name, is named", async () => {
    const failure = await failureOf(deliver("smtp://127.0.0.1:1"));
    expect(failure.message).toBe("127.0.0.1:1 accepts no connections");
    const nowhere = await failureOf(deliver("smtp://mail.invalid"));
    expect(nowhere.message).toStartWith("mail.invalid:587 can't be found");
  });

  test("a server that says nothing, or is slow, takes no longer than allowed", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const failure = await failureOf(
      deliver(`smtp://127.0.0.1:${port}`, undefined, { answerMsMax: 50 }),
    );
    expect(failure.message).toBe(`127.0.0.1:${port} did not respond in time`);
    silent.close();
    const release = Promise.withResolvers<void>();
    const slow = await start({ beforeAccept: () => release.promise });
    const late = await failureOf(
      deliver(`smtp://127.0.0.1:${slow.port}`, undefined, { deliveryMsMax: 200 }),
    );
    expect(late.message).toBe(`127.0.0.1:${slow.port} did not respond in time`);
    release.resolve();
  });
});
