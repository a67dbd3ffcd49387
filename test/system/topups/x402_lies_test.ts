import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { PaymentPayload } from "@x402/core/types";
import { type Chain, hasChain, startChain, type Wallet } from "../../support/chain/chain.ts";
import type { Answering } from "../../support/chain/facilitator.ts";
import { problemOf } from "../../support/gateway.ts";
import {
  askTerms,
  createReader,
  creditsOf,
  finishAll,
  openScene,
  type PaymentScene,
  postTopup,
  recheckAll,
  signedOf,
  signPayment,
} from "../../topups/x402_scene.ts";

interface Attempt {
  readonly key: string;
  readonly payment: PaymentPayload;
  readonly response: Response;
}

/** What a facilitator answers if all went well. */
const SUCCESS = { success: true, transaction: `0x${"00".repeat(32)}`, network: "eip155:31337" };
const FAILURE = {
  success: false,
  errorReason: "unexpected_settle_error",
  transaction: "",
  network: "eip155:31337",
};
/** By then a block is final for anvil. */
const FINAL_BLOCKS = 80;
/** Later than any authorization of these tests. */
const AFTER_ALL_SECONDS = 400;

describe.skipIf(!hasChain())(
  "x402: nobody gets credits without money, nobody pays without credits,",
  () => {
    let chain: Chain;
    let scene: PaymentScene;
    let wallet: Wallet;
    beforeAll(async () => {
      chain = await startChain();
      scene = await openScene(chain);
      wallet = await chain.createWallet();
    });
    afterAll(async () => {
      await scene.stop();
      await chain.stop();
    });
    afterEach(() => {
      scene.facilitator.answering = undefined;
    });

    /** One USD, by a facilitator that answers like that. */
    async function pay(answering?: Answering, payer = wallet): Promise<Attempt> {
      const call = { usd: 1, key: await createReader(scene) };
      const payment = await signPayment(scene, payer, await askTerms(scene, call));
      scene.facilitator.answering = answering;
      const response = await postTopup(scene, { ...call, payment });
      scene.facilitator.answering = undefined;
      return { key: call.key, payment, response };
    }

    const again = ({ key, payment }: Attempt) => postTopup(scene, { usd: 1, key, payment });

    async function statusOf({ payment }: Attempt): Promise<string> {
      const { nonce } = signedOf(payment).authorization;
      const rows = await scene.gateway.sql`
      select status from topups where payment_id like ${`% ${nonce}`}`;
      return rows[0]?.status;
    }

    test("facilitator down: 503, and the same payment goes on once it is up", async () => {
      const attempt = await pay(async () => new Response("down", { status: 502 }));
      expect(await problemOf(attempt.response)).toMatchObject({ status: 503, code: "UNAVAILABLE" });
      expect(await creditsOf(scene, attempt.key)).toBe(0);
      expect((await again(attempt)).status).toBe(201);
      expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
    });

    test("refused by the verification, as of a payer without money: 402, and nothing is sent to the chain", async () => {
      const poor = await chain.createWallet(999_999n);
      const before = await chain.client.getBlockNumber({ cacheTime: 0 });
      const attempt = await pay(undefined, poor);
      expect(await problemOf(attempt.response)).toMatchObject({
        status: 402,
        code: "PAYMENT_REFUSED",
        body: { reason: expect.stringMatching(/^[a-z0-9_]+$/) },
      });
      expect(await chain.client.getBlockNumber({ cacheTime: 0 })).toBe(before);
      expect(scene.facilitator.calls.at(-1)).toBe("/verify");
      expect(await creditsOf(scene, attempt.key)).toBe(0);
    });

    test("a signature of somebody else: 402", async () => {
      const call = { usd: 1, key: await createReader(scene) };
      const stranger = await chain.createWallet();
      const terms = await askTerms(scene, call);
      const payment = await signPayment(scene, stranger, terms, { from: wallet.address });
      const response = await postTopup(scene, { ...call, payment });
      expect(await problemOf(response)).toMatchObject({ status: 402, code: "PAYMENT_REFUSED" });
    });

    test("refused by the settlement after the verification: 402, and the same payment may still go on", async () => {
      const attempt = await pay(async (path, honest) => (path === "/settle" ? FAILURE : honest()));
      expect(await problemOf(attempt.response)).toMatchObject({
        status: 402,
        code: "PAYMENT_REFUSED",
        body: { reason: "unexpected_settle_error", topup_id: expect.any(String) },
      });
      const header = attempt.response.headers.get("PAYMENT-RESPONSE") ?? "";
      expect(JSON.parse(Buffer.from(header, "base64").toString())).toMatchObject({
        success: false,
      });
      expect(await creditsOf(scene, attempt.key)).toBe(0);
      expect((await again(attempt)).status).toBe(201);
      expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
    });

    test("a facilitator that takes the money and says that it did not: granted", async () => {
      const attempt = await pay(async (path, honest) => {
        const answer = await honest();
        return path === "/settle" ? FAILURE : answer;
      });
      expect(attempt.response.status).toBe(201);
      expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
    });

    test("a facilitator that takes the money when it is only to verify, and refuses: granted", async () => {
      const attempt = await pay(async (_path, _honest, { paymentPayload }) => {
        await chain.transfer(signedOf(paymentPayload));
        return { isValid: false, invalidReason: "invalid_payload" };
      });
      expect(attempt.response.status).toBe(201);
      expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
    });

    test("a facilitator whose answer is lost, or is none: granted", async () => {
      const answers = [new Response("<p>timeout", { status: 504 }), Response.json({ ok: true })];
      for (const lost of answers) {
        const attempt = await pay(async (path, honest) => {
          const answer = await honest();
          return path === "/settle" ? lost : answer;
        });
        expect(attempt.response.status).toBe(201);
        expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
      }
    });

    test("a facilitator that takes the money after all have left: the job grants it", async () => {
      let taken: PaymentPayload | undefined;
      const attempt = await pay(async (path, honest, { paymentPayload }) => {
        taken = paymentPayload;
        return path === "/settle" ? FAILURE : honest();
      });
      expect(attempt.response.status).toBe(402);
      await chain.transfer(signedOf(taken as PaymentPayload));
      await finishAll(scene);
      expect(await creditsOf(scene, attempt.key)).toBe(1_000_000);
      const repeated = await again(attempt);
      expect(repeated.status).toBe(200);
      expect(await repeated.json()).toMatchObject({ transaction: expect.stringMatching(/^0x/) });
    });

    test("the same without a key: the account is made by the job, and the payer gets its key", async () => {
      const call = { usd: 1 };
      const payment = await signPayment(scene, wallet, await askTerms(scene, call));
      scene.facilitator.answering = async (path, honest) =>
        path === "/settle" ? FAILURE : honest();
      expect((await postTopup(scene, { ...call, payment })).status).toBe(402);
      await chain.transfer(signedOf(payment));
      await finishAll(scene);
      const first = (await (await postTopup(scene, { ...call, payment })).json()) as {
        key: string;
      };
      const second = (await (await postTopup(scene, { ...call, payment })).json()) as object;
      expect(await creditsOf(scene, first.key)).toBe(1_000_000);
      expect(second).not.toHaveProperty("key");
    });

    test("a nonce that its payer has cancelled, or used for somebody else, is no payment", async () => {
      const cancelled = await pay(async (path, honest) =>
        path === "/settle" ? FAILURE : honest(),
      );
      await chain.cancel(wallet, signedOf(cancelled.payment).authorization.nonce);
      const elsewhere = await pay(async (path, honest) =>
        path === "/settle" ? FAILURE : honest(),
      );
      const { authorization } = signedOf(elsewhere.payment);
      const own = { ...authorization, to: wallet.address };
      await chain.transfer({
        authorization: own,
        signature: await chain.signTransfer(wallet, own),
      });
      for (const attempt of [cancelled, elsewhere]) {
        const response = await again(attempt);
        expect(await problemOf(response)).toMatchObject({
          status: 402,
          body: { reason: "authorization_used_elsewhere" },
        });
        expect(await statusOf(attempt)).toBe("expired");
        expect(await creditsOf(scene, attempt.key)).toBe(0);
      }
    });

    test("two payments in one transaction are two, and a nonce that pays its payer beside another's payment is none", async () => {
      const refuse: Answering = async (path, honest) => (path === "/settle" ? FAILURE : honest());
      const [one, two, idle] = [await pay(refuse), await pay(refuse), await pay(refuse)];
      const { authorization } = signedOf(idle.payment);
      const own = { ...authorization, to: wallet.address };
      const ownSigned = { authorization: own, signature: await chain.signTransfer(wallet, own) };
      await chain.transfer(ownSigned, signedOf(one.payment), signedOf(two.payment));
      await finishAll(scene);
      expect(await creditsOf(scene, one.key)).toBe(1_000_000);
      expect(await creditsOf(scene, two.key)).toBe(1_000_000);
      expect(await creditsOf(scene, idle.key)).toBe(0);
      expect(await statusOf(idle)).toBe("expired");
    });

    test("a payment that is not confirmed waits; if the chain is reorganised before, it is not granted until it comes in again", async () => {
      const careful = await openScene(chain, {
        index: 4,
        settings: { FEEDGATE_X402_CONFIRMATIONS: "3" },
      });
      const { gateway } = careful;
      const key = await gateway.createKey(await gateway.createAccount(), "read");
      const call = { usd: 1, key };
      const payment = await signPayment(careful, wallet, await askTerms(careful, call));
      const first = await postTopup(careful, { ...call, payment });
      const waiting = (await first.json()) as { topup_id: string; status: string };
      expect([first.status, waiting.status]).toEqual([202, "waiting"]);
      expect(first.headers.get("Location")).toBe(`/v1/topups/${waiting.topup_id}`);
      expect(await chain.balanceOf(careful.payTo)).toBe(1_000_000n);

      await chain.reorganise(1);
      await chain.mine(3);
      expect(await chain.balanceOf(careful.payTo)).toBe(0n);
      await finishAll(careful);
      expect(await creditsOf(careful, key)).toBe(0);

      // The payment is sent to the chain once more, and the facilitator has what it needs.
      const second = await postTopup(careful, { ...call, payment });
      expect(second.status).toBe(202);
      expect(await creditsOf(careful, key)).toBe(0);
      await chain.mine(2);
      const third = await postTopup(careful, { ...call, payment });
      expect(third.status).toBe(201);
      expect(await creditsOf(careful, key)).toBe(1_000_000);
      expect(await chain.balanceOf(careful.payTo)).toBe(1_000_000n);
      await careful.stop();
    });

    test("a node that is down, or of another chain: 503, and the payment is sent to nobody", async () => {
      const node = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" }),
      });
      for (const url of ["http://127.0.0.1:9", node.url.href]) {
        const settings = { FEEDGATE_X402_RPC_URL: url };
        const blind = await openScene(chain, { index: 5, settings });
        const { gateway } = blind;
        const call = {
          usd: 1,
          key: await gateway.createKey(await gateway.createAccount(), "read"),
        };
        const payment = await signPayment(blind, wallet, await askTerms(blind, call));
        const response = await postTopup(blind, { ...call, payment });
        expect(await problemOf(response)).toMatchObject({ status: 503, code: "UNAVAILABLE" });
        expect(blind.facilitator.calls).toEqual([]);
        await blind.stop();
      }
      await node.stop(true);
    });

    // The last one: no authorization of this file is good after it.
    test("a facilitator that says that it took the money, and did not, gets no credits; what a deep reorganisation has dropped is taken back", async () => {
      const kept = await pay();
      const dropped = await pay();
      expect([kept.response.status, dropped.response.status]).toEqual([201, 201]);
      await chain.reorganise(1);
      const lied = await pay(async (path, honest) => (path === "/settle" ? SUCCESS : honest()));
      expect(lied.response.status).toBe(202);
      expect(await lied.response.json()).toMatchObject({ status: "waiting" });
      await finishAll(scene);
      await recheckAll(scene);
      // Nobody knows yet: it may come in again.
      expect(await statusOf(lied)).toBe("waiting");
      expect(await creditsOf(scene, dropped.key)).toBe(1_000_000);

      await chain.passTime(AFTER_ALL_SECONDS);
      await chain.mine(FINAL_BLOCKS);
      await finishAll(scene);
      await recheckAll(scene);
      expect(await statusOf(lied)).toBe("expired");
      expect(await creditsOf(scene, lied.key)).toBe(0);
      await expect(chain.transfer(signedOf(lied.payment))).rejects.toThrow();
      expect((await again(lied)).status).toBe(402);
      expect(await creditsOf(scene, kept.key)).toBe(1_000_000);
      expect(await creditsOf(scene, dropped.key)).toBe(0);
      const [open] = await scene.gateway.sql`
      select
        count(*) filter (where status = 'waiting')::int as waiting,
        count(*) filter (where status = 'granted' and not is_final)::int as unsure
      from topups`;
      expect(open).toEqual({ waiting: 0, unsure: 0 });

      const [sums] = await scene.gateway.sql`
      select sum(amount_nanos)::text as nanos from credit_ledger`;
      expect(sums?.nanos).toBe(`${await chain.balanceOf(scene.payTo)}000`);
    });
  },
);
