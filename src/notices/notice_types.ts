/**
 * Every type of notice: the keys that can subscribe to it, the schema of its `data`, and whether members receive it by
 * email by default.
 *
 * The schemas are also the OpenAPI document's `webhooks`. See `src/spec/beyond.md`, section 17.
 *
 * @module
 */
import { type TObject, Type } from "@sinclair/typebox";
import { nullable, oneOf } from "../lib/typebox.ts";
import { count, time, uuid } from "../shapes.ts";

/** The permission that a key needs to subscribe. */
export type NoticePermission = "read" | "write" | "admin";

export interface NoticeType {
  /** The permissions whose keys can subscribe to it. */
  readonly permissions: readonly NoticePermission[];
  /** When it is sent, in one sentence. */
  readonly when: string;
  readonly data: TObject;
  readonly example: Readonly<Record<string, unknown>>;
  /** Whether members receive it by email immediately by default. @default false */
  readonly isMailed?: boolean;
  /** Whether every webhook receives it without subscribing. @default false */
  readonly isImplied?: boolean;
}

const FEED = {
  feed_id: uuid("The feed."),
  endpoint_path: nullable(Type.String({ description: "Its slug." })),
  name: Type.String({ description: "Its name." }),
};
const FEED_EXAMPLE = {
  feed_id: "5d0c0b3c-6d3f-4f5f-9a5e-0a4f5d6b7c8d",
  endpoint_path: "quakes",
  name: "Earthquakes",
};
const credits = (description: string) => Type.Number({ description });
const TERMS = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "Those that changed: `price_type`, `price_per_1k` and `one_time_price_usd`; `feed_type`; `schema_version`, `schema_locked` and `schema_md5`.",
});

export const NOTICE_TYPES = {
  "feed.updated": {
    permissions: ["read"],
    when: "A feed has new data. Sent at most once per minute and feed, with the newest version.",
    data: Type.Object({
      ...FEED,
      data_version: count("As in metadata."),
      last_sync_at: nullable(time("The newest push.")),
    }),
    example: { ...FEED_EXAMPLE, data_version: 42, last_sync_at: "2026-01-15T09:30:00Z" },
  },
  "feed.changed": {
    permissions: ["read"],
    when: "The schema, price or type of a feed has changed.",
    data: Type.Object({ ...FEED, before: TERMS, after: TERMS }),
    example: {
      ...FEED_EXAMPLE,
      before: { price_type: "free", price_per_1k: 0, one_time_price_usd: null },
      after: { price_type: "metered", price_per_1k: 0.002, one_time_price_usd: null },
    },
  },
  "feed.gone": {
    permissions: ["read"],
    when: "A feed can no longer be read.",
    data: Type.Object({
      ...FEED,
      reason: oneOf(["suspended", "deleted", "inactive", "unsubscribed"], {
        description:
          "The operator suspended it, it was deleted, its provider took it out of service, or your purchase was undone.",
      }),
    }),
    example: { ...FEED_EXAMPLE, reason: "deleted" },
  },
  "access.answered": {
    permissions: ["read"],
    when: "The provider has answered your request to read a feed.",
    data: Type.Object({
      ...FEED,
      request_id: uuid("Your request."),
      outcome: oneOf(["approved", "declined"], { description: "The decision." }),
      reason: nullable(
        Type.String({ description: "Why it was declined, if the provider says so." }),
      ),
    }),
    example: {
      ...FEED_EXAMPLE,
      request_id: "b2f0d7c3-3c8c-4a7e-8d0e-2d5f4a6b7c90",
      outcome: "approved",
      reason: null,
    },
  },
  "balance.low": {
    permissions: ["read"],
    when: "The balance has fallen below the account's threshold. Sent once, until the balance has been above it again.",
    data: Type.Object({
      balance_credits: credits("The remaining balance."),
      threshold_credits: credits("The threshold."),
    }),
    example: { balance_credits: 940_000, threshold_credits: 1_000_000 },
    isMailed: true,
  },
  "budget.spent": {
    permissions: ["read"],
    when: "A key has spent its daily budget.",
    data: Type.Object({
      key_id: uuid("The key."),
      name: nullable(Type.String({ description: "Its name." })),
      daily_credits: credits("Its budget per UTC day."),
      spent_credits: credits("What it has spent today."),
      resets_at: time("When the next day begins."),
    }),
    example: {
      key_id: "0f8f2f0e-3f6b-4a55-9a5d-2d0f8f7c1b1a",
      name: "research",
      daily_credits: 1_000,
      spent_credits: 1_000,
      resets_at: "2026-01-16T00:00:00Z",
    },
  },
  "credits.granted": {
    permissions: ["read"],
    when: "Credits were granted: by the operator, a payment, or a promotion.",
    data: Type.Object({
      entry_id: count("The ledger entry."),
      credits: credits("How many."),
      balance_credits: credits("The balance after it."),
      reason: Type.String({ description: "As in the ledger." }),
    }),
    example: {
      entry_id: 7,
      credits: 5_000_000,
      balance_credits: 5_000_000,
      reason: "paid by card",
    },
  },
  "feed.late": {
    permissions: ["write"],
    when: "The newest push of a feed is older than its `sync_interval_mins`.",
    data: Type.Object({
      ...FEED,
      last_sync_at: time("The newest push."),
      late_since: time("When the next one was due."),
      sync_interval_mins: count("The feed's interval."),
    }),
    example: {
      ...FEED_EXAMPLE,
      last_sync_at: "2026-01-15T08:30:00Z",
      late_since: "2026-01-15T09:30:00Z",
      sync_interval_mins: 60,
    },
    isMailed: true,
  },
  "feed.recovered": {
    permissions: ["write"],
    when: "A late feed has received a push.",
    data: Type.Object({
      ...FEED,
      last_sync_at: time("The newest push."),
      late_since: time("When it was due."),
    }),
    example: {
      ...FEED_EXAMPLE,
      last_sync_at: "2026-01-15T09:40:00Z",
      late_since: "2026-01-15T09:30:00Z",
    },
  },
  "push.refused": {
    permissions: ["write"],
    when: "A push was refused. Sent for the first refusal after a successful push, then at most once every 10 minutes.",
    data: Type.Object({
      ...FEED,
      refused: count("Refused pushes since the last such notice."),
      code: nullable(Type.String({ description: "Of the newest one." })),
      detail: nullable(Type.String({ description: "Why it was refused." })),
      pushed_at: time("When it was refused."),
    }),
    example: {
      ...FEED_EXAMPLE,
      refused: 1,
      code: "VALIDATION_FAILED",
      detail: "1 of 20 rows is invalid.",
      pushed_at: "2026-01-15T09:30:00Z",
    },
    isMailed: true,
  },
  "batch.closing": {
    permissions: ["write"],
    when: "An open batch will be discarded within the hour, because nothing was pushed to it.",
    data: Type.Object({
      ...FEED,
      batch_id: Type.String({ description: "The batch's `batch_id`." }),
      closes_at: time("When it is discarded."),
    }),
    example: { ...FEED_EXAMPLE, batch_id: "2026-01-15", closes_at: "2026-01-15T10:30:00Z" },
  },
  "feed.reviewed": {
    permissions: ["write"],
    when: "The operator has listed a feed or declined to list it.",
    data: Type.Object({
      ...FEED,
      outcome: oneOf(["listed", "declined"], { description: "The decision." }),
      reason: nullable(Type.String({ description: "Why it was declined." })),
    }),
    example: { ...FEED_EXAMPLE, outcome: "listed", reason: null },
    isMailed: true,
  },
  "feed.suspended": {
    permissions: ["write"],
    when: "The operator has suspended a feed.",
    data: Type.Object({ ...FEED, reason: Type.String({ description: "Why." }) }),
    example: { ...FEED_EXAMPLE, reason: "a complaint about its license" },
    isMailed: true,
  },
  "access.requested": {
    permissions: ["write"],
    when: "An account asks to read one of your feeds.",
    data: Type.Object({
      ...FEED,
      request_id: uuid("The request."),
      account_id: uuid("The account that asks."),
      account_name: Type.String({ description: "Its name." }),
      message: nullable(Type.String({ description: "How it will use the data." })),
    }),
    example: {
      ...FEED_EXAMPLE,
      request_id: "b2f0d7c3-3c8c-4a7e-8d0e-2d5f4a6b7c90",
      account_id: "7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11",
      account_name: "Northwind",
      message: "For a map of the region.",
    },
    isMailed: true,
  },
  "feed.sold": {
    permissions: ["write"],
    when: "A feed with a one-time price was bought.",
    data: Type.Object({ ...FEED, usd: Type.Number({ description: "The price, before fees." }) }),
    example: { ...FEED_EXAMPLE, usd: 25 },
  },
  "payout.recorded": {
    permissions: ["write"],
    when: "A payout of your earnings was recorded.",
    data: Type.Object({
      payout_id: count("The payout."),
      usd: Type.Number({ description: "The amount." }),
      reference: Type.String({ description: "The operator's reference." }),
    }),
    example: { payout_id: 3, usd: 120.5, reference: "SEPA 2026-01" },
  },
  "review.waiting": {
    permissions: ["admin"],
    when: "A provider asks to have a feed listed.",
    data: Type.Object({ ...FEED, account_id: uuid("The provider.") }),
    example: { ...FEED_EXAMPLE, account_id: "7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11" },
  },
  "ledger.broken": {
    permissions: ["admin"],
    when: "The ledger check has found accounts with a wrong balance.",
    data: Type.Object({
      accounts: count("How many."),
      listed: Type.Array(Type.String(), { description: "The first of them." }),
    }),
    example: { accounts: 1, listed: ["7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11"] },
  },
  "topup.alert": {
    permissions: ["admin"],
    when: "A top-up needs an operator's attention.",
    data: Type.Object({
      topup_id: uuid("The top-up."),
      account_id: nullable(uuid("Its account, if known.")),
      alert: Type.String({ description: "What to look at, one alert per line." }),
    }),
    example: {
      topup_id: "c3b5d0c4-7d2c-4bd2-8a8a-9f3f1d2e4b5a",
      account_id: "7a1d3b8e-55a7-4c60-8d0f-1f0c3f6f9b11",
      alert: "refunded after the credits were spent",
    },
  },
  "job.failed": {
    permissions: ["admin"],
    when: "A background job fails. Sent at most once per hour and job.",
    data: Type.Object({
      job: Type.String({ description: "As in the metrics." }),
      error: Type.String({ description: "The first line of the error." }),
    }),
    example: { job: "totals", error: "canceling statement due to statement timeout" },
  },
  "webhook.disabled": {
    permissions: ["read", "write", "admin"],
    when: "The gateway has disabled one of your webhooks, because it returned 410 or failed for 3 days.",
    data: Type.Object({
      webhook_id: uuid("The webhook."),
      url: Type.String({ description: "Its URL." }),
      reason: oneOf(["gone", "failing"], { description: "It returned 410, or failed for 3 days." }),
    }),
    example: {
      webhook_id: "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed",
      url: "https://example.com/hooks/feedgate",
      reason: "failing",
    },
    isMailed: true,
  },
  "webhook.test": {
    permissions: ["read", "write", "admin"],
    when: "You asked for a test.",
    data: Type.Object({ webhook_id: uuid("The webhook.") }),
    example: { webhook_id: "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed" },
    isImplied: true,
  },
} as const satisfies Readonly<Record<string, NoticeType>>;

export type NoticeTypeName = keyof typeof NOTICE_TYPES;

const ENTRIES = Object.entries(NOTICE_TYPES) as [NoticeTypeName, NoticeType][];

/** The types that a webhook can subscribe to, of any permission. */
export const NOTICE_TYPE_NAMES: readonly NoticeTypeName[] = ENTRIES.filter(
  ([, { isImplied }]) => isImplied !== true,
).map(([name]) => name);

/** The types that members receive by email immediately by default. */
export const MAILED_TYPES: readonly NoticeTypeName[] = ENTRIES.filter(
  ([, { isMailed }]) => isMailed === true,
).map(([name]) => name);

/** The types that keys with the permission can subscribe to. */
export function typesOf(permission: NoticePermission): readonly NoticeTypeName[] {
  return NOTICE_TYPE_NAMES.filter((name) => mayName(permission, name));
}

export function mayName(permission: NoticePermission, name: NoticeTypeName): boolean {
  return (NOTICE_TYPES[name] as NoticeType).permissions.includes(permission);
}
