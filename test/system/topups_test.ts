import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { shellActor } from "../../src/accounts/actor.ts";
import { LIMITS_DEFAULT } from "../../src/limits.ts";
import { createAccount } from "../../src/operator/accounts.ts";
import { createKey } from "../../src/operator/keys.ts";
import type { Operator } from "../../src/operator/operator.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { createDatabase } from "../../src/postgres/client/database.ts";
import { FUNCTION_SCHEMA } from "../../src/postgres/migrate/function_set.ts";
import { usedDataDir } from "../support/folders.ts";
import { lockWaiters } from "../support/lock_waiters.ts";
import { persist as persistFor, Refused } from "../support/persist.ts";
import { waitFor } from "../support/processes.ts";
import {
  deliver,
  type Message,
  STRIPE_ENVIRONMENT,
  type StripeHost,
  signMessage,
  startStripeHost,
} from "../support/stripe_host.ts";
import { startWorld, type World } from "../torture/world.ts";

const PROGRAM = [
  process.execPath,
  Bun.fileURLToPath(new URL("../support/serve_with_stripe.ts", import.meta.url)),
];
const ACTOR = shellActor("test");
const CREDITS_PER_USD = 1_000_000;
/** No bound on pace: what takes longer hangs. */
const WAIT_MS = 60_000;
const TRY_AGAIN_MS = 100;
const CUSTOMERS = 40;
const KILLS = 5;

let stripe: StripeHost;
let world: World;
let operator: Operator;
let customers = 0;

beforeAll(async () => {
  stripe = startStripeHost();
  world = await startWorld({
    gateways: 2,
    program: PROGRAM,
    environment: { ...STRIPE_ENVIRONMENT, STRIPE_PORT: String(stripe.port) },
    dataDir: await usedDataDir(),
  });
  operator = { database: createDatabase(world.sql), limits: LIMITS_DEFAULT };
});
afterAll(async () => {
  await world.stop();
  await stripe.stop();
});
afterEach(() => stripe.answerWith(undefined));

const persist = <Result>(act: () => Promise<Result>) =>
  persistFor(act, { waitMs: WAIT_MS, tryAgainMs: TRY_AGAIN_MS });

async function customer() {
  customers += 1;
  const account = { name: `Customer ${customers}`, max_feeds_allowed: 1 };
  const { id: accountId } = await persist(() => createAccount(operator, account, ACTOR));
  const wanted = { account_id: accountId, permission: "read" } as const;
  const { key } = await persist(() => createKey(operator, wanted, ACTOR));
  return { accountId, key };
}

const base = (index: number) => world.bases[index % world.bases.length] as string;

interface Begun {
  readonly topup_id: string;
  readonly pay_url?: string;
}

async function ask(index: number, key: string, once: string): Promise<Begun> {
  const response = await fetch(`${base(index)}/v1/topups`, {
    method: "POST",
    headers: { "x-api-key": key, "Content-Type": "application/json", "Idempotency-Key": once },
    body: '{"usd":5}',
    signal: AbortSignal.timeout(WAIT_MS),
  });
  if (!response.ok) {
    const why = `${response.status}: ${await response.text()}`;
    throw response.status < 500 ? new Refused(why) : new Error(why);
  }
  return (await response.json()) as Begun;
}

/** Sends a message again and again until it is heard, as Stripe does. */
function tell(message: Message, index: number): Promise<void> {
  let tries = index;
  return persist(async () => {
    tries += 1;
    const { status } = await deliver(base(tries), message);
    if (status !== 200) throw new Error(`not heard: ${status}`);
  });
}

const completed = (topupId: string) =>
  signMessage("checkout.session.completed", { ...stripe.sessionsOf(topupId)[0] });

/** Credits of an account whose ledger adds up. */
async function creditsOf(accountId: string): Promise<number> {
  const [row] = await persist(() =>
    world.sql.unsafe(
      `select
        balance_nanos / 1000 as balance,
        granted_nanos - revoked_nanos - charged_nanos + refunded_nanos - balance_nanos as difference
      from ${FUNCTION_SCHEMA}.ledger_of($1)`,
      [accountId],
    ),
  );
  expect(Number(row?.difference)).toBe(0);
  return Number(row?.balance);
}

/** Has the job ask about all that waits, now. */
const makeDue = () =>
  persist(async () => world.sql`update topups set due_at = now() where status = 'waiting'`);

/** Kills the backend that waits for a lock. PostgreSQL then ends all others, and recovers. */
async function killWaiter(): Promise<void> {
  const [backend] = await world.sql`
    select pid from pg_stat_activity where wait_event_type = 'Lock' order by query_start limit 1`;
  process.kill(backend?.pid, "SIGKILL");
}

describe("kill -9 between the steps of a payment by card", () => {
  test("before Stripe has made the page: a repeat at the other gateway gets one", async () => {
    const { key } = await customer();
    const asked = Promise.withResolvers<void>();
    stripe.answerWith(() => {
      asked.resolve();
      return new Promise(() => {});
    });
    const lost = ask(0, key, "step-1").catch(() => undefined);
    await asked.promise;
    await world.killGateway(0);
    expect(await lost).toBeUndefined();
    stripe.answerWith(undefined);
    const { topup_id: id, pay_url: payUrl } = await persist(() => ask(1, key, "step-1"));
    expect(stripe.sessionsOf(id).map(({ url }) => url)).toEqual([String(payUrl)]);
  });

  test("after Stripe has made the page, whose answer nobody saw: the repeat gets the same one", async () => {
    const { key } = await customer();
    const made = Promise.withResolvers<void>();
    stripe.answerWith((honest) => {
      honest();
      made.resolve();
      return new Promise(() => {});
    });
    const lost = persist(() => ask(0, key, "step-2"));
    await made.promise;
    await world.killGateway(0);
    stripe.answerWith(undefined);
    // It asks again by itself.
    const { topup_id: id, pay_url: payUrl } = await lost;
    expect(await persist(() => ask(1, key, "step-2"))).toMatchObject({ topup_id: id });
    expect(stripe.sessionsOf(id).map(({ url }) => url)).toEqual([String(payUrl)]);
  });

  for (const victim of ["gateway", "database", "backend"] as const) {
    test(`amid the grant, of the ${victim}: the message that comes again grants once`, async () => {
      const { accountId, key } = await customer();
      const { topup_id: id } = await persist(() => ask(0, key, "step-3"));
      stripe.pay(id);
      const message = await completed(id);
      const holder = connect(
        { url: world.databaseUrl },
        { connectionsMax: 1, statementTimeoutMs: 0 },
      );
      await holder.unsafe("begin; lock table public.credit_ledger in share row exclusive mode");
      const lost = deliver(base(0), message).catch(() => undefined);
      await lockWaiters(world.sql);
      if (victim === "gateway") await world.killGateway(0);
      else if (victim === "database") await world.killDatabase();
      else await killWaiter();
      await lost;
      await holder.unsafe("rollback").catch(() => {});
      await holder.end({ timeout: 1 });
      await Promise.all([tell(message, 0), tell(message, 1)]);
      expect(await creditsOf(accountId)).toBe(5 * CREDITS_PER_USD);
    });
  }

  test("of all, after the payment, whose message never comes: the job grants it", async () => {
    const { accountId, key } = await customer();
    const { topup_id: id } = await persist(() => ask(0, key, "step-4"));
    stripe.pay(id);
    await world.killGateway(0);
    await world.killGateway(1);
    await world.killDatabase();
    await makeDue();
    const isGranted = async () => (await creditsOf(accountId)) === 5 * CREDITS_PER_USD;
    expect(await waitFor(isGranted, WAIT_MS)).toBe(true);
    await tell(await completed(id), 0);
    expect(await creditsOf(accountId)).toBe(5 * CREDITS_PER_USD);
  });
});

test("gateways and the database are killed at any time: who has paid has the credits, once, less what went back", async () => {
  let isOver = false;
  async function kill(): Promise<void> {
    for (let kills = 0; kills < KILLS && !isOver; kills++) {
      await Bun.sleep(Math.random() * 1_000);
      if (kills % 3 === 2) await world.killDatabase();
      else await world.killGateway(kills % 2);
    }
  }
  async function live(index: number) {
    const { accountId, key } = await customer();
    const { topup_id: id } = await persist(() => ask(index, key, "random"));
    const isPaid = index % 5 !== 0;
    const isHeard = index % 3 !== 0;
    const refundedCents = isPaid && index % 4 === 1 ? 200 : 0;
    if (isPaid) stripe.pay(id);
    const messages: Message[] = [];
    if (isPaid && isHeard) messages.push(await completed(id), await completed(id));
    if (refundedCents > 0) {
      messages.push(await signMessage("charge.refunded", stripe.chargeOf(id, refundedCents)));
    }
    await Promise.all(messages.map((message, place) => tell(message, index + place)));
    return { accountId, id, expected: isPaid ? 5 - refundedCents / 100 : 0 };
  }
  const killing = kill();
  const lives = await Promise.all(Array.from({ length: CUSTOMERS }, (_, index) => live(index)));
  isOver = true;
  await killing;
  await makeDue();
  const isSettled = async () => {
    const rows = await persist(
      async () => world.sql`select topup_id from topups where status = 'waiting'`,
    );
    const waiting = new Set(rows.map(({ topup_id: id }) => id));
    return lives.every(({ id, expected }) => expected === 0 || !waiting.has(id));
  };
  expect(await waitFor(isSettled, WAIT_MS)).toBe(true);
  for (const { accountId, id, expected } of lives) {
    const credits = await creditsOf(accountId);
    expect({ id, credits }).toEqual({ id, credits: expected * CREDITS_PER_USD });
    expect(stripe.sessionsOf(id)).toHaveLength(1);
  }
  const [alerts] =
    await world.sql`select count(*)::int as count from topups where alert is not null`;
  expect(alerts?.count).toBe(0);
});
