/**
 * A receiver of webhooks on the machine itself, and what the tests of notices share.
 *
 * @module
 */
import type { GuardTrial } from "../../src/config.ts";
import { present } from "../../src/lib/assert.ts";
import { createNoticeJobs } from "../../src/notices/notice_jobs.ts";
import type { NoticeMails } from "../../src/notices/notice_mails.ts";
import type { WebhookSender } from "../../src/notices/webhook_sender.ts";
import type { Connections } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import type { TestGateway } from "../support/gateway.ts";

export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly text: string;
  readonly notice: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Record<string, unknown>;
  };
}

export interface Receiver {
  readonly origin: string;
  readonly trial: GuardTrial;
  readonly received: Received[];
  /** How calls to a path are answered. @default 204 */
  answer(path: string, answer: () => Response | Promise<Response>): void;
  stop(): Promise<void>;
}

const fileOf = (name: string) =>
  Bun.file(new URL(`../fixtures/document_host/${name}.pem`, import.meta.url)).text();

export async function startReceiver(): Promise<Receiver> {
  const [key, certificate] = await Promise.all([fileOf("key"), fileOf("certificate")]);
  const answers = new Map<string, () => Response | Promise<Response>>();
  const received: Received[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key, cert: certificate },
    idleTimeout: 60,
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      const text = await request.text();
      const headers = Object.fromEntries(request.headers);
      received.push({ path, headers, text, notice: JSON.parse(text) });
      return (await answers.get(path)?.()) ?? new Response(null, { status: 204 });
    },
  });
  return {
    origin: `https://localhost:${server.port}`,
    trial: { certificate },
    received,
    answer: (path, answer) => void answers.set(path, answer),
    stop: () => server.stop(true),
  };
}

const idle = { wake() {} } as unknown as WebhookSender;

/** Runs a pass of a job of notices, however short ago it ran. */
export async function runNoticeJob(
  sql: Connections,
  name: string,
  { now, hasMail = false }: { readonly now?: string | undefined; readonly hasMail?: boolean } = {},
): Promise<void> {
  const mails = hasMail ? ({ queueDue: async () => false } as unknown as NoticeMails) : undefined;
  const jobs = createNoticeJobs({ sender: idle, mails });
  const job = present(jobs.find((each) => each.name === name));
  const database = createDatabase(sql);
  await sql`delete from maintenance_jobs where name = ${name}`;
  while (await job.step(database, now));
}

/** Makes the deliveries of stored notices, and makes the calls that are due. */
export async function sendNotices(
  { sql, gateway }: Pick<TestGateway, "sql" | "gateway">,
  now?: string,
): Promise<void> {
  await runNoticeJob(sql, "notices", { now });
  gateway.services.notices.wake(now);
  await gateway.services.notices.idle();
}

interface Named {
  readonly id: string;
  readonly secret: string;
}

/** Names an address by the API. */
export async function nameWebhook(
  gateway: TestGateway,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Named> {
  const answer = await gateway.send("POST", "/v1/webhooks", key, body);
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Named;
}
