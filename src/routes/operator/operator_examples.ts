/**
 * Example values of the operator API.
 *
 * @module
 */
import {
  ACCOUNT_ID,
  EARNINGS,
  FEED_ID,
  FEED_ROW,
  ROWS,
  USAGE_ID,
} from "../../api/reference/examples.ts";

const KEY_ID = "6c1f0a7b-2d7e-4c39-8b55-5b2e4f0e9a11";
const MADE_AT = "2026-11-21T08:15:19.038672Z";

export const ACCOUNT = {
  id: ACCOUNT_ID,
  name: "Acme agents",
  max_feeds_allowed: 3,
  balance_credits: 5_000,
  balance_usd: 0.005,
  created_at: MADE_AT,
};

export const KEY = {
  id: KEY_ID,
  key_start: "fg_read_abcd",
  permission: "read",
  account_id: ACCOUNT_ID,
  name: "night-agent",
  created_at: MADE_AT,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  daily_credits: 500,
  feed_ids: null,
};

export const MEMBER = {
  person_id: "5d0c7a9e-2f41-4c6b-9a55-0e8f3b7d1c42",
  name: "Ada Lovelace",
  address: "ada@example.com",
  role: "owner",
  since: MADE_AT,
};

export const PERSON = {
  id: MEMBER.person_id,
  address: MEMBER.address,
  name: MEMBER.name,
  created_at: MADE_AT,
  agreed_at: null,
  proven_by: ["mail"],
  accounts: [{ account_id: ACCOUNT_ID, name: ACCOUNT.name, role: MEMBER.role }],
};

export const INVITATION = {
  id: "b1e5c8f0-7d3a-4f29-8c64-2a9d6e0b4f17",
  account_id: ACCOUNT_ID,
  account_name: ACCOUNT.name,
  address: "charles@example.com",
  role: "member",
  created_at: MADE_AT,
  expires_at: "2026-01-08T09:00:00.000000Z",
};

export const PROVEN_ACCOUNT = {
  ...ACCOUNT,
  ledger: {
    granted_credits: 5_000,
    revoked_credits: 0,
    charged_credits: 0,
    refunded_credits: 0,
    is_balanced: true,
  },
  spent: { usd: 0, counted_usd: 0, waiting_usd: 0, is_balanced: true },
  earned: { gross_usd: 0, refunded_usd: 0, fee_usd: 0, earned_usd: 0, paid_usd: 0, owed_usd: 0 },
  keys: [KEY],
};

const { key_start: _start, created_at: _at, revoked_at: _end, last_used_at: _use, ...KEPT } = KEY;
const PLAIN_KEY = "fg_read_…";

export const CREATED_KEY = { ...KEPT, key: PLAIN_KEY };

export const ROTATED_KEY = {
  ...KEY,
  key: PLAIN_KEY,
  replaces: "0b6f7a52-93d1-4b0e-a1cf-6a1b7f0e9d20",
};

export const FOUND_KEY = { ...KEY, account_name: "Acme agents" };

export const ENTRY = {
  entry_id: 42,
  account_id: ACCOUNT_ID,
  kind: "grant",
  credits: 5_000,
  balance_before_credits: 0,
  balance_after_credits: 5_000,
  reason: "invoice 4711",
  reference: "order-4711",
  created_at: MADE_AT,
};

export const PROMOTION = {
  code: "WELCOME",
  credits: 1_000,
  max_redemptions: 100,
  expires_at: null,
  created_at: MADE_AT,
};

export const PURCHASE = {
  purchase_id: USAGE_ID,
  paid_from: "elsewhere",
  entry_id: 43,
  account_id: ACCOUNT_ID,
  feed_id: FEED_ID,
  endpoint_path: "quakes",
  reference: "order-4712",
  purchased_at: MADE_AT,
  price_usd: 5,
};

export const USAGE_EVENT = {
  usage_id: USAGE_ID,
  timestamp: MADE_AT,
  operation: "data",
  feed_id: FEED_ID,
  credits_charged: 1,
  key_id: KEY_ID,
};

export const FEED = FEED_ROW;

export const FEED_REVIEW = {
  ...FEED_ROW,
  row_count: 2,
  bytes: 180,
  open_batches: [],
  pushes: [],
  newest_rows: ROWS,
};

export const AUDIT_EVENT = {
  id: 7,
  happened_at: MADE_AT,
  actor: `admin key shop (${KEY_ID})`,
  face: "api",
  action: "credits grant",
  account_id: ACCOUNT_ID,
  feed_id: null,
  before: { balance_credits: 0 },
  after: { balance_credits: 5_000, amount_credits: 5_000, reason: "invoice 4711" },
};

const COUNTED = {
  reads: 1_200,
  discovery_calls: 40,
  purchases: 1,
  charged_credits: 1_150,
  refunded_credits: 0,
  refused: 3,
  refusals: { "402": 2, "429": 1 },
  errors: 0,
  pushes: 60,
  refused_pushes: 1,
  pushed_rows: 540,
};
const READ = { reads: 1_200, credits_charged: 1_150 };

export const STATS = {
  by: "day",
  from: "2026-11-21T00:00:00.000Z",
  to: "2026-11-22T00:00:00.000Z",
  groups: [{ at: "2026-11-21T00:00:00.000Z", ...COUNTED, is_final: false }],
  totals: COUNTED,
  complete_until: MADE_AT,
  ledger: {
    accounts: 12,
    wrong_accounts: 0,
    granted_credits: 60_000,
    revoked_credits: 200,
    charged_credits: 1_150,
    refunded_credits: 0,
    balance_credits: 58_650,
    is_balanced: true,
    proven_at: MADE_AT,
  },
  top: {
    feeds: [
      {
        feed_id: FEED_ID,
        endpoint_path: "quakes",
        feed_name: "Quakes",
        account_id: ACCOUNT_ID,
        account_name: "Acme data",
        ...READ,
      },
    ],
    accounts: [{ account_id: ACCOUNT_ID, account_name: "Acme agents", ...READ }],
  },
};

export const STATEMENT = {
  account_id: ACCOUNT_ID,
  ...EARNINGS,
  earned_usd: 120.25,
  paid_usd: 100,
  owed_usd: 20.25,
};
export const STATEMENT_CSV =
  "date,reads,paid_reads,accounts,purchases,gross_usd,refunded_usd,fee_usd,net_usd,is_final\r\n2026-11-20,5200,5000,12,1,5.005,0.001,0.5004,4.5036,true\r\n";

export const LISTED_TOPUP = {
  topup_id: "5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05",
  account_id: ACCOUNT_ID,
  key_id: KEY_ID,
  way: "card",
  status: "granted",
  usd: 5,
  credits: 5_000_000,
  reference: "stripe:cs_live_a1b2c3",
  payment_id: "cs_live_a1b2c3",
  created_at: MADE_AT,
  expires_at: MADE_AT,
  ended_at: MADE_AT,
  taken_back_usd: 2,
  unrecovered_usd: 0,
  alert: null,
  last_error: null,
};

export const TOPUP_REPORT = {
  from: "2026-11-01",
  to: "2026-11-21",
  ways: [
    {
      way: "card",
      granted: 12,
      paid_usd: 140,
      taken_back_usd: 5,
      unrecovered_usd: 0,
      expired: 3,
      alerts: 0,
    },
  ],
};

export const PAYOUT = {
  account_id: ACCOUNT_ID,
  payout_id: 7,
  paid_at: MADE_AT,
  usd: 4.5,
  reference: "transfer-2026-11",
  undoes_payout_id: null,
  undone_by_payout_id: null,
  reason: null,
};

export const PAYOUT_UNDO = {
  ...PAYOUT,
  payout_id: 8,
  usd: -4.5,
  reference: "payout_undo:7",
  undoes_payout_id: 7,
  reason: "the transfer came back",
};

export const SIGN_IN_LINK = {
  url: "https://feeds.example.com/console/link/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE",
  expires_at: "2026-11-21T08:30:20Z",
};
