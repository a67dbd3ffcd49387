import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { PaymentRequired } from "@x402/core/types";
import { permissionOf } from "../../src/accounts/key_format.ts";
import { connect } from "../../src/postgres/client/connect.ts";
import { type Chain, hasChain, startChain, type Wallet } from "../support/chain/chain.ts";
import { type Facilitator, startFacilitator } from "../support/chain/facilitator.ts";
import { usedDataDir } from "../support/folders.ts";
import { persist as persistFor, Refused } from "../support/persist.ts";
import { waitFor } from "../support/processes.ts";
import {
  askTerms,
  postTopup,
  settingsOf,
  signPayment,
  type TopupCall,
} from "../topups/x402_scene.ts";
import { startWorld, type World } from "../torture/world.ts";

/** No bound on pace: what takes longer hangs. */
const WAIT_MS = 60_000;
/** Calls without a key are limited. */
const TRY_AGAIN_MS = 500;
const MICROS = 1_000_000n;

type Victim = "PostgreSQL" | "one of its backends";

/** Kills when a payment has come so far. */
interface Step {
  readonly name: string;
  /** @param kill to be called once the payment is there */
  arm(kill: () => Promise<void>): Promise<void>;
}

describe.skipIf(!hasChain())("x402: kill -9 of the database", () => {
  let chain: Chain;
  let facilitator: Facilitator;
  /** In front of the chain's node; it says which method is asked before the node is. */
  let node: { readonly url: string; stop(): void };
  let asking: ((method: string) => Promise<void>) | undefined;
  let world: World;
  let payTo: `0x${string}`;
  let wallet: Wallet;
  let terms: PaymentRequired | undefined;

  beforeAll(async () => {
    chain = await startChain();
    facilitator = startFacilitator(chain, 1);
    node = startNode();
    ({ address: payTo } = await chain.createWallet(0n));
    wallet = await chain.createWallet();
    world = await startWorld({
      gateways: 2,
      environment: {
        ...settingsOf(chain, facilitator.url, payTo),
        FEEDGATE_X402_RPC_URL: node.url,
        // One address for both, as behind a load balancer.
        FEEDGATE_BASE_URL: "http://feeds.example",
      },
      dataDir: await usedDataDir(),
    });
  });
  afterAll(async () => {
    await world.stop();
    node.stop();
    await facilitator.stop();
    await chain.stop();
  });
  afterEach(() => {
    asking = undefined;
    facilitator.answering = undefined;
  });

  function startNode() {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const body = await request.text();
        await asking?.((JSON.parse(body) as { method: string }).method);
        const headers = { "Content-Type": "application/json" };
        return fetch(chain.rpcUrl, { method: "POST", headers, body });
      },
    });
    return { url: server.url.href, stop: () => server.stop(true) };
  }

  const base = (index: number) => world.bases[index % world.bases.length] as string;
  const scene = () => ({ chain, gateway: { baseUrl: base(0) } });

  const persist = <Result>(act: () => Promise<Result>) =>
    persistFor(act, { waitMs: WAIT_MS, tryAgainMs: TRY_AGAIN_MS });

  /** A payment without a key, signed. */
  async function sign(): Promise<TopupCall> {
    // One offer is good for many payments.
    terms ??= await persist(() => askTerms(scene(), { usd: 1 }));
    return {
      usd: 1,
      payment: await signPayment(scene(), wallet, terms),
      once: crypto.randomUUID(),
    };
  }

  /** Sends the same payment to one gateway after the other until it is granted, as a payer does. */
  function payAgain(order: TopupCall, index: number) {
    let tries = index;
    return persist(async () => {
      tries += 1;
      const response = await postTopup(scene(), { ...order, baseUrl: base(tries) });
      const body = (await response.json()) as { account_id: string; key?: string; status: string };
      if (response.status <= 201) return body;
      // It may be under way, or nobody can tell; it is never refused.
      const isOpen = [202, 429, 503].includes(response.status);
      const told = `${response.status}: ${JSON.stringify(body)}`;
      throw isOpen ? new Error(told) : new Refused(told);
    });
  }

  /** One of the gateways' own, which works on the statement if there is one. */
  async function killBackend(statement: string): Promise<void> {
    const [backend] = await world.sql.unsafe(
      `select pid
      from pg_stat_activity
      where application_name = 'feedgate'
      order by query ~ $1 and wait_event_type = 'Lock' desc nulls last
      limit 1`,
      [`${statement}\\(`],
    );
    if (backend !== undefined) process.kill(backend.pid, "SIGKILL");
  }

  /** The ledger has granted what the chain has paid, and each account's proof adds up. */
  async function expectEven(): Promise<void> {
    const [sums] = await persist(
      async () => world.sql`
        select
          (select sum(amount_nanos) from credit_ledger where kind = 'grant')::text as granted,
          (select sum(balance_nanos) from accounts)::text as balance,
          (select count(*) from topups where alert is not null)::int as alerts,
          (select count(*) from accounts where account_id not in (select account_id from api_keys))::int
            as keyless`,
    );
    const nanos = `${await chain.balanceOf(payTo)}000`;
    expect(sums).toEqual({ granted: nanos, balance: nanos, alerts: 0, keyless: 0 });
  }

  const once = (act: () => Promise<void>) => {
    let done: Promise<void> | undefined;
    return () => {
      done ??= act();
      return done;
    };
  };

  /** While the node is asked for the first time, or for the first time after the settlement. */
  const atNode = (method: string, isSettled: boolean): Step["arm"] => {
    return async (kill) => {
      const killOnce = once(kill);
      let settled = false;
      facilitator.answering = async (path, honest) => {
        const answer = await honest();
        settled ||= path === "/settle";
        return answer;
      };
      asking = async (asked) => {
        if (asked === method && settled === isSettled) await killOnce();
      };
    };
  };
  const atFacilitator = (place: "/verify" | "/settle", isDone: boolean): Step["arm"] => {
    return async (kill) => {
      const killOnce = once(kill);
      facilitator.answering = async (path, honest) => {
        const answer = isDone ? await honest() : undefined;
        if (path === place) await killOnce();
        return answer ?? honest();
      };
    };
  };
  /** While the function waits for a lock on a table, so that the kill comes amid it. */
  const amid = (statement: string, table: string): Step["arm"] => {
    return async (kill) => {
      const holder = connect(
        { url: world.databaseUrl },
        { connectionsMax: 1, statementTimeoutMs: 0 },
      );
      await holder.unsafe(`begin; lock table public.${table} in share row exclusive mode`);
      const isThere = async () => {
        const rows = await world.sql.unsafe(
          `select
          from pg_stat_activity
          where wait_event_type = 'Lock' and query ~ $1`,
          [`${statement}\\(`],
        );
        return rows.length > 0;
      };
      void waitFor(isThere, WAIT_MS)
        .then(kill)
        .then(() => holder.end({ timeout: 1 }))
        .catch(() => {});
    };
  };

  const steps: (Step & { readonly statement?: string })[] = [
    { name: "before the intent is stored", arm: atNode("eth_call", false) },
    ...(
      [
        ["the intent is stored", "begin_topup", "topups"],
        ["the account is made", "adopt_topup", "accounts"],
        ["the credits are granted", "grant_topup", "credit_ledger"],
        ["the key is made", "give_topup_key", "api_keys"],
      ] as const
    ).map(([name, statement, table]) => ({
      name: `while ${name}`,
      statement,
      arm: amid(statement, table),
    })),
    { name: "before the payment is verified", arm: atFacilitator("/verify", false) },
    { name: "before it is settled", arm: atFacilitator("/settle", false) },
    { name: "after it is settled", arm: atFacilitator("/settle", true) },
    { name: "before it is confirmed", arm: atNode("eth_getLogs", true) },
  ];
  for (const victim of ["PostgreSQL", "one of its backends"] satisfies Victim[]) {
    for (const { name, arm, statement } of steps) {
      // Outside a statement, a backend that dies is one more connection that is cut.
      if (victim !== "PostgreSQL" && statement === undefined) continue;
      test(`of ${victim}, ${name}: the same payment gets the account, its credits and the key, once`, async () => {
        const order = await sign();
        const killed = Promise.withResolvers<void>();
        await arm(async () => {
          const act = victim === "PostgreSQL" ? world.killDatabase() : killBackend(statement ?? "");
          await act.then(killed.resolve, killed.reject);
        });
        const paying = payAgain(order, 0);
        await Promise.all([killed.promise, paying]);
        asking = undefined;
        facilitator.answering = undefined;
        const [one, two] = [await paying, await payAgain(order, 1)];
        const { account_id: accountId, key = "" } = one;
        expect(permissionOf(key)).toBe("read");
        expect([one.status, two.account_id, two.key]).toEqual(["granted", accountId, key]);
        const response = await persist(async () => {
          const headers = { "x-api-key": key };
          const asked = await fetch(`${base(1)}/v1/account`, { headers });
          if (!asked.ok) throw new Error(await asked.text());
          return (await asked.json()) as { balance: { credits: number } };
        });
        expect(response.balance.credits).toBe(Number(MICROS));
        await expectEven();
      });
    }
  }
});
