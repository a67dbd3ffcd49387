import { afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { MailConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/lib/log.ts";
import { type MailOutcome, MailSender } from "../../../src/people/mail/mail_sender.ts";
import { codeMail } from "../../../src/people/mail/templates.tsx";
import { connect } from "../../../src/postgres/client/connect.ts";
import { createDatabase, type Database } from "../../../src/postgres/client/database.ts";
import { createTestDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free_port.ts";
import { type SmtpHost, type SmtpHostOptions, startSmtpHost } from "../../support/smtp_host.ts";

const CODE = "12345678";
const FROM = { name: "Example Feeds", address: "feeds@example.com" };
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

let database: Database;
const hosts: SmtpHost[] = [];
const senders: MailSender[] = [];
let lines: string[] = [];

beforeAll(async () => {
  const { url } = await createTestDatabase();
  database = createDatabase(connect({ url }, { connectionsMax: 4, statementTimeoutMs: 0 }));
});
afterEach(async () => {
  for (const sender of senders.splice(0)) await sender.stop();
  for (const host of hosts.splice(0)) await host.stop();
  await database.connections`delete from mails`;
  lines = [];
});

async function start(options?: SmtpHostOptions): Promise<SmtpHost> {
  const host = await startSmtpHost(options);
  hosts.push(host);
  return host;
}

function senderTo(
  port: number,
  trial: object = {},
  { onSent, through = database }: { onSent?: () => void; through?: Database } = {},
): MailSender {
  const config: MailConfig = { smtpUrl: `smtp://127.0.0.1:${port}`, from: FROM, trial };
  const log = createLog({
    level: "debug",
    isReadable: false,
    write: (line) => void lines.push(line),
  });
  const sender = new MailSender({ config, database: through, log, onSent });
  senders.push(sender);
  return sender;
}

async function queue(address: string, lifetime = "10 minutes"): Promise<string> {
  const gateway = { baseUrl: "https://feeds.example.com", name: "Feedgate" };
  const { subject, text, html } = codeMail({ code: CODE, minutes: 10, gateway });
  const row = await database.row("queue_mail", {
    person_id: null,
    address,
    subject,
    body_text: text,
    body_html: html,
    lifetime,
  });
  return row?.mail_id ?? "";
}

/** As long as this after now, in RFC 3339. */
const later = (ms: number) => new Date(Date.now() + ms).toISOString();

async function sendAll(sender: MailSender, now?: string): Promise<void> {
  sender.wake(now);
  await sender.idle();
}

/** What waits, with the time of the next attempt in ms since the epoch. */
async function waiting() {
  return await database.connections<{ attempts: number; last_error: string; next_ms: number }[]>`
    select attempts, last_error, (extract(epoch from next_at) * 1000)::float8 as next_ms
    from mails
    order by created_at`;
}

const countsOf = (sender: MailSender) =>
  Object.fromEntries([...sender.counts].filter(([, count]) => count > 0)) as Partial<
    Record<MailOutcome, number>
  >;

describe("MailSender", () => {
  test("sends what is queued at once, and forgets it", async () => {
    const host = await start();
    const sender = senderTo(host.port);
    for (let place = 0; place < 10; place += 1) await queue(`ada${place}@example.org`);
    await sendAll(sender);
    expect(host.received.map(({ to }) => to[0]).sort()).toEqual(
      Array.from({ length: 10 }, (_, place) => `ada${place}@example.org`),
    );
    expect(await waiting()).toHaveLength(0);
    expect(countsOf(sender)).toEqual({ sent: 10 });
  });

  test("a mail that is queued while others are sent does not wait for the next turn", async () => {
    const host = await start();
    const queued: Promise<unknown>[] = [];
    const sender: MailSender = senderTo(
      host.port,
      {},
      {
        onSent() {
          if (queued.length > 4) return;
          queued.push(queue(`next${queued.length}@example.org`).then(() => sender.wake()));
        },
      },
    );
    await queue("first@example.org");
    sender.wake();
    while (host.received.length < 6) await Bun.sleep(5);
    await Promise.all(queued);
    await sender.idle();
    expect(await waiting()).toHaveLength(0);
  });

  test("a mail that is queued while all look for others, and find none, is found", async () => {
    const host = await start();
    const gate = Promise.withResolvers<void>();
    const through: Database = {
      ...database,
      async rows(name, parameters) {
        const rows = await database.rows(name, parameters);
        await gate.promise;
        return rows;
      },
    };
    const sender = senderTo(host.port, {}, { through });
    for (let place = 0; place < 10; place += 1) sender.wake();
    // By now, they have found none, but don't know it yet.
    await Bun.sleep(100);
    await queue("ada@example.org");
    sender.wake();
    gate.resolve();
    await sender.idle();
    expect(host.received).toHaveLength(1);
  });

  test("two senders at once send each mail once", async () => {
    const host = await start();
    const both = [senderTo(host.port), senderTo(host.port)];
    for (let place = 0; place < 20; place += 1) await queue(`ada${place}@example.org`);
    await Promise.all(both.map((sender) => sendAll(sender)));
    const recipients = host.received.map(({ to }) => to[0]);
    expect(recipients).toHaveLength(20);
    expect(new Set(recipients).size).toBe(20);
    // Each took part.
    for (const sender of both) expect(sender.counts.get("sent")).toBeGreaterThan(0);
  });

  test("while the server is down, attempts are repeated at growing intervals, until it is up", async () => {
    const port = freePort();
    const sender = senderTo(port);
    await queue("ada@example.org", "1 day");
    const reason = `127.0.0.1:${port} accepts no connections`;
    // Not the clock's, so that every time is exact.
    const startMs = Date.now() + SECOND_MS;
    const at = (ms: number) => new Date(startMs + ms).toISOString();
    let passedMs = 0;
    for (const [place, seconds] of [10, 60, 5 * 60, 15 * 60, 60 * 60, 60 * 60].entries()) {
      if (place > 0) await sendAll(sender, at(passedMs - 1));
      await sendAll(sender, at(passedMs));
      passedMs += seconds * SECOND_MS;
      expect([...(await waiting())]).toEqual([
        { attempts: place + 1, last_error: reason, next_ms: startMs + passedMs },
      ]);
    }
    const host = await start({ port });
    await sendAll(sender, at(passedMs));
    expect(host.received).toHaveLength(1);
    expect(await waiting()).toHaveLength(0);
    expect(countsOf(sender)).toEqual({ postponed: 6, sent: 1 });
  });

  test("a server that greylists is asked again after ten seconds", async () => {
    const host = await start({
      refuse: (_, attempt) => (attempt === 1 ? { code: 450, text: "try later" } : undefined),
    });
    const sender = senderTo(host.port);
    await queue("ada@example.org");
    await sendAll(sender);
    expect(await waiting()).toMatchObject([
      { attempts: 1, last_error: expect.stringContaining("450 try later") },
    ]);
    await sendAll(sender, later(11 * SECOND_MS));
    expect(host.received).toHaveLength(1);
    expect(countsOf(sender)).toEqual({ postponed: 1, sent: 1 });
  });

  test("a recipient that is refused is not tried again, stays with the reason, and delays no other", async () => {
    const host = await start({
      refuse: (address) =>
        address === "nobody@example.org" ? { code: 550, text: "no such user" } : undefined,
    });
    const sender = senderTo(host.port);
    await queue("nobody@example.org");
    await queue("ada@example.org");
    await sendAll(sender);
    expect(host.received.map(({ to }) => to)).toEqual([["ada@example.org"]]);
    for (const minutes of [1, 5, 9]) await sendAll(sender, later(minutes * MINUTE_MS));
    expect(host.asked.filter((each) => each === "nobody@example.org")).toHaveLength(1);
    expect(await waiting()).toMatchObject([
      { attempts: 1, last_error: expect.stringContaining("550 no such user") },
    ]);
    expect(await database.row("find_waiting_mails", {})).toMatchObject({ waiting: 0n });
    await sender.removeExpired(later(11 * MINUTE_MS));
    expect(await waiting()).toHaveLength(0);
    expect(countsOf(sender)).toEqual({ refused: 1, sent: 1 });
  });

  test("a mail that expired is not sent, and is counted", async () => {
    const host = await start();
    const sender = senderTo(host.port);
    await queue("ada@example.org", "1 minute");
    const after = later(2 * MINUTE_MS);
    await sendAll(sender, after);
    expect(await sender.removeExpired(after)).toBe(false);
    expect(host.received).toEqual([]);
    expect(await waiting()).toHaveLength(0);
    expect(countsOf(sender)).toEqual({ expired: 1 });
  });

  test("a mail whose sender died is sent by another one after its lease, under the same Message-ID", async () => {
    const host = await start();
    const id = await queue("ada@example.org");
    // Claimed, and nothing more.
    await database.rows("claim_mails", { moment: null, lease: "1 minute", limit: 1n });
    const sender = senderTo(host.port);
    await sendAll(sender);
    expect(host.received).toEqual([]);
    await sendAll(sender, later(MINUTE_MS + SECOND_MS));
    expect(host.received[0]?.raw).toContain(`Message-ID: <${id}@example.com>`);
  });

  test("an attempt that outlived its lease does not postpone the next one", async () => {
    const id = await queue("ada@example.org");
    const claim = (moment: string | null) =>
      database.rows("claim_mails", { moment, lease: "1 minute", limit: 1n });
    const [first] = await claim(null);
    const [second] = await claim(later(2 * MINUTE_MS));
    expect([first?.attempts, second?.attempts]).toEqual([1, 2]);
    const postponed = await database.row("postpone_mail", {
      moment: null,
      mail_id: id,
      attempts: 1,
      due_in: "1 second",
      error: "late",
    });
    expect(postponed).toBeUndefined();
    expect(await waiting()).toMatchObject([{ attempts: 2, last_error: null }]);
  });

  test("a slow recipient delays no other, and no caller", async () => {
    const release = Promise.withResolvers<void>();
    const host = await start({
      beforeAccept: (raw) =>
        raw.includes("slow@example.org") ? release.promise : Promise.resolve(),
    });
    const sender = senderTo(host.port);
    // The slow one is first, and one is queued later.
    for (const name of ["slow", "ada", "bob"]) await queue(`${name}@example.org`);
    sender.wake();
    while (host.received.length < 2) await Bun.sleep(5);
    await queue("eve@example.org");
    sender.wake();
    while (host.received.length < 3) await Bun.sleep(5);
    const others = host.received.map(({ to }) => to[0]?.split("@")[0]);
    expect(others.sort()).toEqual(["ada", "bob", "eve"]);
    // The slow one is still being sent.
    expect(sender.counts.get("postponed")).toBe(0);
    release.resolve();
    await sender.idle();
    expect(host.received).toHaveLength(4);
  });

  test("a server that hangs costs an attempt its time, and no more", async () => {
    const host = await start({ beforeAccept: () => Bun.sleep(400) });
    const sender = senderTo(host.port, { answerMsMax: 200 });
    await queue("ada@example.org");
    await sendAll(sender);
    expect(await waiting()).toMatchObject([
      { attempts: 1, last_error: `127.0.0.1:${host.port} did not respond in time` },
    ]);
  });

  test("a connection that breaks in the middle of a mail is repeated", async () => {
    let breaks = true;
    const host = await start({ breaks: () => breaks });
    const sender = senderTo(host.port);
    await queue("ada@example.org");
    await sendAll(sender);
    expect(await waiting()).toMatchObject([{ attempts: 1 }]);
    breaks = false;
    await sendAll(sender, later(11 * SECOND_MS));
    expect(await waiting()).toHaveLength(0);
    expect(host.received.length).toBeGreaterThan(0);
  });

  test("an address that is none reaches no server", async () => {
    const host = await start();
    const sender = senderTo(host.port);
    for (const address of [
      "ada@example.org\r\nRCPT TO:<eve@example.net>",
      "ada@example.org, eve@example.net",
      "Ada <ada@example.org>",
    ]) {
      await queue(address);
    }
    await sendAll(sender);
    expect(host.asked).toEqual([]);
    expect(countsOf(sender)).toEqual({ refused: 3 });
  });

  test("the log has no code, no address, and no text of a mail", async () => {
    const host = await start({
      refuse: (address) => ({ code: 550, text: `<${address}> your code ${CODE} is spam` }),
    });
    const sender = senderTo(host.port);
    await queue("ada@example.org");
    await sendAll(sender);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("refused the recipient: 550 <…> your code … is spam");
    expect(lines.join("")).not.toMatch(/12345678|1234 5678|ada@example/);
  });

  test("a sender that was stopped claims nothing", async () => {
    const host = await start();
    const sender = senderTo(host.port);
    await queue("ada@example.org");
    await sender.stop();
    await sendAll(sender);
    expect(await waiting()).toMatchObject([{ attempts: 0 }]);
  });
});
