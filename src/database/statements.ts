/**
 * Generated from `sql/` by `bun run generate`; not to be edited.
 *
 * @module
 */
import sql_admission_admit from "../../sql/admission/admit.sql" with { type: "text" };
import sql_database_keep_setting from "../../sql/database/keep_setting.sql" with { type: "text" };
import sql_database_ping from "../../sql/database/ping.sql" with { type: "text" };
import sql_feed_row_count_feeds from "../../sql/feed_row/count_feeds.sql" with { type: "text" };
import sql_feed_row_find_feed from "../../sql/feed_row/find_feed.sql" with { type: "text" };
import sql_feed_row_find_feed_row from "../../sql/feed_row/find_feed_row.sql" with { type: "text" };
import sql_feed_row_list_feed_rows from "../../sql/feed_row/list_feed_rows.sql" with { type: "text" };
import sql_functions_admit from "../../sql/functions/admit.sql" with { type: "text" };
import sql_functions_create_usage_partitions from "../../sql/functions/create_usage_partitions.sql" with { type: "text" };
import sql_functions_divide_catalog_blocks from "../../sql/functions/divide_catalog_blocks.sql" with { type: "text" };
import sql_functions_fold_listing from "../../sql/functions/fold_listing.sql" with { type: "text" };
import sql_functions_uuid_from_time from "../../sql/functions/uuid_from_time.sql" with { type: "text" };
import sql_key_find_key from "../../sql/key/find_key.sql" with { type: "text" };
import sql_key_touch_keys from "../../sql/key/touch_keys.sql" with { type: "text" };
import sql_migrations_0001_feeds_and_accounts from "../../sql/migrations/0001_feeds_and_accounts.sql" with { type: "text" };
import sql_migrations_0002_search from "../../sql/migrations/0002_search.sql" with { type: "text" };

/** Every migration, in order. */
export const MIGRATIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "0001_feeds_and_accounts", text: sql_migrations_0001_feeds_and_accounts },
  { name: "0002_search", text: sql_migrations_0002_search },
];

/** Every function, `create or replace`, applied after the migrations. */
export const FUNCTIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "admit", text: sql_functions_admit },
  { name: "create_usage_partitions", text: sql_functions_create_usage_partitions },
  { name: "divide_catalog_blocks", text: sql_functions_divide_catalog_blocks },
  { name: "fold_listing", text: sql_functions_fold_listing },
  { name: "uuid_from_time", text: sql_functions_uuid_from_time },
];

/** The text of every statement, by name. */
export const STATEMENTS = {
  admit: sql_admission_admit,
  keep_setting: sql_database_keep_setting,
  ping: sql_database_ping,
  count_feeds: sql_feed_row_count_feeds,
  find_feed: sql_feed_row_find_feed,
  find_feed_row: sql_feed_row_find_feed_row,
  list_feed_rows: sql_feed_row_list_feed_rows,
  find_key: sql_key_find_key,
  touch_keys: sql_key_touch_keys,
} as const;

/** Parameters and row of every statement. */
export interface StatementTypes {
  /** decides every waiting read in one round trip and one commit */
  admit: {
    parameters: readonly [key_ids: readonly (string | null)[], operations: readonly (string | null)[], feed_ids: readonly (string | null)[], definition_versions: readonly (bigint | null)[], limits: readonly (number | null)[], limits_paid: readonly (number | null)[], idempotency_keys: readonly (string | null)[], query_hashes: readonly (string | null)[], window_us: bigint, idempotency_us: bigint];
    row: {
      readonly place: number;
      readonly outcome: string;
      readonly usage_id: string | null;
      readonly happened_us: bigint;
      readonly charge_nanos: bigint;
      readonly price_nanos: bigint;
      readonly balance_nanos: bigint | null;
      readonly window_limit: number;
      readonly window_used: number;
      readonly frees_us: bigint;
      readonly oldest_us: bigint;
      readonly data_version: bigint | null;
      readonly definition_version: bigint | null;
      readonly push_count: bigint | null;
    };
  };
  /** a value that all processes must agree on: the first one written wins */
  keep_setting: {
    parameters: readonly [name: string, value: string];
    row: {
      readonly value: string;
    };
  };
  /** whether the database answers */
  ping: {
    parameters: readonly [];
    row: {
      readonly answer: number;
    };
  };
  /** how many feeds an account owns, drafts included: what counts against its quota */
  count_feeds: {
    parameters: readonly [account_id: string];
    row: {
      readonly total: bigint;
    };
  };
  /** what planning a read or a push needs to know of a feed, by id or slug, in any state */
  find_feed: {
    parameters: readonly [feed_id: string | null, endpoint_path: string | null];
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly endpoint_path: string;
      readonly feed_type: string | null;
      readonly status: string;
      readonly price_type: string;
      readonly schema_locked: boolean;
      readonly schema_definition: string | null;
      readonly definition_version: bigint;
      readonly data_version: bigint;
      readonly has_data: boolean;
    };
  };
  /** all that a feed's owner, operator or reader may see of it, by id or slug */
  find_feed_row: {
    parameters: readonly [feed_id: string | null, endpoint_path: string | null];
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly max_feeds_allowed: number;
      readonly name: string;
      readonly description: string | null;
      readonly readme_md: string | null;
      readonly category: string | null;
      readonly endpoint_path: string;
      readonly feed_type: string | null;
      readonly schema_definition: string | null;
      readonly schema_version: string;
      readonly schema_locked: boolean;
      readonly sample_response: string | null;
      readonly sync_interval_mins: number;
      readonly update_frequency_text: string | null;
      readonly status: string;
      readonly draft_step: string | null;
      readonly price_type: string;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly is_public: boolean;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly created_at: string;
      readonly updated_at: string;
      readonly definition_version: bigint;
      readonly push_count: bigint;
    };
  };
  /** the feeds of an account, drafts included, newest first; the operator may ask for all accounts */
  list_feed_rows: {
    parameters: readonly [account_id: string | null, is_unlisted_only: boolean, limit: number | null, offset: bigint];
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly max_feeds_allowed: number;
      readonly name: string;
      readonly description: string | null;
      readonly readme_md: string | null;
      readonly category: string | null;
      readonly endpoint_path: string;
      readonly feed_type: string | null;
      readonly schema_definition: string | null;
      readonly schema_version: string;
      readonly schema_locked: boolean;
      readonly sample_response: string | null;
      readonly sync_interval_mins: number;
      readonly update_frequency_text: string | null;
      readonly status: string;
      readonly draft_step: string | null;
      readonly price_type: string;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly is_public: boolean;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly created_at: string;
      readonly updated_at: string;
      readonly definition_version: bigint;
      readonly push_count: bigint;
    };
  };
  /** the key behind a hash, in any state */
  find_key: {
    parameters: readonly [key_hash: Uint8Array];
    row: {
      readonly key_id: string;
      readonly account_id: string;
      readonly permission: string;
      readonly is_usable: boolean;
    };
  };
  /** notes when keys were last used, at most once a minute each */
  touch_keys: {
    parameters: readonly [key_ids: readonly (string | null)[]];
    row: {
      readonly key_id: string;
    };
  };
}
