/**
 * A gateway for tests: real HTTP on a free port, a separate database, and helpers for accounts and keys.
 *
 * @module
 */

import { shellActor } from "../../src/accounts/actor.ts";
import type { Permission } from "../../src/accounts/key_format.ts";
import { type Config, type GuardTrial, readConfig } from "../../src/config.ts";
import { createLog } from "../../src/lib/log.ts";
import { DATABASE_CONNECTIONS_SPARED, REPEAT_WAIT_MS } from "../../src/limits.ts";
import { createAccount } from "../../src/operator/accounts.ts";
import { grantCredits } from "../../src/operator/credits.ts";
import { createKey } from "../../src/operator/keys.ts";
import type { Operator } from "../../src/operator/operator.ts";
import { type Connections, connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { type Gateway, startGateway } from "../../src/server.ts";
import type { Intervals } from "../../src/services.ts";
import { createTestDatabase } from "./database.ts";
import { checkDetail } from "./problem_detail.ts";

/** Times of a peer for tests that would wait for them, in milliseconds. */
interface PeerTimes {
  readonly operatorStatementMsMax?: number;
  readonly repeatWait?: number;
}

export interface TestGateway {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly gateway: Gateway;
  /** A pool for the test's own statements. */
  readonly sql: Connections;
  /** Creates an account with credits. Returns its id. */
  createAccount(options?: { credits?: number; maxFeeds?: number; name?: string }): Promise<string>;
  createKey(accountId: string, permission: Permission): Promise<string>;
  /** A second gateway on the same database, with its own state, like another process. */
  startPeer(environment?: Record<string, string>, times?: PeerTimes): Promise<Gateway>;
  /** GET with a read key. */
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends a JSON body with a write key. Strings and bytes are sent as they are. */
  send(
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    path: string,
    key: string | undefined,
    body: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
  stop(): Promise<void>;
}

const NANOS_PER_CREDIT = 1_000;
const ACTOR = shellActor("test");
/** Shorter than in production, so that no test has to wait. */
const INTERVALS: Intervals = {
  importProgress: 20,
  rowEvents: 20,
  waitPoll: 20,
  repeatWait: REPEAT_WAIT_MS,
};
/**
 * Fewer connections than in production. PostgreSQL plans each statement again for each connection, which took most of
 * its time in tests that send several requests at once. Two are left for pages.
 */
const CONNECTIONS_MAX = DATABASE_CONNECTIONS_SPARED + 2;
/**
 * With so few connections, and on a busy machine, statements wait longer than production allows. Load tests set its
 * limit.
 */
const WAIT_MS_MAX = 20_000;

interface GatewayOptions {
  /** The port of a local Stripe. */
  readonly stripePort?: number;
  /** Allows webhooks to the local machine. */
  readonly webhookTrial?: GuardTrial;
  /**
   * Whether background jobs run by themselves. Otherwise they run only when a test runs them (`run_job.ts`). @default
   * false
   */
  readonly hasJobs?: boolean;
  /** Whether its database is kept until the server ends. @default false */
  readonly isShared?: boolean;
  /** How long a statement may wait for a connection, in ms. @default WAIT_MS_MAX */
  readonly waitMsMax?: number;
}

/** Gateways by settings, which the test files of this process share one after another. */
const shared = new Map<string, Promise<TestGateway>>();

/**
 * A gateway that this test file shares with earlier and later ones, for tests that look only at their own accounts and
 * feeds. `stop` ends only the peers that this file has started.
 */
export async function shareTestGateway(
  environment: Record<string, string> = {},
): Promise<TestGateway> {
  const settings = JSON.stringify(environment);
  const started = shared.get(settings) ?? startTestGateway(environment, { isShared: true });
  shared.set(settings, started);
  const gateway = await started;
  const peers: Gateway[] = [];
  return {
    ...gateway,
    async startPeer(overrides, times) {
      const peer = await gateway.startPeer(overrides, times);
      peers.push(peer);
      return peer;
    },
    async stop() {
      await Promise.all(peers.map((peer) => peer.stop()));
    },
  };
}

/** Called after the last test file of a process that has its own server (`preload.ts`). */
export async function stopSharedGateways(): Promise<void> {
  const started = [...shared.values()];
  shared.clear();
  for (const gateway of started) await (await gateway).stop();
}

/** Starts a gateway. `environment` overrides its configuration as in a deployment. */
export async function startTestGateway(
  environment: Record<string, string> = {},
  {
    stripePort,
    webhookTrial,
    hasJobs = false,
    isShared = false,
    waitMsMax = WAIT_MS_MAX,
  }: GatewayOptions = {},
): Promise<TestGateway> {
  const { url, ownUrl } = await createTestDatabase({ isShared });
  const sql = connect({ url: ownUrl }, { connectionsMax: 4, statementTimeoutMs: 0 });
  const log = createLog({ level: (process.env.TEST_LOG_LEVEL as "debug") ?? "silent" });
  const start: TestGateway["startPeer"] = (overrides, { repeatWait, ...times } = {}) =>
    startGateway(
      {
        ...stripeAt(
          readConfig({ PORT: "0", DATABASE_URL: url, ...environment, ...overrides }),
          stripePort,
        ),
        webhookTrial,
      },
      log,
      // No client is left that must be notified of the end.
      {
        closingNoticeMs: 0,
        hasJobs,
        metricsTextMs: 0,
        intervals: { ...INTERVALS, ...(repeatWait !== undefined && { repeatWait }) },
        connectionsMax: CONNECTIONS_MAX,
        waitMsMax,
        // Its database is a copy of the template.
        isMigrated: true,
        ...times,
      },
    );
  const gateway = await start();
  const peers: Gateway[] = [];
  const operator: Operator = {
    database: createDatabase(sql),
    limits: gateway.services.config.limits,
  };
  const { baseUrl } = gateway;
  return {
    baseUrl,
    databaseUrl: url,
    gateway,
    sql,
    async createAccount({ credits = 0, maxFeeds = 100, name = "Test account" } = {}) {
      const made = { name, max_feeds_allowed: maxFeeds };
      const { id: accountId } = await createAccount(operator, made, ACTOR);
      if (credits > 0) {
        const nanos = BigInt(Math.round(credits * NANOS_PER_CREDIT));
        const grant = { account_id: accountId, credits: nanos, reason: "test" };
        await grantCredits(operator, grant, ACTOR);
      }
      return accountId;
    },
    async createKey(accountId, permission) {
      return (await createKey(operator, { account_id: accountId, permission }, ACTOR)).key;
    },
    async startPeer(overrides, times) {
      const peer = await start(overrides, times);
      peers.push(peer);
      return peer;
    },
    get: (path, key, headers = {}) =>
      fetch(baseUrl + path, { headers: { ...(key && { "x-api-key": key }), ...headers } }),
    send: (method, path, key, body, headers = {}) =>
      fetch(baseUrl + path, {
        method,
        headers: {
          "Content-Type": "application/json",
          ...(key && { Authorization: `Bearer ${key}` }),
          ...headers,
        },
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    async stop() {
      await Promise.all([gateway, ...peers].map((each) => each.stop()));
      await sql.end();
    },
  };
}

/** A configuration with a local Stripe. */
export function stripeAt(config: Config, port: number | undefined): Config {
  if (port === undefined || config.topups === undefined) return config;
  return { ...config, topups: { ...config.topups, stripeTrial: { host: "127.0.0.1", port } } };
}

/** The status, code, and content type of a problem, for a single comparison. */
export async function problemOf(response: Response) {
  const body = (await response.json()) as { code?: string };
  checkDetail(body);
  return {
    status: response.status,
    code: body.code,
    type: response.headers.get("content-type"),
    body: body as Record<string, unknown>,
  };
}
