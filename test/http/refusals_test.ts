import { expect, test } from "bun:test";
import { refusalOf } from "../../src/http/refusals.ts";

test("refusalOf prints what a 402 costs exactly, without an exponent or a float between", () => {
  const { options } = refusalOf(
    {
      kind: "unpaid",
      priceNanos: 9_007_199_254_740_993n,
      balanceNanos: 1n,
      window: { limit: 10, remaining: 10, resetSeconds: 0 },
    },
    { permission: "read", accountId: "a", billingUrl: "http://localhost", nowMs: 0 },
  );
  expect(JSON.stringify(options.extras)).toBe(
    '{"billing_url":"http://localhost/?account_id=a","price":{"credits":9007199254740.993,"usd":9007199.254740993},"balance":{"credits":0.001,"usd":0.000000001}}',
  );
  const small = refusalOf(
    {
      kind: "unpaid",
      priceNanos: 1n,
      balanceNanos: 0n,
      window: { limit: 10, remaining: 10, resetSeconds: 0 },
    },
    { permission: "read", accountId: "a", billingUrl: "http://localhost", nowMs: 0 },
  );
  expect(JSON.stringify(small.options.extras)).toContain(
    '"price":{"credits":0.001,"usd":0.000000001}',
  );
});
