/**
 * Generated from `sql/` by `bun run generate`; not to be edited.
 *
 * @module
 */
import sql_admission_admit from "../../sql/admission/admit.sql" with { type: "text" };
import sql_functions_admit from "../../sql/functions/admit.sql" with { type: "text" };
import sql_functions_create_usage_partitions from "../../sql/functions/create_usage_partitions.sql" with { type: "text" };
import sql_functions_uuid_from_time from "../../sql/functions/uuid_from_time.sql" with { type: "text" };
import sql_key_find_key from "../../sql/key/find_key.sql" with { type: "text" };
import sql_key_touch_keys from "../../sql/key/touch_keys.sql" with { type: "text" };
import sql_migrations_0001_feeds_and_accounts from "../../sql/migrations/0001_feeds_and_accounts.sql" with { type: "text" };

/** Every migration, in order. */
export const MIGRATIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "0001_feeds_and_accounts", text: sql_migrations_0001_feeds_and_accounts },
];

/** Every function, `create or replace`, applied after the migrations. */
export const FUNCTIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "admit", text: sql_functions_admit },
  { name: "create_usage_partitions", text: sql_functions_create_usage_partitions },
  { name: "uuid_from_time", text: sql_functions_uuid_from_time },
];

/** The text of every statement, by name. */
export const STATEMENTS = {
  admit: sql_admission_admit,
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
