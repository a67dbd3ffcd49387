import { expect, test } from "bun:test";
import { auditAction, auditChanges } from "../../../../src/pages/console/operator/audit_words.ts";

test("auditAction says what was done, and leaves no action unsaid", () => {
  expect(auditAction("feed unpublish")).toBe("Feed unpublished");
  expect(auditAction("credits grant")).toBe("Credits added");
  expect(auditAction("access end")).toBe("Access ended");
  expect(auditAction("webhook create")).toBe("Webhook added");
  expect(auditAction("webhook edit")).toBe("Webhook changed");
  expect(auditAction("webhook rotate")).toBe("Webhook secret rotated");
  expect(auditAction("webhook delete")).toBe("Webhook deleted");
  expect(auditAction("something new")).toBe("Something new");
});

test("auditChanges speaks of money in USD, of times with their zone, and of long texts as changed", () => {
  const exact = (text: string) => JSON.rawJSON(text);
  for (const [before, after, words] of [
    [{ is_public: true }, { is_public: false }, []],
    [
      { balance_credits: 0 },
      { entry_id: 7, amount_credits: 5_000_000, balance_credits: 5_000_000, reason: "trial" },
      ["amount: 5.00 USD (5,000,000 credits)", "balance: 0.00 USD → 5.00 USD", "reason: trial"],
    ],
    [
      { price_per_1k: exact("0.0010") },
      { price_per_1k: exact("0.002") },
      ["price: 0.0010 USD per 1,000 calls → 0.002 USD per 1,000 calls"],
    ],
    [
      { daily_credits: null },
      { daily_credits: exact("250000.5") },
      ["daily budget: 0.2500005 USD"],
    ],
    [{ daily_credits: 1_000_000 }, { daily_credits: null }, ["daily budget removed, was 1.00 USD"]],
    [
      { schema_definition: { type: "object" } },
      { schema_definition: { bytes: 2_000, md5: "x", begins: "{" } },
      ["schema changed"],
    ],
    [{ schema_locked: false }, { schema_locked: true }, ["schema locked"]],
    [
      { expires_at: null },
      { expires_at: "2026-11-21T10:00:00+00:00" },
      ["expires: 2026-11-21 10:00 UTC"],
    ],
    [
      { sync_interval_mins: 60 },
      { sync_interval_mins: 1_440 },
      ["push interval: every 60 minutes → daily"],
    ],
    [
      {},
      {
        name: "A",
        slug: null,
        price_type: "free",
        price_per_1k: 0,
        schema_version: 1,
        review: "none",
      },
      ["name: A", "pricing: free"],
    ],
    [{}, { max_feeds_allowed: 5 }, ["feed limit: 5"]],
    [{ webhook_id: "w" }, { webhook_id: "w" }, []],
    [
      { webhook_id: "w", host: "https://a.example" },
      { webhook_id: "w", host: "https://b.example" },
      ["host: https://a.example → https://b.example"],
    ],
    [
      { webhook_id: "w", host: "https://a.example", types: ["feed.updated"] },
      { webhook_id: "w", host: "https://a.example", types: ["feed.gone"] },
      ["different address at https://a.example", 'notices: ["feed.updated"] → ["feed.gone"]'],
    ],
  ] as const) {
    expect(auditChanges({ before, after })).toEqual([...words]);
  }
});
