/**
 * A client for Feedgate that finds, reads, follows and buys feeds, and pushes rows. It has no dependencies and runs on
 * Bun, Node 20 or later, Deno, and in browsers.
 *
 * ```ts
 * import { Feedgate } from "feedgate/client";
 *
 * const feedgate = new Feedgate({ url: "https://feeds.example.com", key: "fg_read_…" });
 * const { results } = await feedgate.search("gold prices");
 * for await (const row of feedgate.rows("gold-prices")) console.log(row);
 * ```
 *
 * @module
 */
export * from "./errors.ts";
export type { ExportOptions } from "./export.ts";
export * from "./feedgate.ts";
export type { FollowOptions } from "./follow.ts";
export type { ImportFile, ImportOptions } from "./import.ts";
export type { ParseRow } from "./pages.ts";
export type { PushOptions, PushRow, PushRows } from "./push.ts";
export type { FilterValue, ReadOptions } from "./query.ts";
export type { Patience } from "./retry.ts";
export type { Fetch, Retry } from "./transport.ts";
export type * from "./types.ts";
export * from "./verify_notice.ts";
export type { NewWebhook, WebhookChanges, Webhooks } from "./webhooks.ts";
