import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { x402Client } from "@x402/core/client";
import { decodePaymentRequiredHeader, decodePaymentResponseHeader } from "@x402/core/http";
import { PaymentRequiredV2Schema } from "@x402/core/schemas";
import type { PaymentPayload, PaymentRequired } from "@x402/core/types";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { hashKey } from "../../../src/accounts/key_format.ts";
import { X402_KEYLESS_PER_ADDRESS } from "../../../src/limits.ts";
import { USDC } from "../../../src/money/usdc.ts";
import { forgetTopups } from "../../../src/topups/forget.ts";
import { type Chain, hasChain, startChain, type Wallet } from "../../support/chain/chain.ts";
import { startFacilitator } from "../../support/chain/facilitator.ts";
import { problemOf } from "../../support/gateway.ts";
import { seedFeed } from "../../support/seed.ts";
import {
  askTerms,
  createReader,
  creditsOf,
  openScene,
  type PaymentScene,
  payingFetch,
  postTopup,
  requestOf,
  signedOf,
  signPayment,
  startPeer,
  type TopupCall,
} from "../../topups/x402_scene.ts";

const EARLIER_TO_LATE = 600n;
const GUIDE = Bun.fileURLToPath(new URL("../../../src/docs/guides/agents.md", import.meta.url));
const newId = () => crypto.randomUUID();

describe.skipIf(!hasChain())("x402", () => {
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

  async function countTopups(): Promise<number> {
    const rows = await scene.gateway.sql`select count(*)::int as count from topups`;
    return rows[0]?.count;
  }

  test("an unmodified client pays, gets credits, and reads a feed for them", async () => {
    const { gateway, payTo } = scene;
    const provider = await gateway.createAccount();
    const { feedId } = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ price: 7 }],
      callPriceNanos: 1_000,
    });
    const key = await createReader(scene);
    expect((await gateway.get(`/v1/feed/${feedId}`, key)).status).toBe(402);

    const order = requestOf({ usd: 2.5, key });
    const response = await payingFetch(wallet)(`${gateway.baseUrl}/v1/topups`, order);
    const topup = (await response.json()) as { topup_id: string; transaction: string };
    expect({ status: response.status, topup }).toMatchObject({
      status: 201,
      topup: { usd: 2.5, credits: 2_500_000, way: "x402", status: "granted" },
    });
    expect(topup).not.toHaveProperty("key");
    expect(await chain.balanceOf(payTo)).toBe(2_500_000n);
    const settlement = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "");
    expect(settlement).toMatchObject({
      success: true,
      network: chain.network,
      payer: wallet.address.toLowerCase(),
      transaction: topup.transaction,
    });
    const [entry] = await gateway.sql`
      select kind, amount_nanos::text as nanos
      from credit_ledger
      where reference = ${`x402:${chain.network}:${topup.transaction}`}`;
    expect(entry).toEqual({ kind: "grant", nanos: "2500000000" });

    expect((await gateway.get(`/v1/feed/${feedId}`, key)).status).toBe(200);
    expect(await creditsOf(scene, key)).toBe(2_499_999);
    const asked = await gateway.get(`/v1/topups/${topup.topup_id}`, key);
    expect(await asked.json()).toMatchObject({ status: "granted" });
  });

  test("the session of the agents' guide allows what it pays, which the library would not by itself", async () => {
    const guide = await Bun.file(GUIDE).text();
    const [, session = ""] = /```ts\n(import \{ x402Client.*?)```/s.exec(guide) ?? [];
    const [, dollars = ""] =
      /setSpendControls\(\{ maxAmountPerPayment: "\$(\d+)" \}\)/.exec(session) ?? [];
    expect(session).toContain(`usd: ${dollars},`);
    const key = await createReader(scene);
    const { accepts, ...terms } = await askTerms(scene, { usd: Number(dollars), key });
    // In USDC, as its readers pay: the library knows that token.
    const network = "eip155:8453";
    const inUsdc = { ...accepts[0], network, asset: USDC.get(network)?.address };
    const required = { ...terms, accepts: [inUsdc] } as PaymentRequired;
    const newClient = () => new x402Client().register("eip155:*", new ExactEvmScheme(wallet));
    await expect(newClient().createPaymentPayload(required)).rejects.toThrow("spendControls");
    const client = newClient();
    client.setSpendControls({ maxAmountPerPayment: `$${dollars}` });
    expect(await client.createPaymentPayload(required)).toMatchObject({ x402Version: 2 });
  });

  test("a call without a payment is 402 with requirements of version 2, in header and body, and stores nothing", async () => {
    const before = await countTopups();
    const response = await postTopup(scene, { usd: 0.5, key: await createReader(scene) });
    const header = decodePaymentRequiredHeader(response.headers.get("PAYMENT-REQUIRED") ?? "");
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ status: 402, code: "PAYMENT_REQUIRED", ...header });
    expect(PaymentRequiredV2Schema.safeParse(header).error).toBeUndefined();
    expect(header).toEqual({
      x402Version: 2,
      error: "PAYMENT-SIGNATURE header is required",
      resource: {
        url: `${scene.gateway.baseUrl}/v1/topups`,
        description: expect.any(String),
        mimeType: "application/json",
      },
      accepts: [
        {
          scheme: "exact",
          network: "eip155:31337",
          amount: "500000",
          asset: chain.asset,
          payTo: scene.payTo,
          maxTimeoutSeconds: 120,
          extra: {
            name: "Test Dollar",
            version: "2",
            assetTransferMethod: "eip3009",
            offer: expect.any(String),
          },
        },
      ],
    });
    expect(await countTopups()).toBe(before);
  });

  test("the same payment again gets the same top-up, and no more credits", async () => {
    const key = await createReader(scene);
    const call = { usd: 1, key };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    const first = await postTopup(scene, { ...call, payment });
    const calls = scene.facilitator.calls.length;
    const again = await postTopup(scene, { ...call, payment });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(await again.json()).toEqual(await first.json());
    expect(again.headers.get("PAYMENT-RESPONSE")).toBe(first.headers.get("PAYMENT-RESPONSE"));
    expect(await creditsOf(scene, key)).toBe(1_000_000);
    expect(scene.facilitator.calls).toHaveLength(calls);
  });

  test("with a key, a client that is called again under the same Idempotency-Key pays once, wherever and with whatever it signs", async () => {
    const { gateway, payTo } = scene;
    const peer = await startPeer(scene);
    const key = await createReader(scene);
    const call = { usd: 1, key, once: newId() };
    const before = await chain.balanceOf(payTo);
    const pay = (baseUrl: string) =>
      payingFetch(wallet)(`${baseUrl}/v1/topups`, requestOf(call)).then(async (response) => ({
        status: response.status,
        body: (await response.json()) as { topup_id: string; transaction: string },
      }));
    const first = await pay(gateway.baseUrl);
    expect(first.status).toBe(201);
    for (const baseUrl of [gateway.baseUrl, peer]) {
      expect(await pay(baseUrl)).toEqual({ status: 200, body: first.body });
    }
    // Also if it has signed another one already.
    const terms = await askTerms(scene, { usd: 1, key });
    const payment = await signPayment(scene, wallet, terms);
    const other = await postTopup(scene, { ...call, payment });
    expect(await other.json()).toEqual(first.body);
    expect((await chain.balanceOf(payTo)) - before).toBe(1_000_000n);
    expect(await creditsOf(scene, key)).toBe(1_000_000);
    const reused = await postTopup(scene, { ...call, usd: 2 });
    expect(await problemOf(reused)).toMatchObject({ status: 409, code: "IDEMPOTENCY_KEY_REUSED" });
    // Another account's is another one.
    const stranger = { ...call, key: await createReader(scene) };
    expect((await postTopup(scene, stranger)).status).toBe(402);
  });

  test("with a key, two payments under one Idempotency-Key at once are one, and one that has expired makes room", async () => {
    const key = await createReader(scene);
    const call = { usd: 1, key, once: newId() };
    const terms = await askTerms(scene, call);
    const [one, two] = [
      await signPayment(scene, wallet, terms),
      await signPayment(scene, wallet, terms),
    ];
    scene.facilitator.answering = async () => new Response("down", { status: 502 });
    const answers = await Promise.all(
      [one, two].map((payment) => postTopup(scene, { ...call, payment })),
    );
    // One is begun and can't be settled; the other is told of it.
    expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 503]);
    expect((await postTopup(scene, call)).status).toBe(202);
    scene.facilitator.answering = undefined;
    await scene.gateway.sql`
      update topups set status = 'expired', ended_at = now()
      where idempotency_hash is not null and status = 'waiting'`;
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    expect((await postTopup(scene, { ...call, payment })).status).toBe(201);
    expect(await creditsOf(scene, key)).toBe(1_000_000);
  });

  test("the facilitator never sees the offer, and the signature is not stored", async () => {
    const call = { usd: 1, key: await createReader(scene) };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    const { topup_id: topupId } = (await (await postTopup(scene, { ...call, payment })).json()) as {
      topup_id: string;
    };
    const asked = JSON.stringify(scene.facilitator.asked.slice(-2));
    expect(asked).toContain(signedOf(payment).signature);
    expect(asked).not.toContain("offer");
    const [row] = await scene.gateway.sql`
      select to_jsonb(topups)::text as text from topups where topup_id = ${topupId}`;
    expect(row?.text).toContain(signedOf(payment).authorization.nonce);
    expect(row?.text).not.toContain(signedOf(payment).signature);
  });

  test("one nonce in two gateways with two facilitators at once is granted once", async () => {
    const { gateway, payTo } = scene;
    const other = startFacilitator(chain, 2);
    const peer = await startPeer(scene, { FEEDGATE_X402_FACILITATOR_URL: other.url });
    // Both have begun to verify before either goes on.
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    for (const [facilitator, { resolve }] of [
      [scene.facilitator, first],
      [other, second],
    ] as const) {
      facilitator.answering = async (_path, honest) => {
        resolve();
        await Promise.all([first.promise, second.promise]);
        return honest();
      };
    }
    const key = await createReader(scene);
    const call = { usd: 3, key };
    const paid = await chain.balanceOf(payTo);
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    const answers = await Promise.all(
      [gateway.baseUrl, peer, gateway.baseUrl, peer].map((baseUrl) =>
        postTopup(scene, { ...call, payment, baseUrl }),
      ),
    );
    // Whoever was told of a refusal, or to wait, asks again.
    const last = await postTopup(scene, { ...call, payment });
    expect(answers.every(({ status }) => [200, 201, 202, 402].includes(status))).toBe(true);
    expect(last.status).toBe(200);
    expect(await creditsOf(scene, key)).toBe(3_000_000);
    expect((await chain.balanceOf(payTo)) - paid).toBe(3_000_000n);
    await other.stop();
  });

  describe("refuses, without asking anybody and without storing anything,", () => {
    type Change = (payment: PaymentPayload) => PaymentPayload | Promise<PaymentPayload>;
    const now = () => BigInt(Math.floor(Date.now() / 1_000));
    const accepting = (changes: object): Change => {
      return (payment) => ({ ...payment, accepted: { ...payment.accepted, ...changes } });
    };
    const signing = (changes: () => object): Change => {
      return async ({ accepted, resource }) =>
        signPayment(
          scene,
          wallet,
          { x402Version: 2, accepts: [accepted], resource } as never,
          changes(),
        );
    };
    const STRANGER = `0x${"12".repeat(20)}` as const;
    const cases: Record<string, { reason: string; change: Change }> = {
      "another amount": {
        reason: "invalid_exact_evm_payload_authorization_value_mismatch",
        change: signing(() => ({ value: 999_999n })),
      },
      "a larger amount": {
        reason: "invalid_exact_evm_payload_authorization_value_mismatch",
        change: signing(() => ({ value: 1_000_001n })),
      },
      "another accepted amount": {
        reason: "invalid_exact_evm_payload_authorization_value_mismatch",
        change: accepting({ amount: "1" }),
      },
      "another payee": {
        reason: "invalid_exact_evm_payload_recipient_mismatch",
        change: signing(() => ({ to: STRANGER })),
      },
      "another accepted payee": {
        reason: "invalid_exact_evm_payload_recipient_mismatch",
        change: accepting({ payTo: STRANGER }),
      },
      "another token": {
        reason: "invalid_exact_evm_payload_asset_mismatch",
        change: accepting({ asset: STRANGER }),
      },
      "another network": {
        reason: "invalid_network",
        change: accepting({ network: "eip155:8453" }),
      },
      "another scheme": { reason: "unsupported_scheme", change: accepting({ scheme: "upto" }) },
      "another resource": {
        reason: "invalid_resource",
        change: (payment) => ({
          ...payment,
          resource: { ...payment.resource, url: "https://feeds.example.org/v1/topups" } as never,
        }),
      },
      "an expired one": {
        reason: "invalid_exact_evm_payload_authorization_valid_before",
        change: signing(() => ({ validBefore: now() - 1n })),
      },
      "one that expires at once": {
        reason: "invalid_exact_evm_payload_authorization_valid_before",
        change: signing(() => ({ validBefore: now() + 3n })),
      },
      "one that is not valid yet": {
        reason: "invalid_exact_evm_payload_authorization_valid_after",
        change: signing(() => ({ validAfter: now() + EARLIER_TO_LATE })),
      },
      "one that never expires": {
        reason: "invalid_exact_evm_payload_authorization_valid_before",
        change: signing(() => ({ validBefore: now() + 86_400n })),
      },
      "one without an offer": { reason: "invalid_offer", change: accepting({ extra: {} }) },
      "a signature of somebody else": {
        reason: "invalid_exact_evm_payload_signature",
        change: signing(() => ({ from: STRANGER })),
      },
      "a signature that is none": {
        reason: "invalid_exact_evm_payload_signature",
        change: (payment) => ({
          ...payment,
          payload: { ...payment.payload, signature: `0x${"11".repeat(65)}` },
        }),
      },
      "an offer that nobody made": {
        reason: "invalid_offer",
        change: accepting({ extra: { offer: "AQIDBA" } }),
      },
      "an offer to another account": {
        reason: "invalid_offer",
        change: async () => {
          const call = { usd: 1, key: await createReader(scene) };
          return signPayment(scene, wallet, await askTerms(scene, call));
        },
      },
      "an offer to somebody without a key": {
        reason: "invalid_offer",
        change: async () => signPayment(scene, wallet, await askTerms(scene, { usd: 1 })),
      },
    };
    for (const [name, { reason, change }] of Object.entries(cases)) {
      test(name, async () => {
        const call = { usd: 1, key: await createReader(scene) };
        const before = { topups: await countTopups(), calls: scene.facilitator.calls.length };
        const terms = await askTerms(scene, call);
        const payment = await change(await signPayment(scene, wallet, terms));
        const response = await postTopup(scene, { ...call, payment });
        expect(await problemOf(response)).toMatchObject({
          status: 402,
          code: "PAYMENT_REFUSED",
          body: { reason, accepts: [{ amount: "1000000" }] },
        });
        const after = { topups: await countTopups(), calls: scene.facilitator.calls.length };
        expect(after).toEqual(before);
      });
    }
  });

  test("a header that is no payment of version 2 is 400 PAYMENT_INVALID", async () => {
    const key = await createReader(scene);
    const call = { usd: 1, key };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    const permit2 = { ...payment, payload: { signature: "0x00", permit2Authorization: {} } };
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
    const headers: Record<string, string>[] = [
      { "PAYMENT-SIGNATURE": "no base64!" },
      { "PAYMENT-SIGNATURE": "bm8ganNvbg==" },
      { "PAYMENT-SIGNATURE": encoded([]) },
      { "PAYMENT-SIGNATURE": encoded({ ...payment, x402Version: 1 }) },
      { "PAYMENT-SIGNATURE": encoded(permit2) },
      { "PAYMENT-SIGNATURE": encoded({ ...payment, more: "x".repeat(9_500) }) },
      { "X-PAYMENT": encoded({ x402Version: 1 }) },
    ];
    for (const header of headers) {
      const response = await scene.gateway.send("POST", "/v1/topups", key, { usd: 1 }, header);
      expect(await problemOf(response)).toMatchObject({ status: 400, code: "PAYMENT_INVALID" });
    }
  });

  test("a payment that the chain knows, and nobody here, is 409 PAYMENT_TAKEN: its signature is public", async () => {
    const call = { usd: 1, key: await createReader(scene) };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    await chain.transfer(signedOf(payment));
    const response = await postTopup(scene, { ...call, payment });
    expect(await problemOf(response)).toMatchObject({ status: 409, code: "PAYMENT_TAKEN" });
    expect(await creditsOf(scene, call.key)).toBe(0);
  });

  test("who has only seen another's payment gets nothing for it", async () => {
    const call = { usd: 1, key: await createReader(scene) };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    expect((await postTopup(scene, { ...call, payment })).status).toBe(201);
    for (const thief of [{ usd: 1, key: await createReader(scene) }, { usd: 1 }]) {
      const { accepts } = await askTerms(scene, thief);
      const stolen = { ...payment, accepted: accepts[0] } as PaymentPayload;
      const response = await postTopup(scene, { ...thief, payment: stolen });
      expect(await problemOf(response)).toMatchObject({ status: 409, code: "PAYMENT_TAKEN" });
      if (thief.key !== undefined) expect(await creditsOf(scene, thief.key)).toBe(0);
    }
  });

  test("without a key, a payment makes an account and answers with its read key once", async () => {
    const { gateway } = scene;
    const order = requestOf({ usd: 1 });
    const response = await payingFetch(wallet)(`${gateway.baseUrl}/v1/topups`, order);
    const paid = (await response.json()) as { key: string; account_id: string; topup_id: string };
    expect(response.status).toBe(201);
    expect(await creditsOf(scene, paid.key)).toBe(1_000_000);
    expect((await gateway.get(`/v1/topups/${paid.topup_id}`, paid.key)).status).toBe(200);
    const [account] = await gateway.sql`
      select name from accounts where account_id = ${paid.account_id}`;
    expect(account?.name).toBe(`paid by ${wallet.address.toLowerCase()}`);
  });

  test("without a key, the same payment again, and at once, gets the same account and no second key", async () => {
    const call = { usd: 1 };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    const together = await Promise.all([1, 2, 3].map(() => postTopup(scene, { ...call, payment })));
    const again = await postTopup(scene, { ...call, payment });
    expect(again.status).toBe(200);
    const answers = (await Promise.all([...together, again].map((each) => each.json()))) as {
      account_id?: string;
      key?: string;
    }[];
    expect(answers.filter(({ key }) => key !== undefined)).toHaveLength(1);
    const accounts = answers.flatMap(({ account_id: id }) => (id === undefined ? [] : [id]));
    expect(new Set(accounts).size).toBe(1);
    const [counts] = await scene.gateway.sql`
      select count(*)::int as keys from api_keys where account_id = ${accounts[0] ?? ""}`;
    expect(counts?.keys).toBe(1);
  });

  test("without a key, the same payment under the same Idempotency-Key gets the key again, at any gateway, for a day", async () => {
    const { gateway } = scene;
    const peer = await startPeer(scene);
    const terms = await askTerms(scene, { usd: 1 });
    const call = { usd: 1, payment: await signPayment(scene, wallet, terms), once: newId() };
    const pay = async (changes: Partial<TopupCall> = {}) =>
      (await (await postTopup(scene, { ...call, ...changes })).json()) as { key?: string };
    // Its answer is lost, as if nobody had read it.
    const { key = "" } = await pay();
    expect((await pay()).key).toBe(key);
    expect((await pay({ baseUrl: peer })).key).toBe(key);
    expect(await creditsOf(scene, key)).toBe(1_000_000);
    for (const once of [undefined, newId()]) {
      expect(await pay({ once })).not.toHaveProperty("key");
    }
    await gateway.sql`
      update api_keys set created_at = now() - interval '24 hours' where key_hash = ${hashKey(key)}`;
    expect(await pay()).not.toHaveProperty("key");
    expect(await creditsOf(scene, key)).toBe(1_000_000);
  });

  test("without a key, a key that was revoked, and that of a payment without Idempotency-Key, are not given again", async () => {
    const { gateway } = scene;
    for (const once of [newId(), undefined]) {
      const terms = await askTerms(scene, { usd: 1 });
      const call = { usd: 1, payment: await signPayment(scene, wallet, terms) };
      const first = await postTopup(scene, { ...call, once });
      const { key } = (await first.json()) as { key: string };
      if (once !== undefined) {
        await gateway.sql`
          update api_keys set revoked_at = now() where key_hash = ${hashKey(key)}`;
      }
      const second = await postTopup(scene, { ...call, once: once ?? newId() });
      expect(await second.json()).not.toHaveProperty("key");
    }
  });

  test("without a key, less than 1 USD is 422, and a wrong key is still 403", async () => {
    const little = await postTopup(scene, { usd: 0.99 });
    expect(await problemOf(little)).toMatchObject({ status: 422, code: "VALIDATION_FAILED" });
    const wrong = await postTopup(scene, { usd: 1, key: "fg_read_wrong" });
    expect(await problemOf(wrong)).toMatchObject({ status: 403, code: "KEY_INVALID" });
  });

  test("without a key, calls of an address are limited", async () => {
    const other = await openScene(chain, { index: 3 });
    const calls = Array.from({ length: 2 * X402_KEYLESS_PER_ADDRESS }, () =>
      postTopup(other, { usd: 1 }),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([402, 429]));
    await other.stop();
  });

  test("a payment may come again under a newer offer to the same account", async () => {
    const call = { usd: 1, key: await createReader(scene) };
    const payment = await signPayment(scene, wallet, await askTerms(scene, call));
    expect((await postTopup(scene, { ...call, payment })).status).toBe(201);
    const { accepts } = await askTerms(scene, call);
    const renewed = { ...payment, accepted: accepts[0] } as PaymentPayload;
    expect((await postTopup(scene, { ...call, payment: renewed })).status).toBe(200);
    expect(await creditsOf(scene, call.key)).toBe(1_000_000);
  });

  test("what nobody has paid and is no account's is removed after a month, and nothing else", async () => {
    const { gateway } = scene;
    const before = await countTopups();
    const accountId = await gateway.createAccount();
    for (const [owner, age] of [
      [null, "31 days"],
      [null, "29 days"],
      [accountId, "31 days"],
    ] as const) {
      await gateway.sql`
        insert into topups (account_id, way, status, amount_nanos, expires_at, due_at, ended_at)
        values (
          ${owner}, 'x402', 'expired', 1, now(), now(), now() - ${age}::interval
        )`;
    }
    while (await forgetTopups().step(gateway.gateway.services.database));
    expect(await countTopups()).toBe(before + 2);
  });

  test("data routes neither show nor take payments", async () => {
    const { gateway, facilitator } = scene;
    const provider = await gateway.createAccount();
    const { feedId } = await seedFeed(gateway, provider, {
      type: "singleton",
      rows: [{ price: 7 }],
      callPriceNanos: 1_000,
    });
    const key = await createReader(scene);
    const payment = await signPayment(scene, wallet, await askTerms(scene, { usd: 1, key }));
    const sent = Buffer.from(JSON.stringify(payment)).toString("base64");
    const calls = facilitator.calls.length;
    for (const path of [`/v1/feed/${feedId}`, `/v1/feed/${feedId}/metadata`, "/v1/feeds"]) {
      const response = await gateway.get(path, key, { "PAYMENT-SIGNATURE": sent });
      const names = [...response.headers.keys()].filter((name) => name.includes("payment"));
      expect({ path, names }).toEqual({ path, names: [] });
      expect(await response.text()).not.toContain("x402Version");
    }
    expect(facilitator.calls).toHaveLength(calls);
    expect(await creditsOf(scene, key)).toBe(0);
  });
});
