/**
 * Random histories of payments by x402 over two gateways with a facilitator each, with whatever payers, thieves,
 * facilitators and the chain may do in between. In the end the chain says what each payment has to have got.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { PaymentPayload } from "@x402/core/types";
import fc from "fast-check";
import { type Authorization, type Chain, hasChain, startChain } from "../../support/chain/chain.ts";
import {
  type Answering,
  type Facilitator,
  startFacilitator,
} from "../../support/chain/facilitator.ts";
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
  startPeer,
} from "../../topups/x402_scene.ts";

const HISTORIES = Number(process.env.FUZZ_HISTORIES ?? 5);
const CONFIRMATIONS = 2;
/** Blocks that the chain drops at once, at most: more than are waited for. */
const REORGANISED_MAX = 4;
/** Later than any authorization of these tests. */
const AFTER_ALL_SECONDS = 400;
/** By then a block is final for anvil. */
const FINAL_BLOCKS = 80;
/** A call of a payer gets one of these, whatever happens. */
const STATUSES = [200, 201, 202, 402, 409, 503];
const MICROS_PER_USD = 1_000_000;
const NANOS_PER_MICRO = 1_000;

const FAILURE = {
  success: false,
  errorReason: "unexpected_settle_error",
  transaction: "",
  network: "eip155:31337",
};
const SUCCESS = { ...FAILURE, success: true, transaction: `0x${"00".repeat(32)}` };

/** What a facilitator does from now on. */
const MOODS: Readonly<Record<string, Answering>> = {
  honest: (_path, honest) => honest(),
  away: async () => new Response("down", { status: 502 }),
  refusing: async (path, honest) => (path === "/settle" ? FAILURE : honest()),
  "taking the money, and denying it": async (path, honest) => {
    const answer = await honest();
    return path === "/settle" ? FAILURE : answer;
  },
  "taking the money, and silent": async (path, honest) => {
    const answer = await honest();
    return path === "/settle" ? new Response("timeout", { status: 504 }) : answer;
  },
  "only saying that it took the money": async (path) =>
    path === "/settle" ? SUCCESS : { isValid: true },
  "taking the money when it is to verify": async (path, honest, { paymentPayload }) => {
    if (path === "/settle") return honest();
    await send(paymentPayload);
    return { isValid: false, invalidReason: "invalid_payload" };
  },
};

/** Faults of an authorization. The payer signs it with its fault. */
const FLAWS: Readonly<Record<string, (now: bigint) => Partial<Authorization>>> = {
  none: () => ({}),
  amount: () => ({ value: 499_999n }),
  payee: () => ({ to: `0x${"12".repeat(20)}` }),
  expired: (now) => ({ validBefore: now - 1n }),
  "not yet valid": (now) => ({ validAfter: now + 60n }),
};

const at = fc.nat(1);
const payment = fc.nat(9);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("pay" as const),
      usd: fc.constantFrom(0.5, 1, 2),
      flaw: fc.oneof(
        { weight: 8, arbitrary: fc.constant("none") },
        fc.constantFrom(...Object.keys(FLAWS)),
      ),
      isTwice: fc.boolean(),
      at,
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("repeat" as const), payment, at }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom(...(["steal", "send", "cancel", "use elsewhere"] as const)),
      payment,
      at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("mood" as const),
      mood: fc.oneof(fc.constant("honest"), fc.constantFrom(...Object.keys(MOODS))),
      at,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom(...(["mine", "mine", "jobs"] as const)) }),
  },
);
/** Steps that run at once. Then the chain drops so many blocks. */
const burst = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 8, size: "max" }),
  reorganised: fc.constantFrom(0, 0, 0, 0, 1, 2, REORGANISED_MAX),
});
const history = fc.array(burst, { minLength: 2, maxLength: 4 });
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A payment and its payer's account. */
interface Paid {
  readonly key: string;
  readonly usd: number;
  readonly payload: PaymentPayload;
  /** What was done with it, for whoever looks into a failure. */
  readonly story: string[];
}

let chain: Chain;
let scene: PaymentScene;
let other: Facilitator;
let wallet: Awaited<ReturnType<Chain["createWallet"]>>;
/** By gateway. */
let bases: string[];
const payments: Paid[] = [];
/** Of accounts that try to get credits for another's payment. */
const thieves: string[] = [];

/** One after the other, since they are sent by one account of the chain. */
let sending: Promise<unknown> = Promise.resolve();
function inTurn(act: () => Promise<unknown>): Promise<void> {
  // The chain refuses what is used or can't be used.
  const turn = sending.then(act).then(
    () => {},
    () => {},
  );
  sending = turn;
  return turn;
}

function send(payload: PaymentPayload): Promise<void> {
  return inTurn(() => chain.transfer(signedOf(payload)));
}

async function post({ key, usd, payload, story }: Paid, place: number): Promise<void> {
  const baseUrl = bases[place] as string;
  const { status } = await postTopup(scene, { usd, key, payment: payload, baseUrl });
  story.push(`${status} at ${place}`);
  expect(STATUSES).toContain(status);
}

async function pay({ usd, flaw, isTwice, at: place }: Step & { does: "pay" }): Promise<void> {
  const key = await createReader(scene);
  const now = BigInt(Math.floor(Date.now() / 1_000));
  const terms = await askTerms(scene, { usd, key });
  const payload = await signPayment(scene, wallet, terms, FLAWS[flaw]?.(now));
  const paid = { key, usd, payload, story: [flaw] };
  payments.push(paid);
  const places = isTwice ? [place, 1 - place] : [place];
  await Promise.all(places.map((each) => post(paid, each)));
}

async function take(taken: Step): Promise<void> {
  if (taken.does === "pay") return await pay(taken);
  if (taken.does === "mood") {
    const facilitator = taken.at === 0 ? scene.facilitator : other;
    facilitator.answering = MOODS[taken.mood];
    return;
  }
  if (!("payment" in taken)) {
    return taken.does === "jobs" ? await finishAll(scene) : await inTurn(() => chain.mine(1));
  }
  // Of the last few, so that something may still become of it.
  const paid = payments.at(-1 - taken.payment);
  if (paid === undefined) return;
  const { payload, story } = paid;
  story.push(taken.does);
  const { authorization } = signedOf(payload);
  switch (taken.does) {
    case "repeat":
      return await post(paid, taken.at);
    case "send":
      return await send(payload);
    case "cancel":
      return await inTurn(() => chain.cancel(wallet, authorization.nonce));
    case "use elsewhere": {
      const own = { ...authorization, to: wallet.address };
      const signature = await chain.signTransfer(wallet, own);
      return await inTurn(() => chain.transfer({ authorization: own, signature }));
    }
    case "steal": {
      const key = await createReader(scene);
      thieves.push(key);
      const { accepts } = await askTerms(scene, { usd: paid.usd, key });
      const stolen = { ...payload, accepted: accepts[0] } as PaymentPayload;
      const baseUrl = bases[taken.at] as string;
      await postTopup(scene, { usd: paid.usd, key, payment: stolen, baseUrl });
    }
  }
}

/** Whether the chain has the transfer that an authorization allows, to the payee. */
async function hasTransfer({ payload, usd }: Paid): Promise<boolean> {
  const { nonce } = signedOf(payload).authorization;
  const [used] = await chain.client.getLogs({
    address: chain.asset,
    event: {
      type: "event",
      name: "AuthorizationUsed",
      inputs: [
        { type: "address", name: "authorizer", indexed: true },
        { type: "bytes32", name: "nonce", indexed: true },
      ],
    },
    args: { authorizer: wallet.address, nonce },
    fromBlock: 0n,
  });
  if (used === undefined) return false;
  const { logs } = await chain.client.getTransactionReceipt({ hash: used.transactionHash });
  const moved = logs.find(({ logIndex }) => logIndex === used.logIndex + 1);
  const isToPayee = moved?.topics[2]?.endsWith(scene.payTo.slice(2).toLowerCase()) === true;
  return isToPayee && BigInt(moved.data) === BigInt(usd * MICROS_PER_USD);
}

describe.skipIf(!hasChain())("x402", () => {
  beforeAll(async () => {
    chain = await startChain();
    const settings = { FEEDGATE_X402_CONFIRMATIONS: String(CONFIRMATIONS) };
    scene = await openScene(chain, { index: 1, settings });
    other = startFacilitator(chain, 2);
    const peer = await startPeer(scene, {
      ...settings,
      FEEDGATE_X402_FACILITATOR_URL: other.url,
    });
    bases = [scene.gateway.baseUrl, peer];
    wallet = await chain.createWallet();
  });
  afterAll(async () => {
    await scene.stop();
    await other.stop();
    await chain.stop();
  });

  test(`each payment that was begun is granted exactly if the chain has its transfer to the payee, once: ${HISTORIES} random histories over two gateways`, async () => {
    // One that is granted whatever comes.
    await pay({ does: "pay", usd: 1, flaw: "none", isTwice: true, at: 0 });
    await chain.mine(REORGANISED_MAX);
    await fc.assert(
      fc.asyncProperty(history, async (bursts) => {
        for (const { steps, reorganised } of bursts) {
          await Promise.all(steps.map(take));
          if (reorganised > 0) await inTurn(() => chain.reorganise(reorganised));
        }
      }),
      { numRuns: HISTORIES, endOnFailure: true },
    );
    scene.facilitator.answering = undefined;
    // No authorization is good any more, and no block can be replaced.
    await chain.passTime(AFTER_ALL_SECONDS);
    await chain.mine(FINAL_BLOCKS);
    await finishAll(scene);
    await recheckAll(scene);

    let micros = 0;
    for (const paid of payments) {
      const { nonce } = signedOf(paid.payload).authorization;
      const begun = await scene.gateway.sql`
        select status from topups where payment_id like ${`% ${nonce}`}`;
      const isDue = begun.length === 1 && (await hasTransfer(paid));
      const expected = isDue ? paid.usd * MICROS_PER_USD : 0;
      micros += expected;
      const { story } = paid;
      expect({ story, credits: await creditsOf(scene, paid.key) }).toEqual({
        story,
        credits: expected,
      });
    }
    for (const key of thieves) expect(await creditsOf(scene, key)).toBe(0);
    const [sums] = await scene.gateway.sql`
      select
        (select coalesce(sum(amount_nanos), 0) from credit_ledger)::text as nanos,
        (select count(*) from topups where status = 'waiting')::int as waiting,
        (select count(*) from topups where alert is not null)::int as alerts`;
    expect(sums).toEqual({ nanos: String(micros * NANOS_PER_MICRO), waiting: 0, alerts: 0 });
    expect(micros).toBeGreaterThan(0);
  }, 600_000);
});
