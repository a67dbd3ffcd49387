import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { PaymentPayload } from "@x402/core/types";
import { connect } from "../../../src/postgres/client/connect.ts";
import { type Chain, hasChain, startChain, type Wallet } from "../../support/chain/chain.ts";
import { startFaultyLink } from "../../support/faulty_link.ts";
import { lockWaiters } from "../../support/lock_waiters.ts";
import { waitFor } from "../../support/processes.ts";
import { type Announced, type ServedGateway, serveGateway } from "../../support/served_gateway.ts";
import {
  askTerms,
  creditsOf,
  finishAll,
  openScene,
  type PaymentScene,
  postTopup,
  settingsOf,
  signPayment,
  startPeer,
  type TopupCall,
} from "../../topups/x402_scene.ts";

interface AnnouncedPort extends Announced {
  readonly port: number;
}

const WAIT_MS = 60_000;

/** Another gateway on the same database lives on; it stands for the one that is started anew, too. */
describe.skipIf(!hasChain())("x402: a gateway that is killed loses nobody's money,", () => {
  let chain: Chain;
  let scene: PaymentScene;
  let wallet: Wallet;
  let victim: ServedGateway<AnnouncedPort> | undefined;
  beforeAll(async () => {
    chain = await startChain();
    scene = await openScene(chain);
    wallet = await chain.createWallet();
  });
  afterAll(async () => {
    await scene.stop();
    await chain.stop();
  });
  afterEach(async () => {
    scene.facilitator.answering = undefined;
    await kill();
  });

  async function startVictim(): Promise<void> {
    const { facilitator, gateway, payTo } = scene;
    victim = await serveGateway<AnnouncedPort>(["serve"], {
      ...settingsOf(chain, facilitator.url, payTo),
      // One address for both, as behind a load balancer.
      FEEDGATE_BASE_URL: gateway.baseUrl,
      DATABASE_URL: gateway.databaseUrl,
      LOG_LEVEL: "silent",
    });
  }

  async function kill(): Promise<void> {
    victim?.child.kill("SIGKILL");
    await victim?.child.exited;
    victim = undefined;
  }

  async function sign(call: TopupCall): Promise<TopupCall & { readonly payment: PaymentPayload }> {
    return { ...call, payment: await signPayment(scene, wallet, await askTerms(scene, call)) };
  }

  /** Pays at the gateway that is killed. The answer never comes. */
  function payAtVictim(call: TopupCall): Promise<unknown> {
    const { announced } = victim as ServedGateway<AnnouncedPort>;
    const baseUrl = `http://127.0.0.1:${announced.port}`;
    return postTopup(scene, { ...call, baseUrl }).catch(() => {});
  }

  async function createCall(): Promise<TopupCall & { readonly key: string }> {
    const { gateway } = scene;
    return { usd: 1, key: await gateway.createKey(await gateway.createAccount(), "read") };
  }

  /** What was paid is granted, and nothing else. */
  async function expectEven({ gateway, payTo } = scene): Promise<void> {
    const [sums] = await gateway.sql`
      select coalesce(sum(amount_nanos), 0)::text as nanos from credit_ledger where kind = 'grant'`;
    expect(sums?.nanos).toBe(`${await chain.balanceOf(payTo)}000`);
  }

  test("after the intent is stored: the same payment goes on", async () => {
    await startVictim();
    const order = await sign(await createCall());
    const asked = Promise.withResolvers<void>();
    scene.facilitator.answering = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const lost = payAtVictim(order);
    await asked.promise;
    await kill();
    await lost;
    scene.facilitator.answering = undefined;
    await finishAll(scene);
    expect(await creditsOf(scene, order.key ?? "")).toBe(0);
    expect((await postTopup(scene, order)).status).toBe(201);
    expect(await creditsOf(scene, order.key ?? "")).toBe(1_000_000);
    await expectEven();
  });

  test("after the settlement, whose answer it never saw: the job grants it", async () => {
    await startVictim();
    const order = await sign(await createCall());
    const settled = Promise.withResolvers<void>();
    scene.facilitator.answering = async (path, honest) => {
      const answer = await honest();
      if (path === "/verify") return answer;
      settled.resolve();
      return new Promise(() => {});
    };
    const lost = payAtVictim(order);
    await settled.promise;
    await kill();
    await lost;
    scene.facilitator.answering = undefined;
    await finishAll(scene);
    expect(await creditsOf(scene, order.key ?? "")).toBe(1_000_000);
    expect((await postTopup(scene, order)).status).toBe(200);
    await expectEven();
  });

  for (const { table, step, isReached } of [
    {
      table: "credit_ledger",
      step: "after the account is made, before its credits are granted",
      isReached: "account_id is not null",
    },
    {
      table: "api_keys",
      step: "after the credits are granted, before the key is made",
      isReached: "status = 'granted'",
    },
  ]) {
    test(`without a key, ${step}: the same payment gets the account, its credits and the key`, async () => {
      await startVictim();
      const order = await sign({ usd: 1 });
      const holder = connect(
        { url: scene.gateway.databaseUrl },
        { connectionsMax: 1, statementTimeoutMs: 0 },
      );
      await holder.unsafe(`begin; lock table public.${table} in share row exclusive mode`);
      const lost = payAtVictim(order);
      const nonce = (order.payment.payload.authorization as { nonce: string }).nonce;
      const found = await waitFor(async () => {
        const rows = await scene.gateway.sql.unsafe(
          `select from topups where payment_id like '% ${nonce}' and ${isReached}`,
        );
        return rows.length === 1;
      }, WAIT_MS);
      expect(found).toBe(true);
      await lockWaiters(scene.gateway.sql);
      await kill();
      await lost;
      // As if it had not been sent: else PostgreSQL would finish it for nobody.
      await scene.gateway.sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await holder.unsafe("rollback");
      await holder.end();
      const response = await postTopup(scene, order);
      const { key } = (await response.json()) as { key: string };
      expect(await creditsOf(scene, key)).toBe(1_000_000);
      expect(await (await postTopup(scene, order)).json()).not.toHaveProperty("key");
      await expectEven();
    });
  }

  test("without a key, whichever of the database's answers is lost: the same payment gets the account, its credits and the key", async () => {
    const lossy = await openScene(chain, { index: 2 });
    const link = startFaultyLink(lossy.gateway.databaseUrl);
    const baseUrl = await startPeer(lossy, { DATABASE_URL: link.url });
    const terms = await askTerms(lossy, { usd: 1 });
    const statuses: number[] = [];
    let lost = 0;
    for (let answers = 0; answers === 0 || link.cuts > lost; answers += 1) {
      lost = link.cuts;
      const payment = await signPayment(lossy, wallet, terms);
      const order = { usd: 1, payment, once: crypto.randomUUID() };
      link.cutAfter(answers);
      const first = await postTopup(lossy, { ...order, baseUrl });
      link.heal();
      statuses.push(first.status);
      // Nobody reads it, so a key in it is lost, too.
      await first.body?.cancel();
      const { key } = (await (await postTopup(lossy, order)).json()) as { key: string };
      expect(await creditsOf(lossy, key)).toBe(1_000_000);
    }
    expect(statuses.filter((status) => status === 503).length).toBeGreaterThan(5);
    expect(statuses.at(-1)).toBe(201);
    await expectEven(lossy);
    await lossy.stop();
    link.stop();
  });

  test("without a key, a caller that has left before its answer gets the key when it comes again", async () => {
    const order = await sign({ usd: 1 });
    const leaving = new AbortController();
    const left = Promise.withResolvers<void>();
    scene.facilitator.answering = async (path, honest) => {
      const answer = await honest();
      if (path === "/settle") {
        leaving.abort();
        await left.promise;
      }
      return answer;
    };
    const { gateway } = scene;
    const first = postTopup(scene, { ...order, signal: leaving.signal });
    await expect(first).rejects.toThrow();
    left.resolve();
    const granted = () =>
      gateway.sql`select from topups where status = 'granted' and key_id is null`;
    expect(await waitFor(async () => (await granted()).length === 1, WAIT_MS)).toBe(true);
    const { key } = (await (await postTopup(scene, order)).json()) as { key: string };
    expect(await creditsOf(scene, key)).toBe(1_000_000);
    await expectEven();
  });
});
