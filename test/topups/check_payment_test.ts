import { expect, test } from "bun:test";
import { authorizationOf, findFault, findTimeFault } from "../../src/topups/x402/check_payment.ts";
import type { Requirements } from "../../src/topups/x402/offer.ts";
import { readPayment, type SentPayment } from "../../src/topups/x402/read_payment.ts";

const address = (digit: string) => `0x${digit.repeat(40)}`;
const NOW_SECONDS = 1_800_000_000;
const resourceUrl = "https://gateway.example/v1/topups";
const requirements: Requirements = {
  scheme: "exact",
  network: "eip155:8453",
  amount: "5000000",
  asset: address("a"),
  payTo: address("b"),
  maxTimeoutSeconds: 120,
  extra: { name: "USD Coin", version: "2" } as Requirements["extra"],
};
const authorization = {
  from: address("c"),
  to: address("B"),
  value: "5000000",
  validAfter: "0",
  validBefore: String(NOW_SECONDS + 100),
  nonce: `0x${"d".repeat(64)}`,
};

/** As a client sends it, with one thing otherwise. */
function payment(changes: {
  accepted?: object;
  authorization?: object;
  url?: string;
}): SentPayment {
  const sent = {
    x402Version: 2,
    resource: { url: changes.url ?? resourceUrl, description: "", mimeType: "application/json" },
    accepted: { ...requirements, ...changes.accepted },
    payload: {
      signature: `0x${"e".repeat(130)}`,
      authorization: { ...authorization, ...changes.authorization },
    },
  };
  const read = readPayment(Buffer.from(JSON.stringify(sent)).toString("base64"));
  if (read.kind === "invalid") throw new Error(read.reason);
  return read.payment;
}

test("a payment must be for what was offered, in each of its parts", () => {
  const faultOf = (changes: Parameters<typeof payment>[0]) =>
    findFault(payment(changes), { requirements, resourceUrl })?.reason;
  expect(faultOf({})).toBeUndefined();
  const recipient = "invalid_exact_evm_payload_recipient_mismatch";
  const value = "invalid_exact_evm_payload_authorization_value_mismatch";
  for (const [changes, reason] of [
    [{ accepted: { network: "eip155:1" } }, "invalid_network"],
    [{ accepted: { asset: address("f") } }, "invalid_exact_evm_payload_asset_mismatch"],
    [{ accepted: { payTo: address("f") } }, recipient],
    [{ authorization: { to: address("f") } }, recipient],
    [{ accepted: { amount: "4999999" } }, value],
    [{ authorization: { value: "4999999" } }, value],
    [{ url: "https://other.example/v1/topups" }, "invalid_resource"],
  ] as const) {
    expect([changes, faultOf(changes)]).toEqual([changes, reason]);
  }
});

test("a payment must be valid now, for long enough to settle it, and not for longer than was asked", () => {
  const faultOf = (times: object, expiresInMs = 60_000) => {
    const nowMs = NOW_SECONDS * 1_000;
    const expiresAt = new Date(nowMs + expiresInMs).toISOString();
    const offer = { id: "offer", amountNanos: 5_000_000_000n, expiresAt };
    const { reason } =
      findTimeFault(authorizationOf(payment({ authorization: times })), offer, nowMs) ?? {};
    return reason?.replace("invalid_exact_evm_payload_authorization_", "");
  };
  const until = (seconds: number) => ({ validBefore: String(NOW_SECONDS + seconds) });
  expect(faultOf(until(10))).toBeUndefined();
  expect(faultOf(until(9))).toBe("valid_before");
  expect(faultOf(until(180))).toBeUndefined();
  expect(faultOf(until(181))).toBe("valid_before");
  expect(faultOf({ validAfter: String(NOW_SECONDS) })).toBeUndefined();
  expect(faultOf({ validAfter: String(NOW_SECONDS + 1) })).toBe("valid_after");
  expect(faultOf({}, -1)).toBe("invalid_offer");
});
