/**
 * Small faults that the tests must notice: `run.ts` puts in one at a time.
 *
 * @module
 */

/** A fault, and who must notice it. */
export interface Mutant {
  readonly area: string;
  /** From the top of the tree, as are the tests. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
  /** What goes wrong. */
  readonly what: string;
}

/** The text of the fault's file with the fault in it. @throws if what it replaces isn't there once */
export function mutate(text: string, { file, find, replace }: Mutant): string {
  const parts = text.split(find);
  if (parts.length !== 2) {
    throw new Error(`${file} has ${JSON.stringify(find)} ${parts.length - 1} times, not once`);
  }
  return parts.join(replace);
}

/** Those of one area of the gateway. */
function of(area: string, mutants: readonly Omit<Mutant, "area">[]): readonly Mutant[] {
  return mutants.map((mutant) => ({ area, ...mutant }));
}

export const MUTANTS: readonly Mutant[] = [
  ...of("read", [
    {
      file: "src/read/data/read_plan.ts",
      find: "    endTime ?? null,\n",
      replace: "",
      tests: ["test/read/data/read_rules_test.ts"],
      what: "reads that differ in end_time share a page and a cursor",
    },
    {
      file: "src/read/data/read_plan.ts",
      find: "    startTime ?? null,\n",
      replace: "",
      tests: ["test/read/data/read_rules_test.ts"],
      what: "reads that differ in start_time share a page and a cursor",
    },
    {
      file: "src/read/data/build_page.ts",
      find: "expiresMs: feed.retentionDays === null ? Number.POSITIVE_INFINITY : 0,",
      replace: "expiresMs: Number.POSITIVE_INFINITY,",
      tests: ["test/provider/lifecycle_test.ts"],
      what: "rows past their retention are read by id from a kept page",
    },
    {
      file: "src/read/data/build_page.ts",
      find: ": Date.parse(eventAt) + feed.retentionDays * MS_PER_DAY",
      replace: ": Number.POSITIVE_INFINITY",
      tests: ["test/provider/lifecycle_test.ts"],
      what: "rows past their retention stay on a kept page",
    },
    {
      file: "sql/read/read_stream_rows.sql",
      find: "\n    and stream_events.event_at >= oldest_readable(feeds.retention_days)",
      replace: "",
      tests: ["test/provider/lifecycle_test.ts"],
      what: "rows past their retention are read by id",
    },
    {
      file: "sql/feeds/list_newest_rows.sql",
      find: "\n      and stream_events.event_at >= oldest_readable((select retention_days from feed))",
      replace: "",
      tests: ["test/provider/lifecycle_test.ts"],
      what: "rows past their retention are among the newest rows",
    },
  ]),
  ...of("search", [
    {
      file: "sql/read/functions/search_matches.sql",
      find: "feeds.listed_at is not null\n        and feeds.search @@ coalesce(alternatives.query",
      replace: "feeds.search @@ coalesce(alternatives.query",
      tests: ["test/read/catalog/catalog_test.ts"],
      what: "a hidden feed is found by a word",
    },
    {
      file: "sql/read/functions/search_matches.sql",
      find: "        and feeds.listed_at is not null\n        and feeds.search @@ coalesce(weighed.all_query",
      replace: "        and feeds.search @@ coalesce(weighed.all_query",
      tests: ["test/read/catalog/search_pages_test.ts"],
      what: "a hidden feed is found by several words",
    },
    {
      file: "sql/read/functions/search_matches.sql",
      find: "feeds.listed_at is not null\n        and feeds.search @@ coalesce(filed_query",
      replace: "feeds.search @@ coalesce(filed_query",
      tests: ["test/read/catalog/catalog_test.ts"],
      what: "a hidden feed is found by the name of its category",
    },
    {
      file: "sql/read/functions/close_names.sql",
      find: "feeds.listed_at is not null\n        and feeds.name_key",
      replace: "feeds.name_key",
      tests: ["test/read/catalog/catalog_test.ts"],
      what: "a hidden feed is found by a misspelled name",
    },
    {
      file: "sql/read/functions/rank_broad_search.sql",
      find: "feeds.listed_at is not null\n          and feeds.search @@ layer\n        limit",
      replace: "feeds.search @@ layer\n        limit",
      tests: ["test/read/catalog/search_pages_test.ts"],
      what: "a hidden feed is found by words that most feeds hold",
    },
    {
      file: "sql/read/list_category.sql",
      find: "  where listed_at is not null\n    -- The mark of a whole category (search_head_of).\n    and search",
      replace: "  where search",
      tests: ["test/read/catalog/catalog_test.ts"],
      what: "a hidden feed is in the list of its category",
    },
  ]),
  ...of("keys", [
    {
      file: "sql/accounts/functions/rotate_key.sql",
      find: "least(api_keys.expires_at, clock_timestamp() + grace)",
      replace: "clock_timestamp() + grace",
      tests: ["test/accounts/key_limits_test.ts"],
      what: "a rotation lengthens the life of a key that is about to end",
    },
    {
      file: "sql/accounts/functions/rotate_key.sql",
      find: "    ends.expires_at, rotated.daily_nanos",
      replace: "    rotated.expires_at, rotated.daily_nanos",
      tests: ["test/accounts/key_limits_test.ts"],
      what: "a second successor of a key ends with the grace of the first",
    },
    {
      file: "sql/operator/functions/rotate_admin_key.sql",
      find: "least(admin_keys.expires_at, clock_timestamp() + grace)",
      replace: "clock_timestamp() + grace",
      tests: ["test/cli/admin_keys_test.ts"],
      what: "a rotation lengthens the life of an admin key that is about to end",
    },
  ]),
  ...of("top-ups", [
    {
      file: "sql/topups/functions/begin_topup.sql",
      find: "asked_nanos > account_day_nanos",
      replace: "asked_nanos >= account_day_nanos",
      tests: ["test/topups/topups_test.ts"],
      what: "exactly what is left of an account's day is refused",
    },
    {
      file: "sql/topups/functions/begin_topup.sql",
      find: "asked_nanos > day_nanos",
      replace: "asked_nanos >= day_nanos",
      tests: ["test/topups/topups_test.ts"],
      what: "exactly what is left of the day of all accounts is refused",
    },
    {
      file: "src/topups/stripe/hear_event.ts",
      find: '    case "warning_closed":\n',
      replace: "",
      tests: ["test/topups/card_test.ts"],
      what: "an inquiry that closes without a dispute takes credits back",
    },
  ]),
  ...of("jobs", [
    {
      file: "sql/jobs/functions/remove_expired_events.sql",
      find: "feeds.data_version + 1",
      replace: "feeds.data_version",
      tests: ["test/provider/lifecycle_test.ts"],
      what: "the removal of expired events does not move the data version",
    },
    {
      file: "sql/jobs/functions/retire_abandoned_batches.sql",
      find: "      -- It may have been pushed to before the feed was locked.\n      and coalesce(batches.pushed_at, batches.begun_at)",
      replace: "      and batches.begun_at",
      tests: ["test/jobs/jobs_test.ts"],
      what: "a batch that is pushed to while the job runs is retired by its beginning",
    },
    {
      file: "sql/push/functions/push_collection.sql",
      find: "set pushed_at = moment",
      replace: "set pushed_at = batches.pushed_at",
      tests: ["test/push/batches_test.ts"],
      what: "a push to an open batch does not put off its end",
    },
    {
      file: "sql/jobs/functions/retire_usage.sql",
      find: "\n      and complete_until >= month_end",
      replace: "",
      tests: ["test/jobs/jobs_test.ts"],
      what: "a month of the log goes before its sales are counted",
    },
    {
      file: "sql/jobs/functions/retire_usage.sql",
      find: "where usage_id < uuid_from_time(month_end)",
      replace: "where false",
      tests: ["test/jobs/jobs_test.ts"],
      what: "a month of the log goes before its refunds are counted",
    },
  ]),
  ...of("operator", [
    {
      file: "sql/operator/set_feeds_public.sql",
      find: "\n  where (select count(*) from named) = cardinality(:feed_ids::uuid[])",
      replace: "",
      tests: ["test/cli/feeds_test.ts"],
      what: "the rest of a list is published although one of its feeds was deleted",
    },
  ]),
];
