/**
 * Example values that several operations share: one feed of earthquakes, its rows and its reader.
 *
 * @module
 */

export const FEED_ID = "0192f0c1-8f5e-7c3a-9d1b-2f6c1e0a4b7d";
export const ACCOUNT_ID = "3d6f8a52-5b0e-4c8e-9a44-0d2f7f0e6c11";
const KEY_ID = "6c1f0a7b-2d7e-4c39-8b55-5b2e4f0e9a11";
export const AGENT_KEY_ID = "b1d4c7e0-93aa-4f5e-8d21-7c0e6a2f4d35";
export const USAGE_ID = "0193a7e4-52d1-7b6e-8c55-6a1f0f7e9d20";
const SYNCED_AT = "2026-11-21T09:00:04.218031Z";

export const ORIGIN = {
  usage_id: USAGE_ID,
  timestamp: "2026-11-21T09:02:11.480112Z",
  feed_id: FEED_ID,
  credits_charged: 1,
};

export const TOPUP = {
  topup_id: "5e0b7c1d-6a2f-4d83-9c70-1f4b8a2e6d05",
  usd: 5,
  credits: 5_000_000,
  way: "card",
  status: "waiting",
  pay_url: "https://checkout.stripe.com/c/pay/cs_live_a1b2c3",
  created_at: "2026-11-21T09:02:11.480112Z",
  expires_at: "2026-11-22T08:02:11.000000Z",
};

export const PAID_TOPUP = {
  topup_id: "7d1c9e52-0b64-4a3f-8e2b-93f0d5a41c68",
  usd: 5,
  credits: 5_000_000,
  way: "x402",
  status: "granted",
  created_at: "2026-11-21T09:02:11.480112Z",
  expires_at: "2026-11-21T09:04:10.480112Z",
  ended_at: "2026-11-21T09:02:17.902340Z",
  transaction: "0x2f1c5d0e9b7a46835f2d1c0b9a8e7f6d5c4b3a29180706f5e4d3c2b1a0998877",
};

export const KEYLESS_TOPUP = {
  ...PAID_TOPUP,
  account_id: "b5a0d3f8-2c47-4e19-9d06-7f8e1a2b3c4d",
  key: "fg_read_3kTq9XvB7mZ1pLw5RyN8cJd2HfG6sAuE0iVoKt",
};

const SOLD = {
  reads: 5_200,
  paid_reads: 5_000,
  accounts: 12,
  purchases: 1,
  gross_usd: 5.005,
  refunded_usd: 0.001,
  fee_usd: 0.5004,
  net_usd: 4.5036,
  is_final: true,
};

export const EARNINGS = {
  from: "2026-11-20",
  to: "2026-11-20",
  group_by: "day",
  groups: [{ date: "2026-11-20", ...SOLD }],
  totals: SOLD,
  complete_until: "2026-11-21T09:01:40.200513Z",
};

export const EARNED = {
  payouts: [
    {
      payout_id: 7,
      paid_at: "2026-11-02T10:00:00.118204Z",
      usd: 40,
      reference: "sepa-2026-10",
      undoes_payout_id: null,
      undone_by_payout_id: null,
      reason: null,
    },
  ],
  earned_usd: 44.5036,
  paid_usd: 40,
  owed_usd: 4.5036,
  limit: 20,
  has_more: false,
  next_cursor: null,
};

export const ORIGIN_FREE = { ...ORIGIN, feed_id: null, credits_charged: 0 };

export const ROWS = [
  { id: "us7000kufc", event_timestamp: "2026-11-21T08:41:07Z", magnitude: 5.1, place: "Tonga" },
  { id: "us7000kuf9", event_timestamp: "2026-11-21T08:12:55Z", magnitude: 4.7, place: "Chile" },
];

export const SCHEMA_DEFINITION = {
  type: "object",
  properties: {
    id: { type: "string" },
    event_timestamp: { type: "string", format: "date-time" },
    magnitude: { type: "number" },
    place: { type: "string" },
  },
  required: ["id", "magnitude"],
};

export const FEED_METADATA = {
  id: FEED_ID,
  name: "Earthquakes",
  description: "Earthquakes of magnitude 4.5 and above, worldwide.",
  endpoint_path: "quakes",
  readme_md: "# Earthquakes\n\nUpdated every hour.",
  category: "science",
  feed_type: "stream",
  consumer_type: "stream",
  price_per_1k: 0.001,
  price_type: "metered",
  one_time_price_cents: null,
  access: "open",
  reliability_score: 99.2,
  last_sync_at: SYNCED_AT,
  sync_interval_mins: 60,
  update_frequency_text: "hourly",
  storage_config: { max_body_bytes: 2_097_152, max_row_bytes: 51_200, max_rows: 500 },
  schema_definition: SCHEMA_DEFINITION,
  schema_version: 1,
  schema_changed_at: "2026-11-02T08:30:00.000000Z",
  schema_locked: true,
  sample_response: ROWS[0],
  status: "active",
  provider: { id: ACCOUNT_ID, name: "Seismic Data" },
};

/** Members of metadata about the rows. */
export const METADATA_ROWS = {
  oldest_event: "2026-01-01T03:12:40.000000Z",
  newest_event: "2026-11-21T08:41:07.000000Z",
  row_count: 12_480,
  bytes: 2_914_032,
  credits_to_read_all: 125,
};

export const ACCESS_REQUEST = {
  request_id: "0199c1f0-0000-7000-8000-0000000000a1",
  feed_id: FEED_ID,
  endpoint_path: "quakes",
  feed_name: "Earthquakes",
  account_id: ACCOUNT_ID,
  account_name: "Map makers",
  message: "We show quakes on a map for schools.",
  status: "waiting",
  reason: null,
  asked_at: SYNCED_AT,
  answered_at: null,
};

export const FEED_READER = {
  account_id: ACCOUNT_ID,
  account_name: "Map makers",
  is_free: true,
  expires_at: "2099-12-31T23:59:59.000000Z",
  note: "Schools",
  granted_at: SYNCED_AT,
};

export const READER_INVITATION = {
  id: "0199c1f0-0000-7000-8000-0000000000a2",
  address: "ada@example.com",
  is_free: false,
  expires_at: null,
  note: null,
  ends_at: "2026-12-01T08:41:07.000000Z",
};

export const FEED_ROW = {
  ...FEED_METADATA,
  draft_step: null,
  retention_days: null,
  is_public: true,
  review: "listed",
  review_reason: null,
  created_at: "2026-11-01T12:00:00.000000Z",
  updated_at: "2026-11-02T08:30:00.000000Z",
};

const {
  schema_definition: _schema,
  sample_response: _sample,
  readme_md: _readme,
  ...SLIM_ROW
} = FEED_ROW;
export const OWN_FEED = {
  ...SLIM_ROW,
  row_count: 1_204,
  open_batches: [],
  reads: 48_210,
  readers: 37,
  net_usd: 0.04821,
  last_refusal: {
    push_id: 5_120,
    pushed_at: "2026-11-20T09:00:03.113047Z",
    code: "VALIDATION_FAILED",
    detail:
      "Nothing was stored, because the body is not valid: /payload/0/magnitude: must be a number. Correct the listed errors and push again.",
  },
};

export const EDIT_JUDGEMENT = {
  dry_run: true,
  compatibility: "breaking",
  changes: [
    {
      path: "/properties/place",
      change: "property removed",
      why: "readers rely on it, and rows may now lack it",
    },
  ],
  refused_with: "SCHEMA_BREAKING",
};

export const WRITTEN_FEED = {
  ...FEED_ROW,
  max_feeds_allowed: 3,
  feeds_used: 1,
  warnings: ["format in schema_definition is an annotation and is not checked; use pattern."],
};

export const CREATED_FEED = {
  ...WRITTEN_FEED,
  schema_changed_at: FEED_ROW.created_at,
  status: "draft",
  is_public: false,
  review: "none",
  last_sync_at: null,
  reliability_score: null,
};

const LISTED = {
  id: FEED_ID,
  name: "Earthquakes",
  description: FEED_METADATA.description,
  category: "science",
  feed_type: "stream",
  consumer_type: "stream",
  endpoint_path: "quakes",
  pricing: "$0.001 per 1,000 calls",
};

export const CATALOG_ENTRY = {
  ...LISTED,
  update_frequency: "hourly",
  reliability: "99.2%",
  last_sync_at: SYNCED_AT,
  schema_hint: Object.keys(SCHEMA_DEFINITION.properties),
};

export const SEARCH_HIT = {
  ...LISTED,
  price_type: "metered",
  price_per_1k: 0.001,
  one_time_price_cents: null,
  reliability_score: 99.2,
  last_sync_at: SYNCED_AT,
  update_frequency_text: "hourly",
};

export const PUSH_RESULT = {
  feed_id: FEED_ID,
  feed_type: "stream",
  status: "active",
  rows_received: 2,
  rows_inserted: 1,
  rows_updated: 0,
  rows_duplicate: 1,
  row_outcomes: ["duplicate", "inserted"],
  batch_id: null,
  batch_complete: false,
  is_visible: true,
  last_sync_at: SYNCED_AT,
  data_version: 42,
};

export const STORED_PUSH = {
  push_id: 5_121,
  pushed_at: SYNCED_AT,
  outcome: "stored",
  code: null,
  detail: null,
  rows_received: 2,
  rows_inserted: 1,
  rows_updated: 0,
  rows_duplicate: 1,
  bytes: 211,
  ms: 4,
  batch_id: null,
};

export const LIMITED_PUSH = {
  ...STORED_PUSH,
  push_id: 5_122,
  pushed_at: "2026-11-21T09:01:00.004871Z",
  outcome: "refused",
  code: "RATE_LIMITED",
  detail:
    "The limit is 20 calls per minute. At least 10 pushes were refused for this reason in the same minute.",
  rows_received: 0,
  rows_inserted: 0,
  rows_duplicate: 0,
  bytes: 0,
  ms: 0,
};

export const USAGE_EVENT = {
  usage_id: USAGE_ID,
  timestamp: ORIGIN.timestamp,
  operation: "data",
  feed_id: FEED_ID,
  credits_charged: 1,
  key_id: KEY_ID,
};

export const ACCOUNT = {
  id: ACCOUNT_ID,
  name: "Research agents",
  balance: { credits: 999.5, usd: 0.0009995 },
  budget: {
    daily: { credits: 100, usd: 0.0001 },
    spent: { credits: 0.5, usd: 0.0000005 },
    left: { credits: 99.5, usd: 0.0000995 },
    resets_at: "2026-11-22T00:00:00.000Z",
  },
  agents: [
    {
      key_id: AGENT_KEY_ID,
      name: "Claude",
      spent: { credits: 12.5, usd: 0.0000125 },
      expires_at: "2026-12-21T12:00:00.000000Z",
    },
  ],
  limits: [
    { operation: "data", tier: "free", limit: 10, window_seconds: 60 },
    { operation: "data", tier: "paid", limit: 100, window_seconds: 60 },
    { operation: "search", tier: "all", limit: 120, window_seconds: 60 },
  ],
};

const BOUGHT_FEED = {
  purchase_id: USAGE_ID,
  feed_id: FEED_ID,
  account_id: ACCOUNT_ID,
  purchased_at: ORIGIN.timestamp,
  price: { credits: 5_000_000, usd: 5 },
};

export const PURCHASE = { ...BOUGHT_FEED, endpoint_path: "quakes", paid_from: "balance" };

export const BOUGHT = {
  ...BOUGHT_FEED,
  balance: { credits: 20_000_000, usd: 20 },
  _origin: { ...ORIGIN, credits_charged: 5_000_000 },
};

export const BOUGHT_BEFORE = { ...BOUGHT, _origin: { ...ORIGIN, credits_charged: 0 } };
