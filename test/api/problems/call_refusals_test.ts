import { expect, test } from "bun:test";
import { refusalOf } from "../../../src/api/problems/call_refusals.ts";

test("refusalOf prints what a 402 costs exactly, without an exponent or a float between", () => {
  const window = { limit: 10, remaining: 10, resetSeconds: 0 };
  const context = {
    principal: { permission: "read", accountId: "a" },
    billingUrl: "http://localhost",
    nowMs: 0,
  } as const;
  for (const [priceNanos, balanceNanos, amounts] of [
    [
      9_007_199_254_740_993n,
      1n,
      '"price":{"credits":9007199254740.993,"usd":9007199.254740993},"balance":{"credits":0.001,"usd":0.000000001}',
    ],
    [1n, 0n, '"price":{"credits":0.001,"usd":0.000000001},"balance":{"credits":0,"usd":0}'],
  ] as const) {
    const { options } = refusalOf({ kind: "unpaid", priceNanos, balanceNanos, window }, context);
    expect(JSON.stringify(options.extras)).toBe(
      `{"billing_url":"http://localhost/?account_id=a",${amounts}}`,
    );
  }
});
