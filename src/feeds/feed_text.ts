/**
 * A feed as JSON: the full row for its owner and the operator, and the metadata view for readers.
 *
 * It is written as text, so that `schema_definition` and `sample_response` keep the provider's key order and numbers,
 * and money stays exact.
 *
 * @module
 */

import { nameIn } from "../lib/assert.ts";
import type { Limits } from "../limits.ts";
import { pricePer1kText } from "../money/money.ts";
import type { Row } from "../postgres/client/database.ts";
import { FEED_TYPES, type FeedType } from "./find.ts";

/** Applies to the data of every feed. The provider defines in its readme what may be redistributed. */
export const DATA_LICENSE =
  "Feedgate dynamic data license: attribute the provider, redistribute only as the provider's terms allow";

/** Members that a slim row omits. */
const LONG_MEMBERS = /^"(?:readme_md|schema_definition|sample_response)":/;

export type FeedRow = Omit<Row<"find_feed_row">, "row_version" | "row_count" | "payload_bytes">;

/** The metadata view, as the text of a JSON object's members. */
export function metadataMembers(row: FeedRow, limits: Limits): string {
  return memberList(row, limits).join(",");
}

function memberList(row: FeedRow, limits: Limits): readonly string[] {
  return [
    `"id":"${row.feed_id}"`,
    `"name":${JSON.stringify(row.name)}`,
    `"description":${JSON.stringify(row.description)}`,
    `"endpoint_path":${JSON.stringify(row.endpoint_path)}`,
    `"readme_md":${JSON.stringify(row.readme_md)}`,
    `"category":${JSON.stringify(row.category)}`,
    `"feed_type":${JSON.stringify(row.feed_type)}`,
    `"consumer_type":"${consumerType(row.feed_type)}"`,
    `"price_per_1k":${row.call_price_nanos === null ? null : pricePer1kText(row.call_price_nanos)}`,
    `"price_type":"${row.price_type}"`,
    `"one_time_price_cents":${row.one_time_price_cents}`,
    `"access":"${row.access}"`,
    `"reliability_score":${row.reliability_score}`,
    `"last_sync_at":${JSON.stringify(row.last_sync_at)}`,
    `"sync_interval_mins":${row.sync_interval_mins}`,
    `"update_frequency_text":${JSON.stringify(row.update_frequency_text)}`,
    `"storage_config":${JSON.stringify(storageConfig(row.feed_type, limits))}`,
    `"schema_definition":${row.schema_definition}`,
    `"schema_version":${row.schema_version}`,
    `"schema_changed_at":${JSON.stringify(row.schema_changed_at)}`,
    `"schema_locked":${row.schema_locked}`,
    `"sample_response":${row.sample_response}`,
    `"status":"${row.status}"`,
    `"provider":${JSON.stringify({ id: row.account_id, name: row.account_name })}`,
  ];
}

/** The full row as the text of a JSON object. A slim row omits schema, sample, and readme. */
export function feedRowText(row: FeedRow, limits: Limits, isSlim = false): string {
  const own = [
    `"draft_step":${row.draft_step}`,
    `"retention_days":${row.retention_days}`,
    `"is_public":${row.is_public}`,
    `"review":"${reviewOf(row)}"`,
    `"review_reason":${JSON.stringify(row.review_reason)}`,
    `"created_at":"${row.created_at}"`,
    `"updated_at":"${row.updated_at}"`,
  ];
  const members = memberList(row, limits).filter((each) => !isSlim || !LONG_MEMBERS.test(each));
  return `{${[...members, ...own].join(",")}}`;
}

/** `feed_type`, or `singleton` while that is null. */
export function consumerType(feedType: string | null): FeedType {
  return nameIn(FEED_TYPES, feedType ?? "singleton");
}

/** The size limits that apply to the feed. */
function storageConfig(feedType: string | null, limits: Limits) {
  const isSingleton = consumerType(feedType) === "singleton";
  return {
    max_body_bytes: isSingleton ? limits.singletonBodyBytes : limits.requestBodyBytes,
    max_row_bytes: isSingleton ? null : limits.rowBytes,
    max_rows: isSingleton ? null : limits.rows,
  };
}

/** A listed feed has been reviewed, whatever was requested or declined before. */
export function reviewOf(row: Pick<FeedRow, "is_public" | "review">): string {
  return row.is_public ? "listed" : row.review;
}
