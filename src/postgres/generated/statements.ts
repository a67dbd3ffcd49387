/**
 * Generated from `sql/` by `bun run generate`; not to be edited.
 *
 * @module
 */
import sql_access_answer_access_request from "../../../sql/access/answer_access_request.sql" with { type: "text" };
import sql_access_end_access from "../../../sql/access/end_access.sql" with { type: "text" };
import sql_access_find_own_access from "../../../sql/access/find_own_access.sql" with { type: "text" };
import sql_access_find_shown_feeds from "../../../sql/access/find_shown_feeds.sql" with { type: "text" };
import sql_access_functions_answer_access_request from "../../../sql/access/functions/answer_access_request.sql" with { type: "text" };
import sql_access_functions_finds_feed from "../../../sql/access/functions/finds_feed.sql" with { type: "text" };
import sql_access_functions_grant_access from "../../../sql/access/functions/grant_access.sql" with { type: "text" };
import sql_access_functions_has_grant from "../../../sql/access/functions/has_grant.sql" with { type: "text" };
import sql_access_functions_invite_reader from "../../../sql/access/functions/invite_reader.sql" with { type: "text" };
import sql_access_functions_invited_feeds_of from "../../../sql/access/functions/invited_feeds_of.sql" with { type: "text" };
import sql_access_functions_is_acquired from "../../../sql/access/functions/is_acquired.sql" with { type: "text" };
import sql_access_functions_is_current_grant from "../../../sql/access/functions/is_current_grant.sql" with { type: "text" };
import sql_access_functions_may_find from "../../../sql/access/functions/may_find.sql" with { type: "text" };
import sql_access_functions_request_access from "../../../sql/access/functions/request_access.sql" with { type: "text" };
import sql_access_functions_take_access_invitation from "../../../sql/access/functions/take_access_invitation.sql" with { type: "text" };
import sql_access_functions_take_access_invitations from "../../../sql/access/functions/take_access_invitations.sql" with { type: "text" };
import sql_access_grant_access from "../../../sql/access/grant_access.sql" with { type: "text" };
import sql_access_invite_reader from "../../../sql/access/invite_reader.sql" with { type: "text" };
import sql_access_list_access_grants from "../../../sql/access/list_access_grants.sql" with { type: "text" };
import sql_access_list_access_requests from "../../../sql/access/list_access_requests.sql" with { type: "text" };
import sql_access_list_account_grants from "../../../sql/access/list_account_grants.sql" with { type: "text" };
import sql_access_list_address_invitations from "../../../sql/access/list_address_invitations.sql" with { type: "text" };
import sql_access_list_feed_grants from "../../../sql/access/list_feed_grants.sql" with { type: "text" };
import sql_access_list_invited_feeds from "../../../sql/access/list_invited_feeds.sql" with { type: "text" };
import sql_access_list_reader_invitations from "../../../sql/access/list_reader_invitations.sql" with { type: "text" };
import sql_access_list_waiting_feeds from "../../../sql/access/list_waiting_feeds.sql" with { type: "text" };
import sql_access_request_access from "../../../sql/access/request_access.sql" with { type: "text" };
import sql_access_search_invited_feeds from "../../../sql/access/search_invited_feeds.sql" with { type: "text" };
import sql_access_withdraw_reader_invitation from "../../../sql/access/withdraw_reader_invitation.sql" with { type: "text" };
import sql_accounts_append_ledger_entry from "../../../sql/accounts/append_ledger_entry.sql" with { type: "text" };
import sql_accounts_create_promotion from "../../../sql/accounts/create_promotion.sql" with { type: "text" };
import sql_accounts_earnings_add_totals from "../../../sql/accounts/earnings/add_totals.sql" with { type: "text" };
import sql_accounts_earnings_find_earned from "../../../sql/accounts/earnings/find_earned.sql" with { type: "text" };
import sql_accounts_earnings_functions_add_earnings from "../../../sql/accounts/earnings/functions/add_earnings.sql" with { type: "text" };
import sql_accounts_earnings_functions_add_totals from "../../../sql/accounts/earnings/functions/add_totals.sql" with { type: "text" };
import sql_accounts_earnings_functions_add_usage from "../../../sql/accounts/earnings/functions/add_usage.sql" with { type: "text" };
import sql_accounts_earnings_functions_count_customers from "../../../sql/accounts/earnings/functions/count_customers.sql" with { type: "text" };
import sql_accounts_earnings_functions_count_sales from "../../../sql/accounts/earnings/functions/count_sales.sql" with { type: "text" };
import sql_accounts_earnings_functions_every_provider from "../../../sql/accounts/earnings/functions/every_provider.sql" with { type: "text" };
import sql_accounts_earnings_functions_is_customer from "../../../sql/accounts/earnings/functions/is_customer.sql" with { type: "text" };
import sql_accounts_earnings_functions_keep_fee_rate from "../../../sql/accounts/earnings/functions/keep_fee_rate.sql" with { type: "text" };
import sql_accounts_earnings_functions_minutes_kept from "../../../sql/accounts/earnings/functions/minutes_kept.sql" with { type: "text" };
import sql_accounts_earnings_functions_oldest_writer_since from "../../../sql/accounts/earnings/functions/oldest_writer_since.sql" with { type: "text" };
import sql_accounts_earnings_functions_owed_to from "../../../sql/accounts/earnings/functions/owed_to.sql" with { type: "text" };
import sql_accounts_earnings_functions_record_payout from "../../../sql/accounts/earnings/functions/record_payout.sql" with { type: "text" };
import sql_accounts_earnings_functions_sales_of from "../../../sql/accounts/earnings/functions/sales_of.sql" with { type: "text" };
import sql_accounts_earnings_functions_undo_payout from "../../../sql/accounts/earnings/functions/undo_payout.sql" with { type: "text" };
import sql_accounts_earnings_functions_waiting_sales from "../../../sql/accounts/earnings/functions/waiting_sales.sql" with { type: "text" };
import sql_accounts_earnings_keep_fee_rate from "../../../sql/accounts/earnings/keep_fee_rate.sql" with { type: "text" };
import sql_accounts_earnings_list_earnings from "../../../sql/accounts/earnings/list_earnings.sql" with { type: "text" };
import sql_accounts_earnings_list_payouts from "../../../sql/accounts/earnings/list_payouts.sql" with { type: "text" };
import sql_accounts_earnings_list_recurring_spending from "../../../sql/accounts/earnings/list_recurring_spending.sql" with { type: "text" };
import sql_accounts_earnings_list_spending from "../../../sql/accounts/earnings/list_spending.sql" with { type: "text" };
import sql_accounts_earnings_record_payout from "../../../sql/accounts/earnings/record_payout.sql" with { type: "text" };
import sql_accounts_earnings_undo_payout from "../../../sql/accounts/earnings/undo_payout.sql" with { type: "text" };
import sql_accounts_end_agent from "../../../sql/accounts/end_agent.sql" with { type: "text" };
import sql_accounts_find_account from "../../../sql/accounts/find_account.sql" with { type: "text" };
import sql_accounts_find_ledger_entry from "../../../sql/accounts/find_ledger_entry.sql" with { type: "text" };
import sql_accounts_find_purchase from "../../../sql/accounts/find_purchase.sql" with { type: "text" };
import sql_accounts_find_usage_walk_end from "../../../sql/accounts/find_usage_walk_end.sql" with { type: "text" };
import sql_accounts_functions_act_as from "../../../sql/accounts/functions/act_as.sql" with { type: "text" };
import sql_accounts_functions_agents_of from "../../../sql/accounts/functions/agents_of.sql" with { type: "text" };
import sql_accounts_functions_agreed_by from "../../../sql/accounts/functions/agreed_by.sql" with { type: "text" };
import sql_accounts_functions_append_ledger_entry from "../../../sql/accounts/functions/append_ledger_entry.sql" with { type: "text" };
import sql_accounts_functions_create_key from "../../../sql/accounts/functions/create_key.sql" with { type: "text" };
import sql_accounts_functions_edit_key from "../../../sql/accounts/functions/edit_key.sql" with { type: "text" };
import sql_accounts_functions_end_agents_of from "../../../sql/accounts/functions/end_agents_of.sql" with { type: "text" };
import sql_accounts_functions_end_chain from "../../../sql/accounts/functions/end_chain.sql" with { type: "text" };
import sql_accounts_functions_is_usable_key from "../../../sql/accounts/functions/is_usable_key.sql" with { type: "text" };
import sql_accounts_functions_ledger_of from "../../../sql/accounts/functions/ledger_of.sql" with { type: "text" };
import sql_accounts_functions_lock_account_of_key from "../../../sql/accounts/functions/lock_account_of_key.sql" with { type: "text" };
import sql_accounts_functions_prove_account from "../../../sql/accounts/functions/prove_account.sql" with { type: "text" };
import sql_accounts_functions_record_purchase from "../../../sql/accounts/functions/record_purchase.sql" with { type: "text" };
import sql_accounts_functions_redeem_promotion from "../../../sql/accounts/functions/redeem_promotion.sql" with { type: "text" };
import sql_accounts_functions_refund_event from "../../../sql/accounts/functions/refund_event.sql" with { type: "text" };
import sql_accounts_functions_rotate_key from "../../../sql/accounts/functions/rotate_key.sql" with { type: "text" };
import sql_accounts_functions_shorten_agents_of from "../../../sql/accounts/functions/shorten_agents_of.sql" with { type: "text" };
import sql_accounts_functions_undo_purchase from "../../../sql/accounts/functions/undo_purchase.sql" with { type: "text" };
import sql_accounts_functions_uuid_since from "../../../sql/accounts/functions/uuid_since.sql" with { type: "text" };
import sql_accounts_functions_uuid_until from "../../../sql/accounts/functions/uuid_until.sql" with { type: "text" };
import sql_accounts_list_agents from "../../../sql/accounts/list_agents.sql" with { type: "text" };
import sql_accounts_list_key_budgets from "../../../sql/accounts/list_key_budgets.sql" with { type: "text" };
import sql_accounts_list_keys from "../../../sql/accounts/list_keys.sql" with { type: "text" };
import sql_accounts_list_purchases from "../../../sql/accounts/list_purchases.sql" with { type: "text" };
import sql_accounts_page_usage from "../../../sql/accounts/page_usage.sql" with { type: "text" };
import sql_accounts_record_purchase from "../../../sql/accounts/record_purchase.sql" with { type: "text" };
import sql_accounts_redeem_promotion from "../../../sql/accounts/redeem_promotion.sql" with { type: "text" };
import sql_accounts_refund_event from "../../../sql/accounts/refund_event.sql" with { type: "text" };
import sql_accounts_touch_keys from "../../../sql/accounts/touch_keys.sql" with { type: "text" };
import sql_accounts_undo_purchase from "../../../sql/accounts/undo_purchase.sql" with { type: "text" };
import sql_admission_create_usage_partition from "../../../sql/admission/create_usage_partition.sql" with { type: "text" };
import sql_admission_find_key from "../../../sql/admission/find_key.sql" with { type: "text" };
import sql_admission_functions_account_news from "../../../sql/admission/functions/account_news.sql" with { type: "text" };
import sql_admission_functions_create_usage_partitions from "../../../sql/admission/functions/create_usage_partitions.sql" with { type: "text" };
import sql_admission_functions_epoch_us from "../../../sql/admission/functions/epoch_us.sql" with { type: "text" };
import sql_admission_functions_log_reads from "../../../sql/admission/functions/log_reads.sql" with { type: "text" };
import sql_admission_functions_prove_calls from "../../../sql/admission/functions/prove_calls.sql" with { type: "text" };
import sql_admission_functions_refund_reads from "../../../sql/admission/functions/refund_reads.sql" with { type: "text" };
import sql_admission_functions_refund_usage from "../../../sql/admission/functions/refund_usage.sql" with { type: "text" };
import sql_admission_functions_time_of_uuid from "../../../sql/admission/functions/time_of_uuid.sql" with { type: "text" };
import sql_admission_functions_usage_id_of from "../../../sql/admission/functions/usage_id_of.sql" with { type: "text" };
import sql_admission_functions_utc_day from "../../../sql/admission/functions/utc_day.sql" with { type: "text" };
import sql_admission_functions_uuid_from_time from "../../../sql/admission/functions/uuid_from_time.sql" with { type: "text" };
import sql_admission_replay_read from "../../../sql/admission/replay_read.sql" with { type: "text" };
import sql_feeds_count_feeds from "../../../sql/feeds/count_feeds.sql" with { type: "text" };
import sql_feeds_delete_feed from "../../../sql/feeds/delete_feed.sql" with { type: "text" };
import sql_feeds_find_feed from "../../../sql/feeds/find_feed.sql" with { type: "text" };
import sql_feeds_find_feed_row from "../../../sql/feeds/find_feed_row.sql" with { type: "text" };
import sql_feeds_functions_delete_feed from "../../../sql/feeds/functions/delete_feed.sql" with { type: "text" };
import sql_feeds_functions_delete_rows from "../../../sql/feeds/functions/delete_rows.sql" with { type: "text" };
import sql_feeds_functions_lock_rows from "../../../sql/feeds/functions/lock_rows.sql" with { type: "text" };
import sql_feeds_functions_newest_feeds from "../../../sql/feeds/functions/newest_feeds.sql" with { type: "text" };
import sql_feeds_functions_remove_rows from "../../../sql/feeds/functions/remove_rows.sql" with { type: "text" };
import sql_feeds_functions_save_feed from "../../../sql/feeds/functions/save_feed.sql" with { type: "text" };
import sql_feeds_list_data_versions from "../../../sql/feeds/list_data_versions.sql" with { type: "text" };
import sql_feeds_list_feed_contents from "../../../sql/feeds/list_feed_contents.sql" with { type: "text" };
import sql_feeds_list_feed_rows from "../../../sql/feeds/list_feed_rows.sql" with { type: "text" };
import sql_feeds_list_newest_rows from "../../../sql/feeds/list_newest_rows.sql" with { type: "text" };
import sql_feeds_list_pushes from "../../../sql/feeds/list_pushes.sql" with { type: "text" };
import sql_feeds_list_slugs_near from "../../../sql/feeds/list_slugs_near.sql" with { type: "text" };
import sql_jobs_functions_check_ledgers from "../../../sql/jobs/functions/check_ledgers.sql" with { type: "text" };
import sql_jobs_functions_count_overdue_feeds from "../../../sql/jobs/functions/count_overdue_feeds.sql" with { type: "text" };
import sql_jobs_functions_index_large_batches from "../../../sql/jobs/functions/index_large_batches.sql" with { type: "text" };
import sql_jobs_functions_keep_top_reads from "../../../sql/jobs/functions/keep_top_reads.sql" with { type: "text" };
import sql_jobs_functions_prune_pushes from "../../../sql/jobs/functions/prune_pushes.sql" with { type: "text" };
import sql_jobs_functions_reliability_of from "../../../sql/jobs/functions/reliability_of.sql" with { type: "text" };
import sql_jobs_functions_remove_aged_audit from "../../../sql/jobs/functions/remove_aged_audit.sql" with { type: "text" };
import sql_jobs_functions_remove_aged_rows from "../../../sql/jobs/functions/remove_aged_rows.sql" with { type: "text" };
import sql_jobs_functions_remove_deleted_feeds from "../../../sql/jobs/functions/remove_deleted_feeds.sql" with { type: "text" };
import sql_jobs_functions_remove_expired_events from "../../../sql/jobs/functions/remove_expired_events.sql" with { type: "text" };
import sql_jobs_functions_remove_filter_entries from "../../../sql/jobs/functions/remove_filter_entries.sql" with { type: "text" };
import sql_jobs_functions_remove_index_terms from "../../../sql/jobs/functions/remove_index_terms.sql" with { type: "text" };
import sql_jobs_functions_remove_old_minutes from "../../../sql/jobs/functions/remove_old_minutes.sql" with { type: "text" };
import sql_jobs_functions_remove_old_proofs from "../../../sql/jobs/functions/remove_old_proofs.sql" with { type: "text" };
import sql_jobs_functions_remove_retired_rows from "../../../sql/jobs/functions/remove_retired_rows.sql" with { type: "text" };
import sql_jobs_functions_remove_unused_connections from "../../../sql/jobs/functions/remove_unused_connections.sql" with { type: "text" };
import sql_jobs_functions_retire_abandoned_batches from "../../../sql/jobs/functions/retire_abandoned_batches.sql" with { type: "text" };
import sql_jobs_functions_retire_usage from "../../../sql/jobs/functions/retire_usage.sql" with { type: "text" };
import sql_jobs_functions_run_job from "../../../sql/jobs/functions/run_job.sql" with { type: "text" };
import sql_jobs_functions_score_feeds from "../../../sql/jobs/functions/score_feeds.sql" with { type: "text" };
import sql_jobs_list_findings from "../../../sql/jobs/list_findings.sql" with { type: "text" };
import sql_jobs_prove_ledgers from "../../../sql/jobs/prove_ledgers.sql" with { type: "text" };
import sql_migrations_0001_schema from "../../../sql/migrations/0001_schema.sql" with { type: "text" };
import sql_migrations_0002_answered_version from "../../../sql/migrations/0002_answered_version.sql" with { type: "text" };
import sql_migrations_0003_key_chains from "../../../sql/migrations/0003_key_chains.sql" with { type: "text" };
import sql_migrations_0004_limits_of_read_keys from "../../../sql/migrations/0004_limits_of_read_keys.sql" with { type: "text" };
import sql_migrations_0005_findings from "../../../sql/migrations/0005_findings.sql" with { type: "text" };
import sql_migrations_0006_deleted_feeds from "../../../sql/migrations/0006_deleted_feeds.sql" with { type: "text" };
import sql_migrations_0007_bought_from_balance from "../../../sql/migrations/0007_bought_from_balance.sql" with { type: "text" };
import sql_migrations_0008_admin_keys from "../../../sql/migrations/0008_admin_keys.sql" with { type: "text" };
import sql_migrations_0009_earnings from "../../../sql/migrations/0009_earnings.sql" with { type: "text" };
import sql_migrations_0010_operator_calls from "../../../sql/migrations/0010_operator_calls.sql" with { type: "text" };
import sql_migrations_0011_schema_changed_at from "../../../sql/migrations/0011_schema_changed_at.sql" with { type: "text" };
import sql_migrations_0012_reviews from "../../../sql/migrations/0012_reviews.sql" with { type: "text" };
import sql_migrations_0013_push_history from "../../../sql/migrations/0013_push_history.sql" with { type: "text" };
import sql_migrations_0014_imports from "../../../sql/migrations/0014_imports.sql" with { type: "text" };
import sql_migrations_0015_connected_agents from "../../../sql/migrations/0015_connected_agents.sql" with { type: "text" };
import sql_migrations_0016_totals from "../../../sql/migrations/0016_totals.sql" with { type: "text" };
import sql_migrations_0017_all_customers from "../../../sql/migrations/0017_all_customers.sql" with { type: "text" };
import sql_migrations_0018_exports from "../../../sql/migrations/0018_exports.sql" with { type: "text" };
import sql_migrations_0019_console_sessions from "../../../sql/migrations/0019_console_sessions.sql" with { type: "text" };
import sql_migrations_0020_faces from "../../../sql/migrations/0020_faces.sql" with { type: "text" };
import sql_migrations_0021_topups from "../../../sql/migrations/0021_topups.sql" with { type: "text" };
import sql_migrations_0022_topups_ended from "../../../sql/migrations/0022_topups_ended.sql" with { type: "text" };
import sql_migrations_0023_topups_final from "../../../sql/migrations/0023_topups_final.sql" with { type: "text" };
import sql_migrations_0024_exported_columns from "../../../sql/migrations/0024_exported_columns.sql" with { type: "text" };
import sql_migrations_0025_unpaid_topups from "../../../sql/migrations/0025_unpaid_topups.sql" with { type: "text" };
import sql_migrations_0026_lists_in_order from "../../../sql/migrations/0026_lists_in_order.sql" with { type: "text" };
import sql_migrations_0027_feeds_by_state from "../../../sql/migrations/0027_feeds_by_state.sql" with { type: "text" };
import sql_migrations_0028_top_reads from "../../../sql/migrations/0028_top_reads.sql" with { type: "text" };
import sql_migrations_0029_batches_of_collections from "../../../sql/migrations/0029_batches_of_collections.sql" with { type: "text" };
import sql_migrations_0030_agreed_keys from "../../../sql/migrations/0030_agreed_keys.sql" with { type: "text" };
import sql_migrations_0031_payouts_undone from "../../../sql/migrations/0031_payouts_undone.sql" with { type: "text" };
import sql_migrations_0032_refunds_of_topups from "../../../sql/migrations/0032_refunds_of_topups.sql" with { type: "text" };
import sql_migrations_0033_networks_of_topups from "../../../sql/migrations/0033_networks_of_topups.sql" with { type: "text" };
import sql_migrations_0034_search_letters from "../../../sql/migrations/0034_search_letters.sql" with { type: "text" };
import sql_migrations_0035_imports_counted from "../../../sql/migrations/0035_imports_counted.sql" with { type: "text" };
import sql_migrations_0036_people from "../../../sql/migrations/0036_people.sql" with { type: "text" };
import sql_migrations_0037_push_mistakes from "../../../sql/migrations/0037_push_mistakes.sql" with { type: "text" };
import sql_migrations_0038_notices from "../../../sql/migrations/0038_notices.sql" with { type: "text" };
import sql_migrations_0039_access from "../../../sql/migrations/0039_access.sql" with { type: "text" };
import sql_migrations_0040_webhooks_audited from "../../../sql/migrations/0040_webhooks_audited.sql" with { type: "text" };
import sql_migrations_0041_proven_accounts from "../../../sql/migrations/0041_proven_accounts.sql" with { type: "text" };
import sql_migrations_0042_names_in_order from "../../../sql/migrations/0042_names_in_order.sql" with { type: "text" };
import sql_migrations_0043_invitation_mails from "../../../sql/migrations/0043_invitation_mails.sql" with { type: "text" };
import sql_notices_delete_webhook from "../../../sql/notices/delete_webhook.sql" with { type: "text" };
import sql_notices_edit_webhook from "../../../sql/notices/edit_webhook.sql" with { type: "text" };
import sql_notices_find_low_balance from "../../../sql/notices/find_low_balance.sql" with { type: "text" };
import sql_notices_find_waiting_notices from "../../../sql/notices/find_waiting_notices.sql" with { type: "text" };
import sql_notices_functions_claim_deliveries from "../../../sql/notices/functions/claim_deliveries.sql" with { type: "text" };
import sql_notices_functions_compare_feeds from "../../../sql/notices/functions/compare_feeds.sql" with { type: "text" };
import sql_notices_functions_create_webhook from "../../../sql/notices/functions/create_webhook.sql" with { type: "text" };
import sql_notices_functions_drop_withheld_mails from "../../../sql/notices/functions/drop_withheld_mails.sql" with { type: "text" };
import sql_notices_functions_feeds_of_reader from "../../../sql/notices/functions/feeds_of_reader.sql" with { type: "text" };
import sql_notices_functions_finish_delivery from "../../../sql/notices/functions/finish_delivery.sql" with { type: "text" };
import sql_notices_functions_has_usable_key from "../../../sql/notices/functions/has_usable_key.sql" with { type: "text" };
import sql_notices_functions_is_of_agent from "../../../sql/notices/functions/is_of_agent.sql" with { type: "text" };
import sql_notices_functions_is_own_budget from "../../../sql/notices/functions/is_own_budget.sql" with { type: "text" };
import sql_notices_functions_is_told_of_feeds from "../../../sql/notices/functions/is_told_of_feeds.sql" with { type: "text" };
import sql_notices_functions_json_time from "../../../sql/notices/functions/json_time.sql" with { type: "text" };
import sql_notices_functions_keep_account_feeds from "../../../sql/notices/functions/keep_account_feeds.sql" with { type: "text" };
import sql_notices_functions_lasting_chain from "../../../sql/notices/functions/lasting_chain.sql" with { type: "text" };
import sql_notices_functions_may_be_told from "../../../sql/notices/functions/may_be_told.sql" with { type: "text" };
import sql_notices_functions_note_closing_batches from "../../../sql/notices/functions/note_closing_batches.sql" with { type: "text" };
import sql_notices_functions_note_late_feeds from "../../../sql/notices/functions/note_late_feeds.sql" with { type: "text" };
import sql_notices_functions_note_low_balances from "../../../sql/notices/functions/note_low_balances.sql" with { type: "text" };
import sql_notices_functions_note_spent_budgets from "../../../sql/notices/functions/note_spent_budgets.sql" with { type: "text" };
import sql_notices_functions_note_updated_feeds from "../../../sql/notices/functions/note_updated_feeds.sql" with { type: "text" };
import sql_notices_functions_queue_notice_mail from "../../../sql/notices/functions/queue_notice_mail.sql" with { type: "text" };
import sql_notices_functions_remove_old_notices from "../../../sql/notices/functions/remove_old_notices.sql" with { type: "text" };
import sql_notices_functions_run_notice_job from "../../../sql/notices/functions/run_notice_job.sql" with { type: "text" };
import sql_notices_functions_set_mail_choices from "../../../sql/notices/functions/set_mail_choices.sql" with { type: "text" };
import sql_notices_functions_set_next_delivery from "../../../sql/notices/functions/set_next_delivery.sql" with { type: "text" };
import sql_notices_functions_spread_notices from "../../../sql/notices/functions/spread_notices.sql" with { type: "text" };
import sql_notices_functions_tells_of_feed from "../../../sql/notices/functions/tells_of_feed.sql" with { type: "text" };
import sql_notices_functions_watch_feeds_of from "../../../sql/notices/functions/watch_feeds_of.sql" with { type: "text" };
import sql_notices_functions_without_wait_for_disk from "../../../sql/notices/functions/without_wait_for_disk.sql" with { type: "text" };
import sql_notices_list_all_deliveries from "../../../sql/notices/list_all_deliveries.sql" with { type: "text" };
import sql_notices_list_deliveries from "../../../sql/notices/list_deliveries.sql" with { type: "text" };
import sql_notices_list_due_notice_mails from "../../../sql/notices/list_due_notice_mails.sql" with { type: "text" };
import sql_notices_list_mail_choices from "../../../sql/notices/list_mail_choices.sql" with { type: "text" };
import sql_notices_list_webhooks from "../../../sql/notices/list_webhooks.sql" with { type: "text" };
import sql_notices_note_failed_job from "../../../sql/notices/note_failed_job.sql" with { type: "text" };
import sql_notices_resend_delivery from "../../../sql/notices/resend_delivery.sql" with { type: "text" };
import sql_notices_rotate_webhook from "../../../sql/notices/rotate_webhook.sql" with { type: "text" };
import sql_notices_set_low_balance from "../../../sql/notices/set_low_balance.sql" with { type: "text" };
import sql_notices_test_webhook from "../../../sql/notices/test_webhook.sql" with { type: "text" };
import sql_oauth_agree_to_connection from "../../../sql/oauth/agree_to_connection.sql" with { type: "text" };
import sql_oauth_find_client from "../../../sql/oauth/find_client.sql" with { type: "text" };
import sql_oauth_functions_redeem_code from "../../../sql/oauth/functions/redeem_code.sql" with { type: "text" };
import sql_oauth_register_client from "../../../sql/oauth/register_client.sql" with { type: "text" };
import sql_operator_cancel_operator_call from "../../../sql/operator/cancel_operator_call.sql" with { type: "text" };
import sql_operator_count_rows_left from "../../../sql/operator/count_rows_left.sql" with { type: "text" };
import sql_operator_create_account from "../../../sql/operator/create_account.sql" with { type: "text" };
import sql_operator_create_admin_key from "../../../sql/operator/create_admin_key.sql" with { type: "text" };
import sql_operator_create_sign_in_link from "../../../sql/operator/create_sign_in_link.sql" with { type: "text" };
import sql_operator_decline_feed from "../../../sql/operator/decline_feed.sql" with { type: "text" };
import sql_operator_edit_account from "../../../sql/operator/edit_account.sql" with { type: "text" };
import sql_operator_edit_admin_key from "../../../sql/operator/edit_admin_key.sql" with { type: "text" };
import sql_operator_export_usage from "../../../sql/operator/export_usage.sql" with { type: "text" };
import sql_operator_find_admin_key from "../../../sql/operator/find_admin_key.sql" with { type: "text" };
import sql_operator_find_home from "../../../sql/operator/find_home.sql" with { type: "text" };
import sql_operator_find_proof from "../../../sql/operator/find_proof.sql" with { type: "text" };
import sql_operator_finish_operator_call from "../../../sql/operator/finish_operator_call.sql" with { type: "text" };
import sql_operator_functions_begin_operator_call from "../../../sql/operator/functions/begin_operator_call.sql" with { type: "text" };
import sql_operator_functions_credits_of_nanos from "../../../sql/operator/functions/credits_of_nanos.sql" with { type: "text" };
import sql_operator_functions_find_top_reads from "../../../sql/operator/functions/find_top_reads.sql" with { type: "text" };
import sql_operator_functions_first_admin_key from "../../../sql/operator/functions/first_admin_key.sql" with { type: "text" };
import sql_operator_functions_rank_reads from "../../../sql/operator/functions/rank_reads.sql" with { type: "text" };
import sql_operator_functions_rotate_admin_key from "../../../sql/operator/functions/rotate_admin_key.sql" with { type: "text" };
import sql_operator_has_accounts from "../../../sql/operator/has_accounts.sql" with { type: "text" };
import sql_operator_has_admin_keys from "../../../sql/operator/has_admin_keys.sql" with { type: "text" };
import sql_operator_has_late_feeds from "../../../sql/operator/has_late_feeds.sql" with { type: "text" };
import sql_operator_has_long_log from "../../../sql/operator/has_long_log.sql" with { type: "text" };
import sql_operator_list_accounts from "../../../sql/operator/list_accounts.sql" with { type: "text" };
import sql_operator_list_audit_events from "../../../sql/operator/list_audit_events.sql" with { type: "text" };
import sql_operator_list_demo_settings from "../../../sql/operator/list_demo_settings.sql" with { type: "text" };
import sql_operator_list_promotions from "../../../sql/operator/list_promotions.sql" with { type: "text" };
import sql_operator_list_readers from "../../../sql/operator/list_readers.sql" with { type: "text" };
import sql_operator_list_refusals from "../../../sql/operator/list_refusals.sql" with { type: "text" };
import sql_operator_list_revenue from "../../../sql/operator/list_revenue.sql" with { type: "text" };
import sql_operator_list_stale_feeds from "../../../sql/operator/list_stale_feeds.sql" with { type: "text" };
import sql_operator_list_top_reads from "../../../sql/operator/list_top_reads.sql" with { type: "text" };
import sql_operator_list_totals from "../../../sql/operator/list_totals.sql" with { type: "text" };
import sql_operator_prove_ledger from "../../../sql/operator/prove_ledger.sql" with { type: "text" };
import sql_operator_search_accounts from "../../../sql/operator/search_accounts.sql" with { type: "text" };
import sql_operator_search_feeds_by_name from "../../../sql/operator/search_feeds_by_name.sql" with { type: "text" };
import sql_operator_set_feeds_public from "../../../sql/operator/set_feeds_public.sql" with { type: "text" };
import sql_operator_suspend_feed from "../../../sql/operator/suspend_feed.sql" with { type: "text" };
import sql_pages_console_begin_session from "../../../sql/pages/console/begin_session.sql" with { type: "text" };
import sql_pages_console_end_sessions from "../../../sql/pages/console/end_sessions.sql" with { type: "text" };
import sql_pages_console_find_names from "../../../sql/pages/console/find_names.sql" with { type: "text" };
import sql_pages_console_find_overview_version from "../../../sql/pages/console/find_overview_version.sql" with { type: "text" };
import sql_pages_console_find_session from "../../../sql/pages/console/find_session.sql" with { type: "text" };
import sql_pages_console_find_sign_in_link from "../../../sql/pages/console/find_sign_in_link.sql" with { type: "text" };
import sql_pages_console_functions_usable_sessions from "../../../sql/pages/console/functions/usable_sessions.sql" with { type: "text" };
import sql_pages_console_list_live_sessions from "../../../sql/pages/console/list_live_sessions.sql" with { type: "text" };
import sql_pages_console_use_sign_in_link from "../../../sql/pages/console/use_sign_in_link.sql" with { type: "text" };
import sql_pages_public_explain_matches from "../../../sql/pages/public/explain_matches.sql" with { type: "text" };
import sql_pages_public_find_page_version from "../../../sql/pages/public/find_page_version.sql" with { type: "text" };
import sql_pages_public_list_categories from "../../../sql/pages/public/list_categories.sql" with { type: "text" };
import sql_pages_public_list_feed_pages from "../../../sql/pages/public/list_feed_pages.sql" with { type: "text" };
import sql_pages_public_list_push_days from "../../../sql/pages/public/list_push_days.sql" with { type: "text" };
import sql_pages_public_read_shown_rows from "../../../sql/pages/public/read_shown_rows.sql" with { type: "text" };
import sql_people_check_code from "../../../sql/people/check_code.sql" with { type: "text" };
import sql_people_edit_person from "../../../sql/people/edit_person.sql" with { type: "text" };
import sql_people_find_address_proof from "../../../sql/people/find_address_proof.sql" with { type: "text" };
import sql_people_find_own_key from "../../../sql/people/find_own_key.sql" with { type: "text" };
import sql_people_find_person_session from "../../../sql/people/find_person_session.sql" with { type: "text" };
import sql_people_functions_accept_invitation from "../../../sql/people/functions/accept_invitation.sql" with { type: "text" };
import sql_people_functions_begin_person_session from "../../../sql/people/functions/begin_person_session.sql" with { type: "text" };
import sql_people_functions_begin_proof from "../../../sql/people/functions/begin_proof.sql" with { type: "text" };
import sql_people_functions_change_member from "../../../sql/people/functions/change_member.sql" with { type: "text" };
import sql_people_functions_close_account from "../../../sql/people/functions/close_account.sql" with { type: "text" };
import sql_people_functions_count_own_keys from "../../../sql/people/functions/count_own_keys.sql" with { type: "text" };
import sql_people_functions_create_own_key from "../../../sql/people/functions/create_own_key.sql" with { type: "text" };
import sql_people_functions_edit_own_key from "../../../sql/people/functions/edit_own_key.sql" with { type: "text" };
import sql_people_functions_end_agents_of_person from "../../../sql/people/functions/end_agents_of_person.sql" with { type: "text" };
import sql_people_functions_end_person_sessions from "../../../sql/people/functions/end_person_sessions.sql" with { type: "text" };
import sql_people_functions_enter_account from "../../../sql/people/functions/enter_account.sql" with { type: "text" };
import sql_people_functions_enter_by_proof from "../../../sql/people/functions/enter_by_proof.sql" with { type: "text" };
import sql_people_functions_forget_person from "../../../sql/people/functions/forget_person.sql" with { type: "text" };
import sql_people_functions_invite_member from "../../../sql/people/functions/invite_member.sql" with { type: "text" };
import sql_people_functions_is_owner from "../../../sql/people/functions/is_owner.sql" with { type: "text" };
import sql_people_functions_join_by_proof from "../../../sql/people/functions/join_by_proof.sql" with { type: "text" };
import sql_people_functions_leave_account from "../../../sql/people/functions/leave_account.sql" with { type: "text" };
import sql_people_functions_note_member from "../../../sql/people/functions/note_member.sql" with { type: "text" };
import sql_people_functions_own_key_refusal from "../../../sql/people/functions/own_key_refusal.sql" with { type: "text" };
import sql_people_functions_person_of_proof from "../../../sql/people/functions/person_of_proof.sql" with { type: "text" };
import sql_people_functions_remove_person from "../../../sql/people/functions/remove_person.sql" with { type: "text" };
import sql_people_functions_rotate_own_key from "../../../sql/people/functions/rotate_own_key.sql" with { type: "text" };
import sql_people_functions_withdraw_invitation from "../../../sql/people/functions/withdraw_invitation.sql" with { type: "text" };
import sql_people_functions_without_name from "../../../sql/people/functions/without_name.sql" with { type: "text" };
import sql_people_keep_vouched_proof from "../../../sql/people/keep_vouched_proof.sql" with { type: "text" };
import sql_people_list_invitations from "../../../sql/people/list_invitations.sql" with { type: "text" };
import sql_people_list_members from "../../../sql/people/list_members.sql" with { type: "text" };
import sql_people_list_memberships from "../../../sql/people/list_memberships.sql" with { type: "text" };
import sql_people_list_person_mail_choices from "../../../sql/people/list_person_mail_choices.sql" with { type: "text" };
import sql_people_list_person_proofs from "../../../sql/people/list_person_proofs.sql" with { type: "text" };
import sql_people_list_person_sessions from "../../../sql/people/list_person_sessions.sql" with { type: "text" };
import sql_people_list_persons from "../../../sql/people/list_persons.sql" with { type: "text" };
import sql_people_mail_claim_mails from "../../../sql/people/mail/claim_mails.sql" with { type: "text" };
import sql_people_mail_find_waiting_mails from "../../../sql/people/mail/find_waiting_mails.sql" with { type: "text" };
import sql_people_mail_forget_mail from "../../../sql/people/mail/forget_mail.sql" with { type: "text" };
import sql_people_mail_functions_mail_invitation from "../../../sql/people/mail/functions/mail_invitation.sql" with { type: "text" };
import sql_people_mail_functions_queue_mail from "../../../sql/people/mail/functions/queue_mail.sql" with { type: "text" };
import sql_people_mail_postpone_mail from "../../../sql/people/mail/postpone_mail.sql" with { type: "text" };
import sql_people_mail_remove_expired_mails from "../../../sql/people/mail/remove_expired_mails.sql" with { type: "text" };
import sql_postgres_await_replay from "../../../sql/postgres/await_replay.sql" with { type: "text" };
import sql_postgres_find_connection_room from "../../../sql/postgres/find_connection_room.sql" with { type: "text" };
import sql_postgres_find_durability from "../../../sql/postgres/find_durability.sql" with { type: "text" };
import sql_postgres_find_replica_lag from "../../../sql/postgres/find_replica_lag.sql" with { type: "text" };
import sql_postgres_find_replica_state from "../../../sql/postgres/find_replica_state.sql" with { type: "text" };
import sql_postgres_find_server from "../../../sql/postgres/find_server.sql" with { type: "text" };
import sql_postgres_functions_await_replay from "../../../sql/postgres/functions/await_replay.sql" with { type: "text" };
import sql_postgres_keep_setting from "../../../sql/postgres/keep_setting.sql" with { type: "text" };
import sql_postgres_keep_timeline from "../../../sql/postgres/keep_timeline.sql" with { type: "text" };
import sql_postgres_list_migrations from "../../../sql/postgres/list_migrations.sql" with { type: "text" };
import sql_postgres_list_schema_parts from "../../../sql/postgres/list_schema_parts.sql" with { type: "text" };
import sql_postgres_ping from "../../../sql/postgres/ping.sql" with { type: "text" };
import sql_postgres_read_wal_position from "../../../sql/postgres/read_wal_position.sql" with { type: "text" };
import sql_provider_find_push_mistakes from "../../../sql/provider/find_push_mistakes.sql" with { type: "text" };
import sql_provider_list_feed_days from "../../../sql/provider/list_feed_days.sql" with { type: "text" };
import sql_push_count_push from "../../../sql/push/count_push.sql" with { type: "text" };
import sql_push_end_import from "../../../sql/push/end_import.sql" with { type: "text" };
import sql_push_functions_add_row_totals from "../../../sql/push/functions/add_row_totals.sql" with { type: "text" };
import sql_push_functions_admit_push from "../../../sql/push/functions/admit_push.sql" with { type: "text" };
import sql_push_functions_begin_import from "../../../sql/push/functions/begin_import.sql" with { type: "text" };
import sql_push_functions_end_import from "../../../sql/push/functions/end_import.sql" with { type: "text" };
import sql_push_functions_finalize_batch from "../../../sql/push/functions/finalize_batch.sql" with { type: "text" };
import sql_push_functions_finish_import from "../../../sql/push/functions/finish_import.sql" with { type: "text" };
import sql_push_functions_import_rows from "../../../sql/push/functions/import_rows.sql" with { type: "text" };
import sql_push_functions_lock_import from "../../../sql/push/functions/lock_import.sql" with { type: "text" };
import sql_push_functions_may_push from "../../../sql/push/functions/may_push.sql" with { type: "text" };
import sql_push_functions_note_changed_rows from "../../../sql/push/functions/note_changed_rows.sql" with { type: "text" };
import sql_push_functions_note_replaced_rows from "../../../sql/push/functions/note_replaced_rows.sql" with { type: "text" };
import sql_push_functions_note_stored_push from "../../../sql/push/functions/note_stored_push.sql" with { type: "text" };
import sql_push_functions_push_collection from "../../../sql/push/functions/push_collection.sql" with { type: "text" };
import sql_push_functions_push_document from "../../../sql/push/functions/push_document.sql" with { type: "text" };
import sql_push_functions_push_stream from "../../../sql/push/functions/push_stream.sql" with { type: "text" };
import sql_push_functions_write_push from "../../../sql/push/functions/write_push.sql" with { type: "text" };
import sql_push_import_rows from "../../../sql/push/import_rows.sql" with { type: "text" };
import sql_push_keep_push_mistakes from "../../../sql/push/keep_push_mistakes.sql" with { type: "text" };
import sql_push_push_to_feed from "../../../sql/push/push_to_feed.sql" with { type: "text" };
import sql_push_record_push from "../../../sql/push/record_push.sql" with { type: "text" };
import sql_push_renew_import from "../../../sql/push/renew_import.sql" with { type: "text" };
import sql_read_find_absent_field from "../../../sql/read/find_absent_field.sql" with { type: "text" };
import sql_read_find_event_span from "../../../sql/read/find_event_span.sql" with { type: "text" };
import sql_read_functions_absent_field from "../../../sql/read/functions/absent_field.sql" with { type: "text" };
import sql_read_functions_catalog_page from "../../../sql/read/functions/catalog_page.sql" with { type: "text" };
import sql_read_functions_claim_export from "../../../sql/read/functions/claim_export.sql" with { type: "text" };
import sql_read_functions_close_names from "../../../sql/read/functions/close_names.sql" with { type: "text" };
import sql_read_functions_close_steps from "../../../sql/read/functions/close_steps.sql" with { type: "text" };
import sql_read_functions_close_words from "../../../sql/read/functions/close_words.sql" with { type: "text" };
import sql_read_functions_common_entries from "../../../sql/read/functions/common_entries.sql" with { type: "text" };
import sql_read_functions_count_unindexed_rows from "../../../sql/read/functions/count_unindexed_rows.sql" with { type: "text" };
import sql_read_functions_entries_between from "../../../sql/read/functions/entries_between.sql" with { type: "text" };
import sql_read_functions_filter_lookups from "../../../sql/read/functions/filter_lookups.sql" with { type: "text" };
import sql_read_functions_filter_name from "../../../sql/read/functions/filter_name.sql" with { type: "text" };
import sql_read_functions_filter_names_mark from "../../../sql/read/functions/filter_names_mark.sql" with { type: "text" };
import sql_read_functions_filter_piece_max from "../../../sql/read/functions/filter_piece_max.sql" with { type: "text" };
import sql_read_functions_filter_row_cost from "../../../sql/read/functions/filter_row_cost.sql" with { type: "text" };
import sql_read_functions_filter_work_max from "../../../sql/read/functions/filter_work_max.sql" with { type: "text" };
import sql_read_functions_index_filter_rows from "../../../sql/read/functions/index_filter_rows.sql" with { type: "text" };
import sql_read_functions_look_up_events from "../../../sql/read/functions/look_up_events.sql" with { type: "text" };
import sql_read_functions_look_up_rows from "../../../sql/read/functions/look_up_rows.sql" with { type: "text" };
import sql_read_functions_match_collection_rows from "../../../sql/read/functions/match_collection_rows.sql" with { type: "text" };
import sql_read_functions_match_stream_rows from "../../../sql/read/functions/match_stream_rows.sql" with { type: "text" };
import sql_read_functions_oldest_readable from "../../../sql/read/functions/oldest_readable.sql" with { type: "text" };
import sql_read_functions_parse_search from "../../../sql/read/functions/parse_search.sql" with { type: "text" };
import sql_read_functions_rank_broad_search from "../../../sql/read/functions/rank_broad_search.sql" with { type: "text" };
import sql_read_functions_read_collection_page from "../../../sql/read/functions/read_collection_page.sql" with { type: "text" };
import sql_read_functions_read_stream_page from "../../../sql/read/functions/read_stream_page.sql" with { type: "text" };
import sql_read_functions_remove_row_terms from "../../../sql/read/functions/remove_row_terms.sql" with { type: "text" };
import sql_read_functions_row_matches from "../../../sql/read/functions/row_matches.sql" with { type: "text" };
import sql_read_functions_search_matches from "../../../sql/read/functions/search_matches.sql" with { type: "text" };
import sql_read_functions_search_merit from "../../../sql/read/functions/search_merit.sql" with { type: "text" };
import sql_read_functions_to_lexeme_query from "../../../sql/read/functions/to_lexeme_query.sql" with { type: "text" };
import sql_read_functions_weigh_search from "../../../sql/read/functions/weigh_search.sql" with { type: "text" };
import sql_read_functions_words_around from "../../../sql/read/functions/words_around.sql" with { type: "text" };
import sql_read_functions_words_ending from "../../../sql/read/functions/words_ending.sql" with { type: "text" };
import sql_read_list_catalog from "../../../sql/read/list_catalog.sql" with { type: "text" };
import sql_read_list_categories_found from "../../../sql/read/list_categories_found.sql" with { type: "text" };
import sql_read_list_category from "../../../sql/read/list_category.sql" with { type: "text" };
import sql_read_list_export_fields from "../../../sql/read/list_export_fields.sql" with { type: "text" };
import sql_read_list_schemas from "../../../sql/read/list_schemas.sql" with { type: "text" };
import sql_read_note_export from "../../../sql/read/note_export.sql" with { type: "text" };
import sql_read_read_collection_rows from "../../../sql/read/read_collection_rows.sql" with { type: "text" };
import sql_read_read_document from "../../../sql/read/read_document.sql" with { type: "text" };
import sql_read_read_stream_rows from "../../../sql/read/read_stream_rows.sql" with { type: "text" };
import sql_read_read_stream_tail from "../../../sql/read/read_stream_tail.sql" with { type: "text" };
import sql_read_release_export from "../../../sql/read/release_export.sql" with { type: "text" };
import sql_read_search_feeds from "../../../sql/read/search_feeds.sql" with { type: "text" };
import sql_read_survey_export from "../../../sql/read/survey_export.sql" with { type: "text" };
import sql_skill_find_skill_feed from "../../../sql/skill/find_skill_feed.sql" with { type: "text" };
import sql_skill_find_skill_version from "../../../sql/skill/find_skill_version.sql" with { type: "text" };
import sql_skill_list_skill_versions from "../../../sql/skill/list_skill_versions.sql" with { type: "text" };
import sql_topups_alert_topup from "../../../sql/topups/alert_topup.sql" with { type: "text" };
import sql_topups_claim_due_topups from "../../../sql/topups/claim_due_topups.sql" with { type: "text" };
import sql_topups_claim_granted_topups from "../../../sql/topups/claim_granted_topups.sql" with { type: "text" };
import sql_topups_count_keyless_topups from "../../../sql/topups/count_keyless_topups.sql" with { type: "text" };
import sql_topups_delete_unpaid_topups from "../../../sql/topups/delete_unpaid_topups.sql" with { type: "text" };
import sql_topups_expire_topup from "../../../sql/topups/expire_topup.sql" with { type: "text" };
import sql_topups_find_topup from "../../../sql/topups/find_topup.sql" with { type: "text" };
import sql_topups_find_topup_of_order from "../../../sql/topups/find_topup_of_order.sql" with { type: "text" };
import sql_topups_find_topup_of_payment from "../../../sql/topups/find_topup_of_payment.sql" with { type: "text" };
import sql_topups_functions_adopt_topup from "../../../sql/topups/functions/adopt_topup.sql" with { type: "text" };
import sql_topups_functions_begin_topup from "../../../sql/topups/functions/begin_topup.sql" with { type: "text" };
import sql_topups_functions_give_topup_key from "../../../sql/topups/functions/give_topup_key.sql" with { type: "text" };
import sql_topups_functions_given_back from "../../../sql/topups/functions/given_back.sql" with { type: "text" };
import sql_topups_functions_grant_topup from "../../../sql/topups/functions/grant_topup.sql" with { type: "text" };
import sql_topups_functions_lock_topup from "../../../sql/topups/functions/lock_topup.sql" with { type: "text" };
import sql_topups_functions_settle_take_backs from "../../../sql/topups/functions/settle_take_backs.sql" with { type: "text" };
import sql_topups_functions_settle_topup from "../../../sql/topups/functions/settle_topup.sql" with { type: "text" };
import sql_topups_functions_take_back_topup from "../../../sql/topups/functions/take_back_topup.sql" with { type: "text" };
import sql_topups_functions_with_alert from "../../../sql/topups/functions/with_alert.sql" with { type: "text" };
import sql_topups_list_topups from "../../../sql/topups/list_topups.sql" with { type: "text" };
import sql_topups_mark_topup_final from "../../../sql/topups/mark_topup_final.sql" with { type: "text" };
import sql_topups_note_topup_payment from "../../../sql/topups/note_topup_payment.sql" with { type: "text" };
import sql_topups_postpone_topup from "../../../sql/topups/postpone_topup.sql" with { type: "text" };
import sql_topups_report_topups from "../../../sql/topups/report_topups.sql" with { type: "text" };
import { numbered } from "../client/numbered.ts";

/** Every migration, in order. */
export const MIGRATIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "0001_schema", text: sql_migrations_0001_schema },
  { name: "0002_answered_version", text: sql_migrations_0002_answered_version },
  { name: "0003_key_chains", text: sql_migrations_0003_key_chains },
  { name: "0004_limits_of_read_keys", text: sql_migrations_0004_limits_of_read_keys },
  { name: "0005_findings", text: sql_migrations_0005_findings },
  { name: "0006_deleted_feeds", text: sql_migrations_0006_deleted_feeds },
  { name: "0007_bought_from_balance", text: sql_migrations_0007_bought_from_balance },
  { name: "0008_admin_keys", text: sql_migrations_0008_admin_keys },
  { name: "0009_earnings", text: sql_migrations_0009_earnings },
  { name: "0010_operator_calls", text: sql_migrations_0010_operator_calls },
  { name: "0011_schema_changed_at", text: sql_migrations_0011_schema_changed_at },
  { name: "0012_reviews", text: sql_migrations_0012_reviews },
  { name: "0013_push_history", text: sql_migrations_0013_push_history },
  { name: "0014_imports", text: sql_migrations_0014_imports },
  { name: "0015_connected_agents", text: sql_migrations_0015_connected_agents },
  { name: "0016_totals", text: sql_migrations_0016_totals },
  { name: "0017_all_customers", text: sql_migrations_0017_all_customers },
  { name: "0018_exports", text: sql_migrations_0018_exports },
  { name: "0019_console_sessions", text: sql_migrations_0019_console_sessions },
  { name: "0020_faces", text: sql_migrations_0020_faces },
  { name: "0021_topups", text: sql_migrations_0021_topups },
  { name: "0022_topups_ended", text: sql_migrations_0022_topups_ended },
  { name: "0023_topups_final", text: sql_migrations_0023_topups_final },
  { name: "0024_exported_columns", text: sql_migrations_0024_exported_columns },
  { name: "0025_unpaid_topups", text: sql_migrations_0025_unpaid_topups },
  { name: "0026_lists_in_order", text: sql_migrations_0026_lists_in_order },
  { name: "0027_feeds_by_state", text: sql_migrations_0027_feeds_by_state },
  { name: "0028_top_reads", text: sql_migrations_0028_top_reads },
  { name: "0029_batches_of_collections", text: sql_migrations_0029_batches_of_collections },
  { name: "0030_agreed_keys", text: sql_migrations_0030_agreed_keys },
  { name: "0031_payouts_undone", text: sql_migrations_0031_payouts_undone },
  { name: "0032_refunds_of_topups", text: sql_migrations_0032_refunds_of_topups },
  { name: "0033_networks_of_topups", text: sql_migrations_0033_networks_of_topups },
  { name: "0034_search_letters", text: sql_migrations_0034_search_letters },
  { name: "0035_imports_counted", text: sql_migrations_0035_imports_counted },
  { name: "0036_people", text: sql_migrations_0036_people },
  { name: "0037_push_mistakes", text: sql_migrations_0037_push_mistakes },
  { name: "0038_notices", text: sql_migrations_0038_notices },
  { name: "0039_access", text: sql_migrations_0039_access },
  { name: "0040_webhooks_audited", text: sql_migrations_0040_webhooks_audited },
  { name: "0041_proven_accounts", text: sql_migrations_0041_proven_accounts },
  { name: "0042_names_in_order", text: sql_migrations_0042_names_in_order },
  { name: "0043_invitation_mails", text: sql_migrations_0043_invitation_mails },
];

/** Every function, `create or replace`, applied after the migrations. */
export const FUNCTIONS: readonly { readonly name: string; readonly text: string }[] = [
  { name: "answer_access_request", text: sql_access_functions_answer_access_request },
  { name: "finds_feed", text: sql_access_functions_finds_feed },
  { name: "grant_access", text: sql_access_functions_grant_access },
  { name: "has_grant", text: sql_access_functions_has_grant },
  { name: "invite_reader", text: sql_access_functions_invite_reader },
  { name: "invited_feeds_of", text: sql_access_functions_invited_feeds_of },
  { name: "is_acquired", text: sql_access_functions_is_acquired },
  { name: "is_current_grant", text: sql_access_functions_is_current_grant },
  { name: "may_find", text: sql_access_functions_may_find },
  { name: "request_access", text: sql_access_functions_request_access },
  { name: "take_access_invitation", text: sql_access_functions_take_access_invitation },
  { name: "take_access_invitations", text: sql_access_functions_take_access_invitations },
  { name: "add_earnings", text: sql_accounts_earnings_functions_add_earnings },
  { name: "add_totals", text: sql_accounts_earnings_functions_add_totals },
  { name: "add_usage", text: sql_accounts_earnings_functions_add_usage },
  { name: "count_customers", text: sql_accounts_earnings_functions_count_customers },
  { name: "count_sales", text: sql_accounts_earnings_functions_count_sales },
  { name: "every_provider", text: sql_accounts_earnings_functions_every_provider },
  { name: "is_customer", text: sql_accounts_earnings_functions_is_customer },
  { name: "keep_fee_rate", text: sql_accounts_earnings_functions_keep_fee_rate },
  { name: "minutes_kept", text: sql_accounts_earnings_functions_minutes_kept },
  { name: "oldest_writer_since", text: sql_accounts_earnings_functions_oldest_writer_since },
  { name: "owed_to", text: sql_accounts_earnings_functions_owed_to },
  { name: "record_payout", text: sql_accounts_earnings_functions_record_payout },
  { name: "sales_of", text: sql_accounts_earnings_functions_sales_of },
  { name: "undo_payout", text: sql_accounts_earnings_functions_undo_payout },
  { name: "waiting_sales", text: sql_accounts_earnings_functions_waiting_sales },
  { name: "act_as", text: sql_accounts_functions_act_as },
  { name: "agents_of", text: sql_accounts_functions_agents_of },
  { name: "agreed_by", text: sql_accounts_functions_agreed_by },
  { name: "append_ledger_entry", text: sql_accounts_functions_append_ledger_entry },
  { name: "create_key", text: sql_accounts_functions_create_key },
  { name: "edit_key", text: sql_accounts_functions_edit_key },
  { name: "end_agents_of", text: sql_accounts_functions_end_agents_of },
  { name: "end_chain", text: sql_accounts_functions_end_chain },
  { name: "is_usable_key", text: sql_accounts_functions_is_usable_key },
  { name: "ledger_of", text: sql_accounts_functions_ledger_of },
  { name: "lock_account_of_key", text: sql_accounts_functions_lock_account_of_key },
  { name: "prove_account", text: sql_accounts_functions_prove_account },
  { name: "record_purchase", text: sql_accounts_functions_record_purchase },
  { name: "redeem_promotion", text: sql_accounts_functions_redeem_promotion },
  { name: "refund_event", text: sql_accounts_functions_refund_event },
  { name: "rotate_key", text: sql_accounts_functions_rotate_key },
  { name: "shorten_agents_of", text: sql_accounts_functions_shorten_agents_of },
  { name: "undo_purchase", text: sql_accounts_functions_undo_purchase },
  { name: "uuid_since", text: sql_accounts_functions_uuid_since },
  { name: "uuid_until", text: sql_accounts_functions_uuid_until },
  { name: "account_news", text: sql_admission_functions_account_news },
  { name: "create_usage_partitions", text: sql_admission_functions_create_usage_partitions },
  { name: "epoch_us", text: sql_admission_functions_epoch_us },
  { name: "log_reads", text: sql_admission_functions_log_reads },
  { name: "prove_calls", text: sql_admission_functions_prove_calls },
  { name: "refund_reads", text: sql_admission_functions_refund_reads },
  { name: "refund_usage", text: sql_admission_functions_refund_usage },
  { name: "time_of_uuid", text: sql_admission_functions_time_of_uuid },
  { name: "usage_id_of", text: sql_admission_functions_usage_id_of },
  { name: "utc_day", text: sql_admission_functions_utc_day },
  { name: "uuid_from_time", text: sql_admission_functions_uuid_from_time },
  { name: "delete_feed", text: sql_feeds_functions_delete_feed },
  { name: "delete_rows", text: sql_feeds_functions_delete_rows },
  { name: "lock_rows", text: sql_feeds_functions_lock_rows },
  { name: "newest_feeds", text: sql_feeds_functions_newest_feeds },
  { name: "remove_rows", text: sql_feeds_functions_remove_rows },
  { name: "save_feed", text: sql_feeds_functions_save_feed },
  { name: "check_ledgers", text: sql_jobs_functions_check_ledgers },
  { name: "count_overdue_feeds", text: sql_jobs_functions_count_overdue_feeds },
  { name: "index_large_batches", text: sql_jobs_functions_index_large_batches },
  { name: "keep_top_reads", text: sql_jobs_functions_keep_top_reads },
  { name: "prune_pushes", text: sql_jobs_functions_prune_pushes },
  { name: "reliability_of", text: sql_jobs_functions_reliability_of },
  { name: "remove_aged_audit", text: sql_jobs_functions_remove_aged_audit },
  { name: "remove_aged_rows", text: sql_jobs_functions_remove_aged_rows },
  { name: "remove_deleted_feeds", text: sql_jobs_functions_remove_deleted_feeds },
  { name: "remove_expired_events", text: sql_jobs_functions_remove_expired_events },
  { name: "remove_filter_entries", text: sql_jobs_functions_remove_filter_entries },
  { name: "remove_index_terms", text: sql_jobs_functions_remove_index_terms },
  { name: "remove_old_minutes", text: sql_jobs_functions_remove_old_minutes },
  { name: "remove_old_proofs", text: sql_jobs_functions_remove_old_proofs },
  { name: "remove_retired_rows", text: sql_jobs_functions_remove_retired_rows },
  { name: "remove_unused_connections", text: sql_jobs_functions_remove_unused_connections },
  { name: "retire_abandoned_batches", text: sql_jobs_functions_retire_abandoned_batches },
  { name: "retire_usage", text: sql_jobs_functions_retire_usage },
  { name: "run_job", text: sql_jobs_functions_run_job },
  { name: "score_feeds", text: sql_jobs_functions_score_feeds },
  { name: "claim_deliveries", text: sql_notices_functions_claim_deliveries },
  { name: "compare_feeds", text: sql_notices_functions_compare_feeds },
  { name: "create_webhook", text: sql_notices_functions_create_webhook },
  { name: "drop_withheld_mails", text: sql_notices_functions_drop_withheld_mails },
  { name: "feeds_of_reader", text: sql_notices_functions_feeds_of_reader },
  { name: "finish_delivery", text: sql_notices_functions_finish_delivery },
  { name: "has_usable_key", text: sql_notices_functions_has_usable_key },
  { name: "is_of_agent", text: sql_notices_functions_is_of_agent },
  { name: "is_own_budget", text: sql_notices_functions_is_own_budget },
  { name: "is_told_of_feeds", text: sql_notices_functions_is_told_of_feeds },
  { name: "json_time", text: sql_notices_functions_json_time },
  { name: "keep_account_feeds", text: sql_notices_functions_keep_account_feeds },
  { name: "lasting_chain", text: sql_notices_functions_lasting_chain },
  { name: "may_be_told", text: sql_notices_functions_may_be_told },
  { name: "note_closing_batches", text: sql_notices_functions_note_closing_batches },
  { name: "note_late_feeds", text: sql_notices_functions_note_late_feeds },
  { name: "note_low_balances", text: sql_notices_functions_note_low_balances },
  { name: "note_spent_budgets", text: sql_notices_functions_note_spent_budgets },
  { name: "note_updated_feeds", text: sql_notices_functions_note_updated_feeds },
  { name: "queue_notice_mail", text: sql_notices_functions_queue_notice_mail },
  { name: "remove_old_notices", text: sql_notices_functions_remove_old_notices },
  { name: "run_notice_job", text: sql_notices_functions_run_notice_job },
  { name: "set_mail_choices", text: sql_notices_functions_set_mail_choices },
  { name: "set_next_delivery", text: sql_notices_functions_set_next_delivery },
  { name: "spread_notices", text: sql_notices_functions_spread_notices },
  { name: "tells_of_feed", text: sql_notices_functions_tells_of_feed },
  { name: "watch_feeds_of", text: sql_notices_functions_watch_feeds_of },
  { name: "without_wait_for_disk", text: sql_notices_functions_without_wait_for_disk },
  { name: "redeem_code", text: sql_oauth_functions_redeem_code },
  { name: "begin_operator_call", text: sql_operator_functions_begin_operator_call },
  { name: "credits_of_nanos", text: sql_operator_functions_credits_of_nanos },
  { name: "find_top_reads", text: sql_operator_functions_find_top_reads },
  { name: "first_admin_key", text: sql_operator_functions_first_admin_key },
  { name: "rank_reads", text: sql_operator_functions_rank_reads },
  { name: "rotate_admin_key", text: sql_operator_functions_rotate_admin_key },
  { name: "usable_sessions", text: sql_pages_console_functions_usable_sessions },
  { name: "accept_invitation", text: sql_people_functions_accept_invitation },
  { name: "begin_person_session", text: sql_people_functions_begin_person_session },
  { name: "begin_proof", text: sql_people_functions_begin_proof },
  { name: "change_member", text: sql_people_functions_change_member },
  { name: "close_account", text: sql_people_functions_close_account },
  { name: "count_own_keys", text: sql_people_functions_count_own_keys },
  { name: "create_own_key", text: sql_people_functions_create_own_key },
  { name: "edit_own_key", text: sql_people_functions_edit_own_key },
  { name: "end_agents_of_person", text: sql_people_functions_end_agents_of_person },
  { name: "end_person_sessions", text: sql_people_functions_end_person_sessions },
  { name: "enter_account", text: sql_people_functions_enter_account },
  { name: "enter_by_proof", text: sql_people_functions_enter_by_proof },
  { name: "forget_person", text: sql_people_functions_forget_person },
  { name: "invite_member", text: sql_people_functions_invite_member },
  { name: "is_owner", text: sql_people_functions_is_owner },
  { name: "join_by_proof", text: sql_people_functions_join_by_proof },
  { name: "leave_account", text: sql_people_functions_leave_account },
  { name: "note_member", text: sql_people_functions_note_member },
  { name: "own_key_refusal", text: sql_people_functions_own_key_refusal },
  { name: "person_of_proof", text: sql_people_functions_person_of_proof },
  { name: "remove_person", text: sql_people_functions_remove_person },
  { name: "rotate_own_key", text: sql_people_functions_rotate_own_key },
  { name: "withdraw_invitation", text: sql_people_functions_withdraw_invitation },
  { name: "without_name", text: sql_people_functions_without_name },
  { name: "mail_invitation", text: sql_people_mail_functions_mail_invitation },
  { name: "queue_mail", text: sql_people_mail_functions_queue_mail },
  { name: "await_replay", text: sql_postgres_functions_await_replay },
  { name: "add_row_totals", text: sql_push_functions_add_row_totals },
  { name: "admit_push", text: sql_push_functions_admit_push },
  { name: "begin_import", text: sql_push_functions_begin_import },
  { name: "end_import", text: sql_push_functions_end_import },
  { name: "finalize_batch", text: sql_push_functions_finalize_batch },
  { name: "finish_import", text: sql_push_functions_finish_import },
  { name: "import_rows", text: sql_push_functions_import_rows },
  { name: "lock_import", text: sql_push_functions_lock_import },
  { name: "may_push", text: sql_push_functions_may_push },
  { name: "note_changed_rows", text: sql_push_functions_note_changed_rows },
  { name: "note_replaced_rows", text: sql_push_functions_note_replaced_rows },
  { name: "note_stored_push", text: sql_push_functions_note_stored_push },
  { name: "push_collection", text: sql_push_functions_push_collection },
  { name: "push_document", text: sql_push_functions_push_document },
  { name: "push_stream", text: sql_push_functions_push_stream },
  { name: "write_push", text: sql_push_functions_write_push },
  { name: "absent_field", text: sql_read_functions_absent_field },
  { name: "catalog_page", text: sql_read_functions_catalog_page },
  { name: "claim_export", text: sql_read_functions_claim_export },
  { name: "close_names", text: sql_read_functions_close_names },
  { name: "close_steps", text: sql_read_functions_close_steps },
  { name: "close_words", text: sql_read_functions_close_words },
  { name: "common_entries", text: sql_read_functions_common_entries },
  { name: "count_unindexed_rows", text: sql_read_functions_count_unindexed_rows },
  { name: "entries_between", text: sql_read_functions_entries_between },
  { name: "filter_lookups", text: sql_read_functions_filter_lookups },
  { name: "filter_name", text: sql_read_functions_filter_name },
  { name: "filter_names_mark", text: sql_read_functions_filter_names_mark },
  { name: "filter_piece_max", text: sql_read_functions_filter_piece_max },
  { name: "filter_row_cost", text: sql_read_functions_filter_row_cost },
  { name: "filter_work_max", text: sql_read_functions_filter_work_max },
  { name: "index_filter_rows", text: sql_read_functions_index_filter_rows },
  { name: "look_up_events", text: sql_read_functions_look_up_events },
  { name: "look_up_rows", text: sql_read_functions_look_up_rows },
  { name: "match_collection_rows", text: sql_read_functions_match_collection_rows },
  { name: "match_stream_rows", text: sql_read_functions_match_stream_rows },
  { name: "oldest_readable", text: sql_read_functions_oldest_readable },
  { name: "parse_search", text: sql_read_functions_parse_search },
  { name: "rank_broad_search", text: sql_read_functions_rank_broad_search },
  { name: "read_collection_page", text: sql_read_functions_read_collection_page },
  { name: "read_stream_page", text: sql_read_functions_read_stream_page },
  { name: "remove_row_terms", text: sql_read_functions_remove_row_terms },
  { name: "row_matches", text: sql_read_functions_row_matches },
  { name: "search_matches", text: sql_read_functions_search_matches },
  { name: "search_merit", text: sql_read_functions_search_merit },
  { name: "to_lexeme_query", text: sql_read_functions_to_lexeme_query },
  { name: "weigh_search", text: sql_read_functions_weigh_search },
  { name: "words_around", text: sql_read_functions_words_around },
  { name: "words_ending", text: sql_read_functions_words_ending },
  { name: "adopt_topup", text: sql_topups_functions_adopt_topup },
  { name: "begin_topup", text: sql_topups_functions_begin_topup },
  { name: "give_topup_key", text: sql_topups_functions_give_topup_key },
  { name: "given_back", text: sql_topups_functions_given_back },
  { name: "grant_topup", text: sql_topups_functions_grant_topup },
  { name: "lock_topup", text: sql_topups_functions_lock_topup },
  { name: "settle_take_backs", text: sql_topups_functions_settle_take_backs },
  { name: "settle_topup", text: sql_topups_functions_settle_topup },
  { name: "take_back_topup", text: sql_topups_functions_take_back_topup },
  { name: "with_alert", text: sql_topups_functions_with_alert },
];

/** The text of every statement, by name. Its parameters are numbered in the order of its header. */
export const STATEMENTS = {
  answer_access_request: numbered(sql_access_answer_access_request),
  end_access: numbered(sql_access_end_access),
  find_own_access: numbered(sql_access_find_own_access),
  find_shown_feeds: numbered(sql_access_find_shown_feeds),
  take_access_invitation: "select * from take_access_invitation($1, $2, $3) as called (outcome)",
  grant_access: numbered(sql_access_grant_access),
  invite_reader: numbered(sql_access_invite_reader),
  list_access_grants: numbered(sql_access_list_access_grants),
  list_access_requests: numbered(sql_access_list_access_requests),
  list_account_grants: numbered(sql_access_list_account_grants),
  list_address_invitations: numbered(sql_access_list_address_invitations),
  list_feed_grants: numbered(sql_access_list_feed_grants),
  list_invited_feeds: numbered(sql_access_list_invited_feeds),
  list_reader_invitations: numbered(sql_access_list_reader_invitations),
  list_waiting_feeds: numbered(sql_access_list_waiting_feeds),
  request_access: numbered(sql_access_request_access),
  search_invited_feeds: numbered(sql_access_search_invited_feeds),
  withdraw_reader_invitation: numbered(sql_access_withdraw_reader_invitation),
  append_ledger_entry: numbered(sql_accounts_append_ledger_entry),
  create_promotion: numbered(sql_accounts_create_promotion),
  add_totals: numbered(sql_accounts_earnings_add_totals),
  find_earned: numbered(sql_accounts_earnings_find_earned),
  keep_fee_rate: numbered(sql_accounts_earnings_keep_fee_rate),
  list_earnings: numbered(sql_accounts_earnings_list_earnings),
  list_payouts: numbered(sql_accounts_earnings_list_payouts),
  list_recurring_spending: numbered(sql_accounts_earnings_list_recurring_spending),
  list_spending: numbered(sql_accounts_earnings_list_spending),
  record_payout: numbered(sql_accounts_earnings_record_payout),
  undo_payout: numbered(sql_accounts_earnings_undo_payout),
  end_agent: numbered(sql_accounts_end_agent),
  find_account: numbered(sql_accounts_find_account),
  find_ledger_entry: numbered(sql_accounts_find_ledger_entry),
  find_purchase: numbered(sql_accounts_find_purchase),
  find_usage_walk_end: numbered(sql_accounts_find_usage_walk_end),
  create_key: "select * from create_key($1, $2, $3, $4, $5, $6, $7, $8, $9) as called (outcome, key_id)",
  edit_key: "select * from edit_key($1, $2, $3) as called (outcome)",
  rotate_key: "select * from rotate_key($1, $2, $3, $4, $5) as called (key_id)",
  list_agents: numbered(sql_accounts_list_agents),
  list_key_budgets: numbered(sql_accounts_list_key_budgets),
  list_keys: numbered(sql_accounts_list_keys),
  list_purchases: numbered(sql_accounts_list_purchases),
  page_usage: numbered(sql_accounts_page_usage),
  record_purchase: numbered(sql_accounts_record_purchase),
  redeem_promotion: numbered(sql_accounts_redeem_promotion),
  refund_event: numbered(sql_accounts_refund_event),
  touch_keys: numbered(sql_accounts_touch_keys),
  undo_purchase: numbered(sql_accounts_undo_purchase),
  create_usage_partition: numbered(sql_admission_create_usage_partition),
  find_key: numbered(sql_admission_find_key),
  log_reads: "select * from log_reads($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) as called (decided_us, verdicts, seen_versions, balances, news)",
  prove_calls: "select * from prove_calls($1, $2, $3, $4, $5, $6, $7, $8) as called (now_us, is_key_usable, suspension_reason, news, is_feed_readable, definition_version, data_version, is_purchased, is_granted, is_granted_free, grant_end_us, query_hash, usage_id, charge_nanos, happened_at, is_replayed, answered_version, begins_after)",
  refund_reads: "select * from refund_reads($1, $2, $3, $4, $5) as called (refunded)",
  replay_read: numbered(sql_admission_replay_read),
  count_feeds: numbered(sql_feeds_count_feeds),
  delete_feed: numbered(sql_feeds_delete_feed),
  find_feed: numbered(sql_feeds_find_feed),
  find_feed_row: numbered(sql_feeds_find_feed_row),
  delete_rows: "select * from delete_rows($1, $2, $3, $4) as called (outcome, deleted, data_version, suspension_reason)",
  save_feed: "select * from save_feed($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (outcome, feed_id, max_feeds_allowed, feeds_used, suspension_reason)",
  list_data_versions: numbered(sql_feeds_list_data_versions),
  list_feed_contents: numbered(sql_feeds_list_feed_contents),
  list_feed_rows: numbered(sql_feeds_list_feed_rows),
  list_newest_rows: numbered(sql_feeds_list_newest_rows),
  list_pushes: numbered(sql_feeds_list_pushes),
  list_slugs_near: numbered(sql_feeds_list_slugs_near),
  run_job: "select * from run_job($1, $2, $3, $4, $5, $6) as called (is_more)",
  list_findings: numbered(sql_jobs_list_findings),
  prove_ledgers: numbered(sql_jobs_prove_ledgers),
  delete_webhook: numbered(sql_notices_delete_webhook),
  edit_webhook: numbered(sql_notices_edit_webhook),
  find_low_balance: numbered(sql_notices_find_low_balance),
  find_waiting_notices: numbered(sql_notices_find_waiting_notices),
  claim_deliveries: "select * from claim_deliveries($1, $2, $3, $4, $5) as called (delivery_id, webhook_id, account_id, url, sealed_secret, previous_sealed_secret, notice_id, type, happened_at, data, attempts)",
  create_webhook: "select * from create_webhook($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (outcome)",
  finish_delivery: "select * from finish_delivery($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as called (outcome, is_switched_off)",
  queue_notice_mail: "select * from queue_notice_mail($1, $2, $3, $4, $5, $6, $7, $8, $9) as called (mail_id)",
  run_notice_job: "select * from run_notice_job($1, $2, $3, $4, $5, $6) as called (is_more)",
  set_mail_choices: "select * from set_mail_choices($1, $2, $3, $4) as called (type)",
  list_all_deliveries: numbered(sql_notices_list_all_deliveries),
  list_deliveries: numbered(sql_notices_list_deliveries),
  list_due_notice_mails: numbered(sql_notices_list_due_notice_mails),
  list_mail_choices: numbered(sql_notices_list_mail_choices),
  list_webhooks: numbered(sql_notices_list_webhooks),
  note_failed_job: numbered(sql_notices_note_failed_job),
  resend_delivery: numbered(sql_notices_resend_delivery),
  rotate_webhook: numbered(sql_notices_rotate_webhook),
  set_low_balance: numbered(sql_notices_set_low_balance),
  test_webhook: numbered(sql_notices_test_webhook),
  agree_to_connection: numbered(sql_oauth_agree_to_connection),
  find_client: numbered(sql_oauth_find_client),
  redeem_code: "select * from redeem_code($1, $2, $3, $4, $5, $6, $7) as called (outcome, seconds_left)",
  register_client: numbered(sql_oauth_register_client),
  cancel_operator_call: numbered(sql_operator_cancel_operator_call),
  count_rows_left: numbered(sql_operator_count_rows_left),
  create_account: numbered(sql_operator_create_account),
  create_admin_key: numbered(sql_operator_create_admin_key),
  create_sign_in_link: numbered(sql_operator_create_sign_in_link),
  decline_feed: numbered(sql_operator_decline_feed),
  edit_account: numbered(sql_operator_edit_account),
  edit_admin_key: numbered(sql_operator_edit_admin_key),
  export_usage: numbered(sql_operator_export_usage),
  find_admin_key: numbered(sql_operator_find_admin_key),
  find_home: numbered(sql_operator_find_home),
  find_proof: numbered(sql_operator_find_proof),
  finish_operator_call: numbered(sql_operator_finish_operator_call),
  begin_operator_call: "select * from begin_operator_call($1, $2, $3, $4, $5) as called (owner_id, outcome, status, sealed_body)",
  rotate_admin_key: "select * from rotate_admin_key($1, $2, $3, $4, $5) as called (key_id)",
  has_accounts: numbered(sql_operator_has_accounts),
  has_admin_keys: numbered(sql_operator_has_admin_keys),
  has_late_feeds: numbered(sql_operator_has_late_feeds),
  has_long_log: numbered(sql_operator_has_long_log),
  list_accounts: numbered(sql_operator_list_accounts),
  list_audit_events: numbered(sql_operator_list_audit_events),
  list_demo_settings: numbered(sql_operator_list_demo_settings),
  list_promotions: numbered(sql_operator_list_promotions),
  list_readers: numbered(sql_operator_list_readers),
  list_refusals: numbered(sql_operator_list_refusals),
  list_revenue: numbered(sql_operator_list_revenue),
  list_stale_feeds: numbered(sql_operator_list_stale_feeds),
  list_top_reads: numbered(sql_operator_list_top_reads),
  list_totals: numbered(sql_operator_list_totals),
  prove_ledger: numbered(sql_operator_prove_ledger),
  search_accounts: numbered(sql_operator_search_accounts),
  search_feeds_by_name: numbered(sql_operator_search_feeds_by_name),
  set_feeds_public: numbered(sql_operator_set_feeds_public),
  suspend_feed: numbered(sql_operator_suspend_feed),
  begin_session: numbered(sql_pages_console_begin_session),
  end_sessions: numbered(sql_pages_console_end_sessions),
  find_names: numbered(sql_pages_console_find_names),
  find_overview_version: numbered(sql_pages_console_find_overview_version),
  find_session: numbered(sql_pages_console_find_session),
  find_sign_in_link: numbered(sql_pages_console_find_sign_in_link),
  list_live_sessions: numbered(sql_pages_console_list_live_sessions),
  use_sign_in_link: numbered(sql_pages_console_use_sign_in_link),
  explain_matches: numbered(sql_pages_public_explain_matches),
  find_page_version: numbered(sql_pages_public_find_page_version),
  list_categories: numbered(sql_pages_public_list_categories),
  list_feed_pages: numbered(sql_pages_public_list_feed_pages),
  list_push_days: numbered(sql_pages_public_list_push_days),
  read_shown_rows: numbered(sql_pages_public_read_shown_rows),
  check_code: numbered(sql_people_check_code),
  edit_person: numbered(sql_people_edit_person),
  find_address_proof: numbered(sql_people_find_address_proof),
  find_own_key: numbered(sql_people_find_own_key),
  find_person_session: numbered(sql_people_find_person_session),
  accept_invitation: "select * from accept_invitation($1, $2) as called (outcome, account_id)",
  begin_proof: "select * from begin_proof($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (outcome, retry_after_ms)",
  change_member: "select * from change_member($1, $2, $3, $4, $5) as called (outcome)",
  close_account: "select * from close_account($1, $2, $3) as called (outcome, owed_nanos)",
  create_own_key: "select * from create_own_key($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (outcome, key_id)",
  edit_own_key: "select * from edit_own_key($1, $2, $3, $4, $5, $6) as called (outcome)",
  end_person_sessions: "select from end_person_sessions($1, $2)",
  enter_account: "select * from enter_account($1, $2, $3, $4, $5, $6, $7, $8) as called (outcome)",
  enter_by_proof: "select * from enter_by_proof($1, $2, $3) as called (outcome, person_id)",
  invite_member: "select * from invite_member($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as called (outcome, invitation_id, created_at, expires_at)",
  join_by_proof: "select * from join_by_proof($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) as called (outcome, person_id, account_id, retry_after_ms)",
  remove_person: "select * from remove_person($1, $2) as called (outcome, account_id)",
  rotate_own_key: "select * from rotate_own_key($1, $2, $3, $4, $5, $6, $7, $8) as called (outcome, key_id)",
  withdraw_invitation: "select * from withdraw_invitation($1, $2, $3) as called (outcome)",
  keep_vouched_proof: numbered(sql_people_keep_vouched_proof),
  list_invitations: numbered(sql_people_list_invitations),
  list_members: numbered(sql_people_list_members),
  list_memberships: numbered(sql_people_list_memberships),
  list_person_mail_choices: numbered(sql_people_list_person_mail_choices),
  list_person_proofs: numbered(sql_people_list_person_proofs),
  list_person_sessions: numbered(sql_people_list_person_sessions),
  list_persons: numbered(sql_people_list_persons),
  claim_mails: numbered(sql_people_mail_claim_mails),
  find_waiting_mails: numbered(sql_people_mail_find_waiting_mails),
  forget_mail: numbered(sql_people_mail_forget_mail),
  queue_mail: "select * from queue_mail($1, $2, $3, $4, $5, $6) as called (mail_id)",
  postpone_mail: numbered(sql_people_mail_postpone_mail),
  remove_expired_mails: numbered(sql_people_mail_remove_expired_mails),
  await_replay: numbered(sql_postgres_await_replay),
  find_connection_room: numbered(sql_postgres_find_connection_room),
  find_durability: numbered(sql_postgres_find_durability),
  find_replica_lag: numbered(sql_postgres_find_replica_lag),
  find_replica_state: numbered(sql_postgres_find_replica_state),
  find_server: numbered(sql_postgres_find_server),
  keep_setting: numbered(sql_postgres_keep_setting),
  keep_timeline: numbered(sql_postgres_keep_timeline),
  list_migrations: numbered(sql_postgres_list_migrations),
  list_schema_parts: numbered(sql_postgres_list_schema_parts),
  ping: numbered(sql_postgres_ping),
  read_wal_position: numbered(sql_postgres_read_wal_position),
  find_push_mistakes: numbered(sql_provider_find_push_mistakes),
  list_feed_days: numbered(sql_provider_list_feed_days),
  count_push: numbered(sql_push_count_push),
  end_import: numbered(sql_push_end_import),
  begin_import: "select * from begin_import($1, $2, $3, $4, $5, $6, $7, $8, $9) as called (outcome, window_used, reset_seconds, retry_after_ms)",
  finish_import: "select * from finish_import($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (outcome, status, last_sync_at, data_version)",
  import_rows: numbered(sql_push_import_rows),
  keep_push_mistakes: numbered(sql_push_keep_push_mistakes),
  push_to_feed: numbered(sql_push_push_to_feed),
  record_push: numbered(sql_push_record_push),
  renew_import: numbered(sql_push_renew_import),
  find_absent_field: numbered(sql_read_find_absent_field),
  find_event_span: numbered(sql_read_find_event_span),
  claim_export: "select * from claim_export($1, $2, $3, $4, $5, $6, $7, $8) as called (is_granted, used, reset_seconds, retry_after_ms)",
  index_filter_rows: "select * from index_filter_rows($1, $2, $3) as called (has_more)",
  read_collection_page: "select * from read_collection_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) as called (data_version, batch_number, is_current, is_readable, unindexed, is_refused, data, last_position, has_more)",
  read_stream_page: "select * from read_stream_page($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as called (data_version, unindexed, is_refused, data, last_event_at, last_position, oldest_event_at, has_more)",
  list_catalog: numbered(sql_read_list_catalog),
  list_categories_found: numbered(sql_read_list_categories_found),
  list_category: numbered(sql_read_list_category),
  list_export_fields: numbered(sql_read_list_export_fields),
  list_schemas: numbered(sql_read_list_schemas),
  note_export: numbered(sql_read_note_export),
  read_collection_rows: numbered(sql_read_read_collection_rows),
  read_document: numbered(sql_read_read_document),
  read_stream_rows: numbered(sql_read_read_stream_rows),
  read_stream_tail: numbered(sql_read_read_stream_tail),
  release_export: numbered(sql_read_release_export),
  search_feeds: numbered(sql_read_search_feeds),
  survey_export: numbered(sql_read_survey_export),
  find_skill_feed: numbered(sql_skill_find_skill_feed),
  find_skill_version: numbered(sql_skill_find_skill_version),
  list_skill_versions: numbered(sql_skill_list_skill_versions),
  alert_topup: numbered(sql_topups_alert_topup),
  claim_due_topups: numbered(sql_topups_claim_due_topups),
  claim_granted_topups: numbered(sql_topups_claim_granted_topups),
  count_keyless_topups: numbered(sql_topups_count_keyless_topups),
  delete_unpaid_topups: numbered(sql_topups_delete_unpaid_topups),
  expire_topup: numbered(sql_topups_expire_topup),
  find_topup: numbered(sql_topups_find_topup),
  find_topup_of_order: numbered(sql_topups_find_topup_of_order),
  find_topup_of_payment: numbered(sql_topups_find_topup_of_payment),
  adopt_topup: "select * from adopt_topup($1, $2, $3, $4) as called (account_id)",
  begin_topup: "select * from begin_topup($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) as called (outcome, topup_id)",
  give_topup_key: "select * from give_topup_key($1, $2, $3, $4, $5, $6) as called (outcome)",
  grant_topup: "select * from grant_topup($1, $2, $3, $4, $5, $6) as called (outcome)",
  settle_topup: "select * from settle_topup($1, $2, $3) as called (topup_id)",
  take_back_topup: "select * from take_back_topup($1, $2, $3, $4, $5, $6, $7) as called (outcome)",
  list_topups: numbered(sql_topups_list_topups),
  mark_topup_final: numbered(sql_topups_mark_topup_final),
  note_topup_payment: numbered(sql_topups_note_topup_payment),
  postpone_topup: numbered(sql_topups_postpone_topup),
  report_topups: numbered(sql_topups_report_topups),
} as const;

/** Parameters and row of every statement. */
export interface StatementTypes {
  /** approves or declines a request for access to a feed; see functions/answer_access_request.sql */
  answer_access_request: {
    parameters: {
      readonly feed_id: string;
      readonly request_id: string;
      readonly is_approved: boolean;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly reason: string | null;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly request_id: string | null;
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly feed_name: string | null;
      readonly account_id: string | null;
      readonly account_name: string | null;
      readonly message: string | null;
      readonly status: string | null;
      readonly reason: string | null;
      readonly asked_at: string | null;
      readonly answered_at: string | null;
    };
  };
  /** ends an account's grant for a feed */
  end_access: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly actor: string;
    };
    row: {
      readonly account_id: string;
    };
  };
  /** an account's access to a feed: whether it may read it, its grant, and its newest request */
  find_own_access: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
      readonly pause: string;
    };
    row: {
      readonly may_read: boolean;
      readonly is_free: boolean | null;
      readonly expires_at: string | null;
      readonly status: string | null;
      readonly message: string | null;
      readonly reason: string | null;
      readonly asked_at: string | null;
      readonly answered_at: string | null;
      readonly retry_at: string | null;
    };
  };
  /** which of some feeds an account can find, their prices, and which ones must now be hidden from it */
  find_shown_feeds: {
    parameters: {
      readonly account_id: string;
      readonly feed_ids: readonly (string | null)[];
    };
    row: {
      readonly feed_id: string;
      readonly access: string;
      readonly price_type: string | null;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly is_found: boolean;
      readonly is_hidden: boolean;
    };
  };
  /** Accepts one invitation to read a feed, sent to a person's address, for one of the person's accounts */
  take_access_invitation: {
    parameters: {
      readonly person_id: string;
      readonly account_id: string;
      readonly invitation_id: string;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** grants an account access to a feed, or changes its grant; see functions/grant_access.sql */
  grant_access: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly account_id: string | null;
      readonly account_name: string | null;
      readonly is_free: boolean | null;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly granted_at: string | null;
    };
  };
  /** invites an address to read a feed; see functions/invite_reader.sql */
  invite_reader: {
    parameters: {
      readonly feed_id: string;
      readonly address: string;
      readonly address_key: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly lifetime: string;
      readonly invitations_max: number;
      readonly address_max: number;
      readonly account_max: number;
      readonly mail_subject: string | null;
      readonly mail_text: string | null;
      readonly mail_html: string | null;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly invitation_id: string | null;
      readonly address: string | null;
      readonly is_free: boolean | null;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly ends_at: string | null;
    };
  };
  /** grants for an operator, newest first, after the previous page: of a feed, of an account, or all */
  list_access_grants: {
    parameters: {
      readonly feed_id: string | null;
      readonly account_id: string | null;
      readonly before_time: string | null;
      readonly before_account_id: string | null;
      readonly before_feed_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly account_id: string;
      readonly account_name: string;
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly granted_at: string;
    };
  };
  /** requests for access, newest first, after the previous page: for a feed, of an account, or all */
  list_access_requests: {
    parameters: {
      readonly feed_id: string | null;
      readonly account_id: string | null;
      readonly finder_id: string | null;
      readonly status: string | null;
      readonly before_time: string | null;
      readonly before_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly request_id: string;
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly message: string | null;
      readonly status: string;
      readonly reason: string | null;
      readonly asked_at: string;
      readonly answered_at: string | null;
    };
  };
  /** the feeds that an account was granted access to, newest first, after the previous page */
  list_account_grants: {
    parameters: {
      readonly account_id: string;
      readonly before_time: string | null;
      readonly before_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly granted_at: string;
    };
  };
  /** the feeds that an address is invited to read, while the invitations can be accepted */
  list_address_invitations: {
    parameters: {
      readonly address_key: string;
      readonly limit: number;
    };
    row: {
      readonly invitation_id: string;
      readonly feed_name: string;
      readonly provider_name: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly ends_at: string;
      readonly invited_at: string;
    };
  };
  /** a feed's grants, newest first, after the previous page; or one of them */
  list_feed_grants: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string | null;
      readonly before_time: string | null;
      readonly before_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly account_id: string;
      readonly account_name: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly granted_at: string;
    };
  };
  /** one page of the invited feeds that an account can find, newest first, with the total; optionally by category */
  list_invited_feeds: {
    parameters: {
      readonly account_id: string;
      readonly category: string | null;
      readonly limit: number;
      readonly offset: number;
    };
    row: {
      readonly feed_id: string | null;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly feed_type: string | null;
      readonly endpoint_path: string | null;
      readonly call_price_nanos: bigint | null;
      readonly price_type: string | null;
      readonly one_time_price_cents: bigint | null;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly update_frequency_text: string | null;
      readonly sync_interval_mins: number | null;
      readonly access: string | null;
      readonly schema_definition: string | null;
      readonly total: bigint;
    };
  };
  /** the addresses that are invited to read a feed, while the invitations can be accepted */
  list_reader_invitations: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly invitation_id: string;
      readonly address: string;
      readonly is_free: boolean;
      readonly expires_at: string | null;
      readonly note: string | null;
      readonly ends_at: string;
    };
  };
  /** the account's feeds with pending requests for access, oldest request first */
  list_waiting_feeds: {
    parameters: {
      readonly account_id: string;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly name: string;
      readonly requests: bigint;
    };
  };
  /** requests access to a feed for an account; see functions/request_access.sql */
  request_access: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
      readonly message: string | null;
      readonly pause: string;
    };
    row: {
      readonly outcome: string;
      readonly request_id: string | null;
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly feed_name: string | null;
      readonly account_id: string | null;
      readonly account_name: string | null;
      readonly message: string | null;
      readonly status: string | null;
      readonly reason: string | null;
      readonly asked_at: string | null;
      readonly answered_at: string | null;
      readonly retry_at: string | null;
    };
  };
  /** one page of a search among the invited feeds that an account can find, best first, with the total */
  search_invited_feeds: {
    parameters: {
      readonly account_id: string;
      readonly q: string;
      readonly category: string | null;
      readonly limit: number;
      readonly offset: number;
    };
    row: {
      readonly feed_id: string | null;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly feed_type: string | null;
      readonly endpoint_path: string | null;
      readonly call_price_nanos: bigint | null;
      readonly price_type: string | null;
      readonly one_time_price_cents: bigint | null;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly update_frequency_text: string | null;
      readonly sync_interval_mins: number | null;
      readonly access: string | null;
      readonly total: bigint;
    };
  };
  /** withdraws an address's invitation to read a feed */
  withdraw_reader_invitation: {
    parameters: {
      readonly feed_id: string;
      readonly invitation_id: string;
    };
    row: {
      readonly invitation_id: string;
    };
  };
  /** grants or revokes credits of an account, once for each reference; never revokes more than the balance */
  append_ledger_entry: {
    parameters: {
      readonly account_id: string;
      readonly kind: string;
      readonly amount_nanos: bigint;
      readonly reason: string;
      readonly reference: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly entry_id: bigint | null;
      readonly balance: bigint;
    };
  };
  /** creates a promotion code; no row if the code exists with other content */
  create_promotion: {
    parameters: {
      readonly code: string;
      readonly amount_nanos: bigint;
      readonly max_redemptions: number | null;
      readonly expires_at: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly amount_nanos: bigint;
      readonly max_redemptions: number | null;
      readonly expires_at: string | null;
      readonly created_at: string;
      readonly is_new: boolean;
    };
  };
  /** adds a gateway's counts to the totals of their minutes, by the database's clock */
  add_totals: {
    parameters: {
      readonly ages_ms: readonly (bigint | null)[];
      readonly names: readonly (string | null)[];
      readonly amounts: readonly (bigint | null)[];
    };
    row: {
      readonly is_added: boolean;
    };
  };
  /** total sales and payouts of a provider, or of all providers if none is given */
  find_earned: {
    parameters: {
      readonly account_id: string | null;
    };
    row: {
      readonly gross_nanos: bigint;
      readonly refunded_nanos: bigint;
      readonly fee_nanos: bigint;
      readonly paid_nanos: bigint;
    };
  };
  /** records the platform's fee from now on, if it differs from the current one */
  keep_fee_rate: {
    parameters: {
      readonly rate_millionths: number;
    };
    row: {
      readonly since: string;
      readonly is_later: boolean;
    };
  };
  /** a provider's sales in a range of UTC days, by day, month, feed, or provider, and in total */
  list_earnings: {
    parameters: {
      readonly account_id: string | null;
      readonly from_day: string;
      readonly to_day: string;
      readonly group_by: string;
    };
    row: {
      readonly group_name: string | null;
      readonly group_id: string | null;
      readonly label: string | null;
      readonly reads: bigint;
      readonly paid_reads: bigint;
      readonly accounts: bigint;
      readonly purchases: bigint;
      readonly gross_nanos: bigint;
      readonly refunded_nanos: bigint;
      readonly fee_nanos: bigint;
      readonly is_final: boolean;
      readonly complete_until: string | null;
    };
  };
  /** payouts of a provider, or of all, newest first, after the previous page */
  list_payouts: {
    parameters: {
      readonly account_id: string | null;
      readonly since: string | null;
      readonly until: string | null;
      readonly before_payout_id: bigint | null;
      readonly limit: number;
    };
    row: {
      readonly payout_id: bigint;
      readonly account_id: string;
      readonly amount_nanos: bigint;
      readonly reference: string;
      readonly paid_at: string;
      readonly undoes_payout_id: bigint | null;
      readonly undone_by_payout_id: bigint | null;
      readonly reason: string | null;
    };
  };
  /** what an account has spent on reads in a range of UTC days, by feed and key, as the base of a forecast */
  list_recurring_spending: {
    parameters: {
      readonly account_id: string;
      readonly from_day: string;
      readonly to_day: string;
    };
    row: {
      readonly feed_id: string;
      readonly key_id: string | null;
      readonly spent_nanos: bigint;
    };
  };
  /** credits that an account has spent in a range of UTC days, by day, feed, or key */
  list_spending: {
    parameters: {
      readonly account_id: string;
      readonly from_day: string;
      readonly to_day: string;
      readonly group_by: string;
    };
    row: {
      readonly group_name: string | null;
      readonly label: string | null;
      readonly reads: bigint;
      readonly purchases: bigint;
      readonly charged_nanos: bigint;
      readonly refunded_nanos: bigint;
      readonly is_final: boolean;
      readonly complete_until: string | null;
    };
  };
  /** records a payout to a provider, once for each reference, and no more than is owed unless that is allowed */
  record_payout: {
    parameters: {
      readonly account_id: string;
      readonly amount_nanos: bigint;
      readonly reference: string;
      readonly allow_above: boolean;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly owed_nanos: bigint | null;
      readonly payout_id: bigint;
      readonly account_id: string;
      readonly amount_nanos: bigint;
      readonly reference: string;
      readonly paid_at: string;
      readonly undoes_payout_id: bigint | null;
      readonly undone_by_payout_id: bigint | null;
      readonly reason: string | null;
    };
  };
  /** undoes a payout that was recorded by mistake, once */
  undo_payout: {
    parameters: {
      readonly payout_id: bigint;
      readonly reason: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly payout_id: bigint;
      readonly account_id: string;
      readonly amount_nanos: bigint;
      readonly reference: string;
      readonly paid_at: string;
      readonly undoes_payout_id: bigint | null;
      readonly undone_by_payout_id: bigint | null;
      readonly reason: string | null;
    };
  };
  /** revokes the key of an account's agent; no row if there is no such agent */
  end_agent: {
    parameters: {
      readonly account_id: string;
      readonly key_id: string;
      readonly chain_id: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly key_id: string;
    };
  };
  /** an account with its balance and the budget of one of its keys, for its owner */
  find_account: {
    parameters: {
      readonly account_id: string;
      readonly key_id: string;
    };
    row: {
      readonly account_id: string;
      readonly name: string;
      readonly balance_nanos: bigint;
      readonly daily_nanos: bigint | null;
      readonly spent_nanos: bigint;
      readonly day: number;
      readonly has_agents: boolean;
    };
  };
  /** a ledger entry, as it was written */
  find_ledger_entry: {
    parameters: {
      readonly entry_id: bigint;
    };
    row: {
      readonly entry_id: bigint;
      readonly account_id: string;
      readonly kind: string;
      readonly amount_nanos: bigint;
      readonly balance_before_nanos: bigint;
      readonly balance_after_nanos: bigint;
      readonly reason: string;
      readonly reference: string | null;
      readonly created_at: string;
    };
  };
  /** an account's purchase of a feed, with the account's current balance */
  find_purchase: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
    };
    row: {
      readonly purchase_id: string;
      readonly entry_id: bigint | null;
      readonly price_cents: bigint;
      readonly purchased_at: string;
      readonly balance_nanos: bigint;
    };
  };
  /** how far one page may search an account's usage log for the calls of one feed */
  find_usage_walk_end: {
    parameters: {
      readonly account_id: string;
      readonly since: string | null;
      readonly until: string | null;
      readonly before_usage_id: string | null;
      readonly events: number;
    };
    row: {
      readonly usage_id: string;
    };
  };
  /** Creates a key of an account, by its hash */
  create_key: {
    parameters: {
      readonly account_id: string;
      readonly key_hash: Uint8Array;
      readonly key_start: string;
      readonly permission: string;
      readonly name: string | null;
      readonly expires_at: string | null;
      readonly daily_nanos: bigint | null;
      readonly feed_ids: readonly (string | null)[] | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly key_id: string | null;
    };
  };
  /** Changes a key that is not revoked, or revokes it together with the agents that it has connected */
  edit_key: {
    parameters: {
      readonly key_id: string;
      readonly fields: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Creates a key with the settings of another one, which ends after the grace period, or earlier if it was to expire anyway */
  rotate_key: {
    parameters: {
      readonly key_id: string;
      readonly new_hash: Uint8Array;
      readonly new_start: string;
      readonly grace: string;
      readonly actor: string | null;
    };
    row: {
      readonly key_id: string;
    };
  };
  /** an account's connected agents, or one by its chain of keys, with their spending today, newest first */
  list_agents: {
    parameters: {
      readonly account_id: string;
      readonly chain_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly key_id: string;
      readonly name: string | null;
      readonly created_at: string;
      readonly expires_at: string | null;
      readonly daily_nanos: bigint | null;
      readonly feed_ids: string | null;
      readonly spent_nanos: bigint;
    };
  };
  /** an account's valid keys with a daily budget and today's spending, the most used budget first */
  list_key_budgets: {
    parameters: {
      readonly account_id: string;
      readonly limit: number;
    };
    row: {
      readonly key_id: string;
      readonly key_start: string;
      readonly name: string | null;
      readonly is_agent: boolean;
      readonly daily_nanos: bigint;
      readonly spent_nanos: bigint;
    };
  };
  /** keys in any state, oldest first, after the previous page */
  list_keys: {
    parameters: {
      readonly account_id: string | null;
      readonly is_admin_only: boolean;
      readonly key_id: string | null;
      readonly key_hash: Uint8Array | null;
      readonly beginning: string | null;
      readonly after_key_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly key_id: string;
      readonly key_start: string;
      readonly permission: string;
      readonly account_id: string | null;
      readonly account_name: string | null;
      readonly name: string | null;
      readonly created_at: string;
      readonly expires_at: string | null;
      readonly revoked_at: string | null;
      readonly last_used_at: string | null;
      readonly daily_nanos: bigint | null;
      readonly feed_ids: string | null;
    };
  };
  /** purchases of accounts that were not undone, newest first, after the previous page */
  list_purchases: {
    parameters: {
      readonly account_id: string | null;
      readonly feed_id: string | null;
      readonly since: string | null;
      readonly until: string | null;
      readonly before_purchased_at: string | null;
      readonly before_purchase_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly purchase_id: string;
      readonly entry_id: bigint | null;
      readonly account_id: string;
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly price_cents: bigint;
      readonly reference: string | null;
      readonly purchased_at: string;
    };
  };
  /** a page of an account's usage log, newest first */
  page_usage: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string | null;
      readonly key_id: string | null;
      readonly chain_id: string | null;
      readonly is_discovery_hidden: boolean;
      readonly since: string | null;
      readonly until: string | null;
      readonly before_usage_id: string | null;
      readonly from_usage_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly usage_id: string;
      readonly timestamp: string;
      readonly operation: string;
      readonly feed_id: string | null;
      readonly key_id: string | null;
      readonly charge_nanos: bigint;
    };
  };
  /** records that an account has bought a one-time feed */
  record_purchase: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
      readonly reference: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly entry_id: bigint | null;
    };
  };
  /** grants an account the credits of a promotion code, once */
  redeem_promotion: {
    parameters: {
      readonly code: string;
      readonly account_id: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly entry_id: bigint | null;
    };
  };
  /** refunds the charge of an answered read, once */
  refund_event: {
    parameters: {
      readonly usage_id: string;
      readonly reason: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly entry_id: bigint | null;
    };
  };
  /** records when keys were used since the process's last report */
  touch_keys: {
    parameters: {
      readonly key_ids: readonly (string | null)[];
      readonly ages_ms: readonly (bigint | null)[];
    };
    row: {
      readonly key_id: string;
    };
  };
  /** undoes an account's purchase of a one-time feed */
  undo_purchase: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
      readonly reason: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly entry_id: bigint | null;
    };
  };
  /** creates the usage log's partition of this month */
  create_usage_partition: {
    parameters: {
    };
    row: {
      readonly is_done: boolean;
    };
  };
  /** the valid key with a hash, with everything that decides its account's reads */
  find_key: {
    parameters: {
      readonly key_hash: Uint8Array;
      readonly window_us: bigint;
    };
    row: {
      readonly key_id: string;
      readonly chain_id: string;
      readonly account_id: string;
      readonly permission: string;
      readonly key_end_us: bigint | null;
      readonly daily_nanos: bigint | null;
      readonly feed_ids: string | null;
      readonly is_agent: boolean;
      readonly has_grants: boolean;
      readonly sees_invited: boolean;
      readonly suspension_reason: string | null;
      readonly now_us: bigint;
      readonly news: string;
    };
  };
  /** Charges and logs the reads of a batch in one commit, for those accounts that are as the gateway knows them */
  log_reads: {
    parameters: {
      readonly batch_token: string;
      readonly new_version: bigint;
      readonly clock_us: bigint;
      readonly window_us: bigint;
      readonly account_ids: readonly (string | null)[];
      readonly known_versions: readonly (bigint | null)[];
      readonly known_generations: readonly (bigint | null)[];
      readonly known_us: readonly (bigint | null)[];
      readonly amounts: readonly (bigint | null)[];
      readonly account_numbers: readonly (number | null)[];
      readonly operations: readonly (string | null)[];
      readonly feed_ids: readonly (string | null)[];
      readonly definition_versions: readonly (bigint | null)[];
      readonly data_versions: readonly (bigint | null)[];
      readonly charges: readonly (bigint | null)[];
      readonly key_ids: readonly (string | null)[];
      readonly key_ends: readonly (bigint | null)[];
      readonly remembered_reads: readonly (number | null)[];
      readonly idempotency_keys: readonly (string | null)[];
      readonly query_hashes: readonly (string | null)[];
      readonly answered_versions: readonly (bigint | null)[];
      readonly beginnings: readonly (bigint | null)[];
      readonly budget_accounts: readonly (number | null)[];
      readonly budget_keys: readonly (string | null)[];
      readonly budget_amounts: readonly (bigint | null)[];
    };
    row: {
      readonly decided_us: bigint;
      readonly verdicts: string | null;
      readonly seen_versions: string | null;
      readonly balances: string | null;
      readonly news: string | null;
    };
  };
  /** The current key, account, feed, and Idempotency-Key of calls, one row per call, in order */
  prove_calls: {
    parameters: {
      readonly account_ids: readonly (string | null)[];
      readonly known_generations: readonly (bigint | null)[];
      readonly known_us: readonly (bigint | null)[];
      readonly key_ids: readonly (string | null)[];
      readonly feed_ids: readonly (string | null)[];
      readonly idempotency_keys: readonly (string | null)[];
      readonly window_us: bigint;
      readonly idempotency_us: bigint;
    };
    row: {
      readonly now_us: bigint;
      readonly is_key_usable: boolean;
      readonly suspension_reason: string | null;
      readonly news: string;
      readonly is_feed_readable: boolean | null;
      readonly definition_version: bigint | null;
      readonly data_version: bigint | null;
      readonly is_purchased: boolean;
      readonly is_granted: boolean;
      readonly is_granted_free: boolean;
      readonly grant_end_us: bigint | null;
      readonly query_hash: string | null;
      readonly usage_id: string | null;
      readonly charge_nanos: bigint | null;
      readonly happened_at: string | null;
      readonly is_replayed: boolean | null;
      readonly answered_version: bigint | null;
      readonly begins_after: bigint | null;
    };
  };
  /** Refunds reads that were answered with an error: all reads of a batch whose answer was lost, or one read of a batch */
  refund_reads: {
    parameters: {
      readonly batch_token: string;
      readonly account_ids: readonly (string | null)[];
      readonly elapsed_ms: bigint;
      readonly sent_at: string;
      readonly only_usage: string | null;
    };
    row: {
      readonly refunded: number;
    };
  };
  /** records that a client is answered with the event that is remembered under its Idempotency-Key */
  replay_read: {
    parameters: {
      readonly account_id: string;
      readonly idempotency_key: string;
      readonly usage_id: string;
    };
    row: {
      readonly usage_id: string;
    };
  };
  /** the number of feeds that an account owns, drafts included, which counts against its quota */
  count_feeds: {
    parameters: {
      readonly account_id: string;
      readonly status: string | null;
    };
    row: {
      readonly total: bigint;
    };
  };
  /** deletes a feed, by id or slug, and records the actor in the audit trail */
  delete_feed: {
    parameters: {
      readonly account_id: string | null;
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly actor: string | null;
      readonly deletions_per_feed: number;
    };
    row: {
      readonly outcome: string;
      readonly feed_id: string | null;
      readonly suspension_reason: string | null;
      readonly deletions_max: bigint | null;
      readonly retry_after_ms: bigint | null;
    };
  };
  /** the properties of a feed that a read or push is planned by, by id or slug */
  find_feed: {
    parameters: {
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly active_only: boolean;
      readonly reader_id: string | null;
    };
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly feed_type: string | null;
      readonly status: string;
      readonly locked_schema: string | null;
      readonly definition_version: bigint;
      readonly price_type: string;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly data_version: bigint;
      readonly has_data: boolean;
      readonly retention_days: number | null;
      readonly suspension_reason: string | null;
      readonly access: string;
    };
  };
  /** everything that a feed's owner, operator, or reader may see of it, by id or slug */
  find_feed_row: {
    parameters: {
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly active_only: boolean;
      readonly reader_id: string | null;
    };
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly name: string;
      readonly description: string | null;
      readonly readme_md: string | null;
      readonly category: string | null;
      readonly endpoint_path: string | null;
      readonly former_path: string | null;
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
      readonly retention_days: number | null;
      readonly suspension_reason: string | null;
      readonly deleted_at: string | null;
      readonly emptied_at: string | null;
      readonly schema_changed_at: string | null;
      readonly review: string;
      readonly review_reason: string | null;
      readonly access: string;
      readonly row_version: bigint;
      readonly row_count: bigint;
      readonly payload_bytes: bigint;
    };
  };
  /** Permanently removes rows of a provider's own feed by their ids, from all batches, in one commit */
  delete_rows: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string;
      readonly row_ids: readonly (string | null)[];
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly deleted: string | null;
      readonly data_version: bigint | null;
      readonly suspension_reason: string | null;
    };
  };
  /** Creates or edits one feed: checks every rule that depends on stored data, and writes, in one commit */
  save_feed: {
    parameters: {
      readonly account_id: string;
      readonly feed_id: string | null;
      readonly save_mode: string;
      readonly fields: string;
      readonly price_type: string | null;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly compared_version: bigint | null;
      readonly is_breaking: boolean;
      readonly is_dry_run: boolean;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly feed_id: string | null;
      readonly max_feeds_allowed: number;
      readonly feeds_used: bigint | null;
      readonly suspension_reason: string | null;
    };
  };
  /** the data versions of feeds that readers wait for; a feed that can't be read is omitted */
  list_data_versions: {
    parameters: {
      readonly feed_ids: readonly (string | null)[];
    };
    row: {
      readonly feed_id: string;
      readonly data_version: bigint;
    };
  };
  /** the contents of feeds: visible rows, newest open batches, the newest refused push, and activity of 30 days */
  list_feed_contents: {
    parameters: {
      readonly feed_ids: readonly (string | null)[];
      readonly abandoned_after: string;
      readonly batches_max: number;
      readonly kept: string;
    };
    row: {
      readonly feed_id: string;
      readonly row_count: bigint;
      readonly batch_id: string | null;
      readonly batch_rows: bigint | null;
      readonly begun_at: string | null;
      readonly closes_at: string | null;
      readonly last_refusal: string | null;
      readonly reads: bigint;
      readonly readers: bigint;
      readonly net_nanos: bigint;
    };
  };
  /** the feeds of an account, drafts included, newest first; the operator may list those of all accounts */
  list_feed_rows: {
    parameters: {
      readonly account_id: string | null;
      readonly is_unlisted_only: boolean;
      readonly status: string | null;
      readonly review: string | null;
      readonly health: string | null;
      readonly is_full: boolean;
      readonly limit: number;
      readonly offset: bigint;
      readonly after_feed_id: string | null;
    };
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly name: string;
      readonly description: string | null;
      readonly readme_md: string | null;
      readonly category: string | null;
      readonly endpoint_path: string | null;
      readonly former_path: string | null;
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
      readonly retention_days: number | null;
      readonly suspension_reason: string | null;
      readonly deleted_at: string | null;
      readonly emptied_at: string | null;
      readonly schema_changed_at: string | null;
      readonly review: string;
      readonly review_reason: string | null;
      readonly access: string;
    };
  };
  /** the newest of a feed's visible rows, or a singleton's document */
  list_newest_rows: {
    parameters: {
      readonly feed_id: string;
      readonly rows_max: number;
    };
    row: {
      readonly payload: string;
    };
  };
  /** the outcomes of a feed's newest pushes, including refused ones, after the previous page */
  list_pushes: {
    parameters: {
      readonly feed_id: string;
      readonly kept: string;
      readonly before_pushed_at: string | null;
      readonly before_push_id: bigint | null;
      readonly limit: number;
    };
    row: {
      readonly push_id: bigint;
      readonly pushed_at: string;
      readonly stored: boolean;
      readonly code: string | null;
      readonly detail: string | null;
      readonly rows_received: number;
      readonly rows_inserted: number;
      readonly rows_updated: number;
      readonly rows_duplicate: number;
      readonly body_bytes: bigint;
      readonly duration_ms: number;
      readonly batch_id: string | null;
      readonly times: number;
    };
  };
  /** the listed slugs next to a mistyped one in alphabetical order, to suggest one of them */
  list_slugs_near: {
    parameters: {
      readonly endpoint_path: string;
      readonly slugs_max: number;
    };
    row: {
      readonly endpoint_path: string;
    };
  };
  /** Runs a step of a background job, unless the job is not due or another process is running it */
  run_job: {
    parameters: {
      readonly job: string;
      readonly moment: string | null;
      readonly pause: string;
      readonly age: string | null;
      readonly amount: number;
      readonly work_max: bigint | null;
    };
    row: {
      readonly is_more: boolean;
    };
  };
  /** the findings of background jobs, for the metrics of every gateway */
  list_findings: {
    parameters: {
    };
    row: {
      readonly name: string;
      readonly amount: bigint;
      readonly since_seconds: number | null;
      readonly found_at_seconds: number;
      readonly detail: string;
    };
  };
  /** verifies the whole ledgers of the next accounts, at an operator's request */
  prove_ledgers: {
    parameters: {
      readonly mark: string;
      readonly account_limit: number;
    };
    row: {
      readonly mark: string;
      readonly is_more: boolean;
    };
  };
  /** deletes a webhook and its deliveries */
  delete_webhook: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly webhook_id: string;
      readonly actor: string;
    };
    row: {
      readonly webhook_id: string;
    };
  };
  /** edits a webhook; null parameters change nothing */
  edit_webhook: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly webhook_id: string;
      readonly url: string | null;
      readonly types: readonly (string | null)[] | null;
      readonly has_feed_ids: boolean;
      readonly feed_ids: readonly (string | null)[] | null;
      readonly is_active: boolean | null;
      readonly editor_chain_id: string | null;
      readonly actor: string;
    };
    row: {
      readonly webhook_id: string;
      readonly feeds_watched: boolean;
    };
  };
  /** the account's threshold for balance.low, if it has set one */
  find_low_balance: {
    parameters: {
      readonly account_id: string;
    };
    row: {
      readonly threshold_nanos: bigint | null;
    };
  };
  /** the number of notices and webhooks with work to do, and the age of the oldest, for the metrics */
  find_waiting_notices: {
    parameters: {
    };
    row: {
      readonly unspread: bigint;
      readonly waiting: bigint;
      readonly oldest_seconds: number | null;
    };
  };
  /** Claims the oldest due deliveries of one webhook that no process is calling, exclusively until the lease ends */
  claim_deliveries: {
    parameters: {
      readonly moment: string | null;
      readonly lease: string;
      readonly lane: string;
      readonly busy_accounts: readonly (string | null)[];
      readonly amount: number;
    };
    row: {
      readonly delivery_id: string;
      readonly webhook_id: string;
      readonly account_id: string;
      readonly url: string;
      readonly sealed_secret: string;
      readonly previous_sealed_secret: string | null;
      readonly notice_id: string;
      readonly type: string;
      readonly happened_at: string;
      readonly data: string;
      readonly attempts: number;
    };
  };
  /** Creates a webhook */
  create_webhook: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly url: string;
      readonly types: readonly (string | null)[];
      readonly feed_ids: readonly (string | null)[] | null;
      readonly webhook_id: string;
      readonly sealed_secret: string;
      readonly webhooks_max: number;
      readonly agent_webhooks_max: number;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Records the outcome of a delivery attempt */
  finish_delivery: {
    parameters: {
      readonly moment: string | null;
      readonly delivery_id: string;
      readonly attempts: number;
      readonly is_success: boolean;
      readonly code: number | null;
      readonly ms: number;
      readonly answer: string | null;
      readonly error: string | null;
      readonly retry_in: string | null;
      readonly give_up_after: string;
      readonly slow: string;
      readonly is_last: boolean;
    };
    row: {
      readonly outcome: string;
      readonly is_switched_off: boolean;
    };
  };
  /** Queues the email of a member's pending notices, and removes them from the pending ones */
  queue_notice_mail: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly notice_ids: readonly (string | null)[];
      readonly address: string;
      readonly subject: string;
      readonly body_text: string;
      readonly body_html: string;
      readonly unsubscribe_url: string;
      readonly lifetime: string;
    };
    row: {
      readonly mail_id: string | null;
    };
  };
  /** Runs a step of a background job of notices, unless the job is not due or another process is running it */
  run_notice_job: {
    parameters: {
      readonly job: string;
      readonly moment: string | null;
      readonly pause: string;
      readonly age: string | null;
      readonly amount: bigint;
      readonly mail_defaults: readonly (string | null)[] | null;
    };
    row: {
      readonly is_more: boolean;
    };
  };
  /** Sets a member's choices of notices by email */
  set_mail_choices: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly types: readonly (string | null)[];
      readonly choice: string;
    };
    row: {
      readonly type: string;
    };
  };
  /** deliveries of one webhook or of all, newest first, after the previous page, for operators */
  list_all_deliveries: {
    parameters: {
      readonly webhook_id: string | null;
      readonly account_id: string | null;
      readonly status: string | null;
      readonly since: string;
      readonly before_created_at: string | null;
      readonly before_delivery_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly delivery_id: string;
      readonly webhook_id: string;
      readonly notice_id: string;
      readonly type: string;
      readonly status: string;
      readonly created_at: string;
      readonly attempts: number;
      readonly attempted_at: string | null;
      readonly next_at: string | null;
      readonly code: number | null;
      readonly ms: number | null;
      readonly answer: string | null;
      readonly error: string | null;
      readonly account_id: string | null;
      readonly url: string;
    };
  };
  /** a page of a webhook's deliveries, newest first */
  list_deliveries: {
    parameters: {
      readonly webhook_id: string;
      readonly since: string;
      readonly limit: bigint;
      readonly offset: bigint;
    };
    row: {
      readonly delivery_id: string;
      readonly webhook_id: string;
      readonly notice_id: string;
      readonly type: string;
      readonly status: string;
      readonly created_at: string;
      readonly attempts: number;
      readonly attempted_at: string | null;
      readonly next_at: string | null;
      readonly code: number | null;
      readonly ms: number | null;
      readonly answer: string | null;
      readonly error: string | null;
    };
  };
  /** the notices to email to one member now, immediately or as a digest, oldest first */
  list_due_notice_mails: {
    parameters: {
      readonly moment: string | null;
      readonly limit: bigint;
    };
    row: {
      readonly notice_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly person_id: string;
      readonly address: string;
      readonly choice: string;
      readonly type: string;
      readonly data: string;
      readonly happened_at: string;
    };
  };
  /** a member's choices of notices by email */
  list_mail_choices: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
    };
    row: {
      readonly type: string;
      readonly choice: string;
    };
  };
  /** the webhooks of an account, or of operators, that a key may see, oldest first */
  list_webhooks: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly webhook_id: string | null;
    };
    row: {
      readonly webhook_id: string;
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly url: string;
      readonly types: string;
      readonly feed_ids: string | null;
      readonly is_active: boolean;
      readonly switched_off: string | null;
      readonly created_at: string;
      readonly is_key_usable: boolean;
    };
  };
  /** notifies operators of a failing background job, once an hour for each job */
  note_failed_job: {
    parameters: {
      readonly job: string;
      readonly error: string;
    };
    row: {
      readonly name: string;
    };
  };
  /** makes a delivery due again, with the same notice and id; fails it if the webhook is switched off */
  resend_delivery: {
    parameters: {
      readonly is_operator: boolean;
      readonly account_id: string | null;
      readonly permission: string | null;
      readonly chain_id: string | null;
      readonly delivery_id: string;
    };
    row: {
      readonly delivery_id: string;
      readonly webhook_id: string;
    };
  };
  /** gives a webhook a new secret; until a given time, notices are also signed with the previous one */
  rotate_webhook: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly webhook_id: string;
      readonly sealed_secret: string;
      readonly moment: string | null;
      readonly overlap: string;
      readonly actor: string;
    };
    row: {
      readonly webhook_id: string;
      readonly previous_until: string | null;
    };
  };
  /** sets the account's threshold for balance.low; 0 for never, null for the default */
  set_low_balance: {
    parameters: {
      readonly account_id: string;
      readonly threshold_nanos: bigint | null;
    };
    row: {
      readonly account_id: string;
    };
  };
  /** stores a webhook.test notice for one webhook; if that is switched off, the delivery has failed */
  test_webhook: {
    parameters: {
      readonly account_id: string | null;
      readonly permission: string;
      readonly chain_id: string | null;
      readonly webhook_id: string;
    };
    row: {
      readonly notice_id: string;
      readonly delivery_id: string;
    };
  };
  /** stores a user's consent under a code; no row if the account has too many agents */
  agree_to_connection: {
    parameters: {
      readonly code_hash: Uint8Array;
      readonly account_id: string;
      readonly client_id: string;
      readonly client_name: string;
      readonly redirect_uri: string;
      readonly challenge: Uint8Array;
      readonly daily_nanos: bigint;
      readonly feed_ids: readonly (string | null)[] | null;
      readonly key_ends_at: string;
      readonly actor: string;
      readonly agreed_key_id: string | null;
      readonly agents_max: number;
    };
    row: {
      readonly happened_at: string;
    };
  };
  /** a registered program, by its id */
  find_client: {
    parameters: {
      readonly client_id: string;
    };
    row: {
      readonly client_name: string;
      readonly redirect_uris: string;
    };
  };
  /** Creates the key for a user's consent */
  redeem_code: {
    parameters: {
      readonly code_hash: Uint8Array;
      readonly client_id: string;
      readonly redirect_uri: string | null;
      readonly challenge: Uint8Array;
      readonly code_age: string;
      readonly key_hash: Uint8Array;
      readonly key_start: string;
    };
    row: {
      readonly outcome: string;
      readonly seconds_left: number | null;
    };
  };
  /** registers a program that wants to ask users for keys; no row if there is no room */
  register_client: {
    parameters: {
      readonly client_name: string;
      readonly redirect_uris: readonly (string | null)[];
      readonly unused_max: number;
      readonly young: string;
    };
    row: {
      readonly client_id: string;
      readonly registered_at: string;
    };
  };
  /** releases an Idempotency-Key, because its call was refused and has changed nothing */
  cancel_operator_call: {
    parameters: {
      readonly owner_id: string;
      readonly idempotency_hash: Uint8Array;
    };
    row: {
      readonly admin_key_id: string;
    };
  };
  /** the number of rows that a deleted feed still has in its tables */
  count_rows_left: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly rows_left: bigint;
    };
  };
  /** creates an account without credits; with a known id, such as the demo's, unless it exists already */
  create_account: {
    parameters: {
      readonly name: string;
      readonly max_feeds_allowed: number;
      readonly account_id: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly account_id: string;
    };
  };
  /** creates a key of an operator, by its hash */
  create_admin_key: {
    parameters: {
      readonly key_hash: Uint8Array;
      readonly key_start: string;
      readonly name: string;
      readonly expires_at: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly key_id: string;
    };
  };
  /** creates a link that signs its holder in to the console once; removes expired links */
  create_sign_in_link: {
    parameters: {
      readonly link_hash: Uint8Array;
      readonly permission: string;
      readonly account_id: string | null;
      readonly made_by: string;
      readonly lifetime: string;
      readonly forgotten_max: bigint;
    };
    row: {
      readonly expires_at: string;
    };
  };
  /** declines the listing of a feed, with the reason; no row if it is listed or deleted */
  decline_feed: {
    parameters: {
      readonly feed_id: string;
      readonly reason: string;
      readonly actor: string | null;
    };
    row: {
      readonly feed_id: string;
    };
  };
  /** changes an account's name or quota, or suspends or resumes it */
  edit_account: {
    parameters: {
      readonly account_id: string;
      readonly fields: string;
      readonly actor: string | null;
    };
    row: {
      readonly account_id: string;
    };
  };
  /** changes the name or the expiry of an operator's key that is not revoked, or revokes it */
  edit_admin_key: {
    parameters: {
      readonly key_id: string;
      readonly fields: string;
      readonly actor: string | null;
    };
    row: {
      readonly key_id: string;
    };
  };
  /** a chunk of an account's usage log, oldest first, after the previous chunk */
  export_usage: {
    parameters: {
      readonly account_id: string;
      readonly since: string | null;
      readonly until: string | null;
      readonly after_usage_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly usage_id: string;
      readonly timestamp: string;
      readonly operation: string;
      readonly feed_id: string | null;
      readonly key_id: string | null;
      readonly charge_nanos: bigint;
    };
  };
  /** the operator's valid key with a hash; records its use, to the minute */
  find_admin_key: {
    parameters: {
      readonly key_hash: Uint8Array;
    };
    row: {
      readonly key_id: string;
      readonly name: string;
    };
  };
  /** the database and schema of the tables, quoted for use in a statement */
  find_home: {
    parameters: {
    };
    row: {
      readonly database: string;
      readonly schema: string;
    };
  };
  /** the verification of all ledgers by the last pass of its job, and the time until which totals are complete */
  find_proof: {
    parameters: {
    };
    row: {
      readonly complete_until: string | null;
      readonly accounts: bigint | null;
      readonly wrong: bigint | null;
      readonly granted_nanos: string | null;
      readonly revoked_nanos: string | null;
      readonly charged_nanos: string | null;
      readonly refunded_nanos: string | null;
      readonly balance_nanos: string | null;
      readonly proven_at: string | null;
    };
  };
  /** stores the answer of an operator's call for its repeats */
  finish_operator_call: {
    parameters: {
      readonly owner_id: string;
      readonly idempotency_hash: Uint8Array;
      readonly status: number;
      readonly sealed_body: string;
    };
    row: {
      readonly admin_key_id: string;
    };
  };
  /** Takes an Idempotency-Key for a call, unless an earlier call has it */
  begin_operator_call: {
    parameters: {
      readonly admin_key_id: string;
      readonly idempotency_hash: Uint8Array;
      readonly request_hash: Uint8Array;
      readonly forgotten_after: string;
      readonly forgotten_max: number;
    };
    row: {
      readonly owner_id: string;
      readonly outcome: string;
      readonly status: number | null;
      readonly sealed_body: string | null;
    };
  };
  /** Creates a key of an operator with the settings of another one, which ends after the grace period, or earlier if it was to expire anyway */
  rotate_admin_key: {
    parameters: {
      readonly key_id: string;
      readonly new_hash: Uint8Array;
      readonly new_start: string;
      readonly grace: string;
      readonly actor: string | null;
    };
    row: {
      readonly key_id: string;
    };
  };
  /** whether there is an account; until then, a start prints the next steps */
  has_accounts: {
    parameters: {
    };
    row: {
      readonly has_accounts: boolean;
    };
  };
  /** whether an operator can sign in to the console with a key */
  has_admin_keys: {
    parameters: {
    };
    row: {
      readonly has_admin_keys: boolean;
    };
  };
  /** whether a feed was late at the job's last check, so that a page lists late feeds only if there are any */
  has_late_feeds: {
    parameters: {
      readonly found_within: string;
    };
    row: {
      readonly has_late: boolean;
    };
  };
  /** whether an account's usage log has more than a number of events, without counting the rest */
  has_long_log: {
    parameters: {
      readonly account_id: string;
      readonly events_max: number;
    };
    row: {
      readonly is_long: boolean;
    };
  };
  /** accounts with their balance, oldest first, after the previous page */
  list_accounts: {
    parameters: {
      readonly account_id: string | null;
      readonly name: string | null;
      readonly after_account_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly account_id: string;
      readonly name: string;
      readonly max_feeds_allowed: number;
      readonly balance_nanos: bigint;
      readonly created_at: string;
      readonly suspension_reason: string | null;
      readonly closed_at: string | null;
    };
  };
  /** the audit trail, newest first, after the previous page; money in credits */
  list_audit_events: {
    parameters: {
      readonly account_id: string | null;
      readonly feed_id: string | null;
      readonly actor: string | null;
      readonly action_kind: string | null;
      readonly since: string | null;
      readonly until: string | null;
      readonly before_event_id: bigint | null;
      readonly limit: number;
    };
    row: {
      readonly event_id: bigint;
      readonly happened_at: string;
      readonly actor: string;
      readonly face: string | null;
      readonly action: string;
      readonly account_id: string | null;
      readonly feed_id: string | null;
      readonly before: string | null;
      readonly after: string | null;
    };
  };
  /** the steps that the demo has finished in this database, so that a later start does not repeat them */
  list_demo_settings: {
    parameters: {
    };
    row: {
      readonly name: string;
    };
  };
  /** promotion codes in order, each with its number of redemptions, after the previous page */
  list_promotions: {
    parameters: {
      readonly after_code: string | null;
      readonly limit: number;
    };
    row: {
      readonly code: string;
      readonly amount_nanos: bigint;
      readonly max_redemptions: number | null;
      readonly redemptions: number;
      readonly expires_at: string | null;
      readonly created_at: string;
    };
  };
  /** the accounts that read a feed in a range of UTC days, the most reads first */
  list_readers: {
    parameters: {
      readonly feed_id: string;
      readonly from_day: string;
      readonly to_day: string;
      readonly ranked_max: number;
      readonly limit: number;
    };
    row: {
      readonly account_id: string;
      readonly account_name: string;
      readonly reads: bigint;
      readonly purchases: bigint;
      readonly spent_nanos: bigint;
      readonly last_day: string;
    };
  };
  /** refused pushes by feed and code, each with its newest one, newest first, after the previous page */
  list_refusals: {
    parameters: {
      readonly since: string;
      readonly newest_push_id: bigint | null;
      readonly before_push_id: bigint | null;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly code: string | null;
      readonly pushes: bigint;
      readonly last_push_id: bigint;
      readonly last_pushed_at: string;
      readonly last_detail: string | null;
      readonly newest_push_id: bigint;
    };
  };
  /** sales of feeds in a range of UTC days, highest first, after the previous page */
  list_revenue: {
    parameters: {
      readonly from_day: string;
      readonly to_day: string;
      readonly account_id: string | null;
      readonly as_of: string | null;
      readonly after_gross_nanos: bigint | null;
      readonly after_feed_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly reads: bigint;
      readonly paid_reads: bigint;
      readonly purchases: bigint;
      readonly gross_nanos: bigint;
      readonly refunded_nanos: bigint;
      readonly fee_nanos: bigint;
      readonly as_of: string;
    };
  };
  /** feeds that are late, oldest data first, after the previous page */
  list_stale_feeds: {
    parameters: {
      readonly since: string | null;
      readonly as_of: string | null;
      readonly after_synced_at: string | null;
      readonly after_feed_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly endpoint_path: string | null;
      readonly feed_name: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly status: string;
      readonly sync_interval_mins: number;
      readonly last_sync_at: string | null;
      readonly due_at: string;
      readonly synced_at: string;
      readonly as_of: string;
    };
  };
  /** the feeds that are read most, and the accounts that read most, in a range of UTC days, each ranked from 1 */
  list_top_reads: {
    parameters: {
      readonly from_day: string;
      readonly to_day: string;
      readonly is_by_credits: boolean;
      readonly limit: number;
    };
    row: {
      readonly is_feed: boolean;
      readonly place: number;
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
      readonly feed_name: string | null;
      readonly account_id: string;
      readonly account_name: string;
      readonly reads: bigint;
      readonly spent_nanos: bigint;
    };
  };
  /** totals of the whole gateway in a range of minutes or UTC days, if there are any */
  list_totals: {
    parameters: {
      readonly by: string;
      readonly from: string;
      readonly until: string;
    };
    row: {
      readonly group_seconds: bigint;
      readonly name: string;
      readonly amount: bigint;
    };
  };
  /** verifies that granted - revoked - charged + refunded = balance, and that payments are equal to earnings */
  prove_ledger: {
    parameters: {
      readonly account_id: string;
    };
    row: {
      readonly balance_nanos: bigint;
      readonly granted_nanos: bigint;
      readonly revoked_nanos: bigint;
      readonly charged_nanos: bigint;
      readonly refunded_nanos: bigint;
      readonly paid_nanos: bigint;
      readonly counted_nanos: bigint;
      readonly waiting_nanos: bigint;
    };
  };
  /** accounts whose name contains a text, in an order, after the previous page */
  search_accounts: {
    parameters: {
      readonly part: string | null;
      readonly is_suspended: boolean | null;
      readonly order: string;
      readonly after_account_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly account_id: string;
      readonly name: string;
      readonly max_feeds_allowed: number;
      readonly balance_nanos: bigint;
      readonly created_at: string;
      readonly suspension_reason: string | null;
      readonly closed_at: string | null;
    };
  };
  /** feeds whose name or slug contains a text, newest first, after the previous page */
  search_feeds_by_name: {
    parameters: {
      readonly part: string;
      readonly account_id: string | null;
      readonly status: string | null;
      readonly review: string | null;
      readonly after_feed_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly name: string;
      readonly endpoint_path: string | null;
      readonly feed_type: string | null;
      readonly status: string;
      readonly is_public: boolean;
      readonly review: string;
      readonly last_sync_at: string | null;
    };
  };
  /** lists or unlists feeds; a feed that is already in the wanted state stays unchanged; closes open reviews */
  set_feeds_public: {
    parameters: {
      readonly feed_ids: readonly (string | null)[];
      readonly is_public: boolean;
      readonly actor: string | null;
    };
    row: {
      readonly feed_id: string;
    };
  };
  /** suspends a feed for a reason, so that it can't be read or pushed to; null resumes it */
  suspend_feed: {
    parameters: {
      readonly feed_id: string;
      readonly reason: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly feed_id: string;
    };
  };
  /** creates a session of the console for a key; removes expired sessions */
  begin_session: {
    parameters: {
      readonly session_hash: Uint8Array;
      readonly permission: string;
      readonly key_id: string;
      readonly sealed_key: string;
      readonly is_own_key: boolean;
      readonly lifetime: string;
      readonly forgotten_max: bigint;
    };
    row: {
      readonly expires_at: string;
    };
  };
  /** ends one session, or all of its key or of its account with the same permission; returns the keys made for them */
  end_sessions: {
    parameters: {
      readonly session_hash: Uint8Array;
      readonly is_everywhere: boolean;
    };
    row: {
      readonly key_id: string;
      readonly is_own_key: boolean;
    };
  };
  /** the names of the feeds, accounts, keys, and persons that a page shows by id, and which feeds still exist */
  find_names: {
    parameters: {
      readonly ids: readonly (string | null)[];
    };
    row: {
      readonly id: string;
      readonly name: string;
      readonly is_readable: boolean;
      readonly is_deleted: boolean;
    };
  };
  /** a number that changes with the contents of the operators' overview, the same for all viewers */
  find_overview_version: {
    parameters: {
    };
    row: {
      readonly version: bigint;
    };
  };
  /** the session of a cookie, if session and key are valid */
  find_session: {
    parameters: {
      readonly session_hash: Uint8Array;
    };
    row: {
      readonly permission: string;
      readonly key_id: string;
      readonly key_name: string | null;
      readonly sealed_key: string;
      readonly is_own_key: boolean;
      readonly expires_at: string;
      readonly account_id: string | null;
      readonly account_name: string | null;
    };
  };
  /** who would be signed in by a link, without consuming it; no row where use_sign_in_link finds none */
  find_sign_in_link: {
    parameters: {
      readonly link_hash: Uint8Array;
      readonly is_for_operators: boolean;
    };
    row: {
      readonly permission: string;
      readonly account_name: string | null;
      readonly expires_at: string;
    };
  };
  /** which of the given sessions may still view pages, for all viewers of a process at once */
  list_live_sessions: {
    parameters: {
      readonly hashes: readonly (string | null)[];
    };
    row: {
      readonly hash: string;
    };
  };
  /** who is signed in by a link, which is consumed; no row if it has expired or the account is suspended */
  use_sign_in_link: {
    parameters: {
      readonly link_hash: Uint8Array;
      readonly is_for_operators: boolean;
    };
    row: {
      readonly permission: string;
      readonly account_id: string | null;
      readonly made_by: string;
    };
  };
  /** where a search has matched in each feed of a page of results, with the matching words between \ue000 and \ue001 */
  explain_matches: {
    parameters: {
      readonly q: string;
      readonly feed_ids: readonly (string | null)[];
    };
    row: {
      readonly feed_id: string;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly fields: string | null;
      readonly readme: string | null;
    };
  };
  /** the version of everything that a listed feed's page shows of the feed */
  find_page_version: {
    parameters: {
      readonly endpoint_path: string;
    };
    row: {
      readonly feed_id: string;
      readonly data_version: bigint;
      readonly definition_version: bigint;
      readonly push_count: bigint;
    };
  };
  /** the categories with the most listed feeds, for the front page */
  list_categories: {
    parameters: {
      readonly limit: number;
    };
    row: {
      readonly category: string;
      readonly feeds: bigint;
    };
  };
  /** the pages of listed feeds, newest first, for search engines */
  list_feed_pages: {
    parameters: {
      readonly limit: number;
    };
    row: {
      readonly endpoint_path: string;
      readonly last_sync_at: string | null;
    };
  };
  /** the number of pushes to a feed on each of the last days, including today, up to what a chart needs */
  list_push_days: {
    parameters: {
      readonly feed_id: string;
      readonly days: number;
      readonly counted_max: number;
    };
    row: {
      readonly day: string;
      readonly pushes: bigint;
    };
  };
  /** the first rows of a feed for its page, in the order of a read and up to a number of bytes */
  read_shown_rows: {
    parameters: {
      readonly feed_id: string;
      readonly rows_max: number;
      readonly bytes_max: number;
    };
    row: {
      readonly newest_event: string | null;
      readonly data: string | null;
    };
  };
  /** checks a code that was entered; the right one proves the address; no row if there is nothing to check */
  check_code: {
    parameters: {
      readonly proof_hash: Uint8Array;
      readonly code_hash: Uint8Array;
      readonly tries_max: number;
      readonly proven_lifetime: string;
    };
    row: {
      readonly is_proven: boolean;
      readonly tries_left: number;
    };
  };
  /** changes a person's name */
  edit_person: {
    parameters: {
      readonly person_id: string;
      readonly name: string;
    };
    row: {
      readonly person_id: string;
    };
  };
  /** the proof that a browser holds, unless it has been used or has expired */
  find_address_proof: {
    parameters: {
      readonly proof_hash: Uint8Array;
    };
    row: {
      readonly address: string;
      readonly name: string | null;
      readonly is_proven: boolean;
      readonly is_late: boolean;
    };
  };
  /** a key of an account that people created, and the number of its agents; no row for keys of agents and sessions */
  find_own_key: {
    parameters: {
      readonly account_id: string;
      readonly key_id: string;
    };
    row: {
      readonly key_id: string;
      readonly key_start: string;
      readonly permission: string;
      readonly name: string | null;
      readonly expires_at: string | null;
      readonly feed_ids: string | null;
      readonly is_usable: boolean;
      readonly agents: bigint;
    };
  };
  /** the person of a session, and the account that the session acts in, if it still may */
  find_person_session: {
    parameters: {
      readonly session_hash: Uint8Array;
    };
    row: {
      readonly person_id: string;
      readonly person_name: string;
      readonly address: string;
      readonly address_key: string;
      readonly expires_at: string;
      readonly account_id: string | null;
      readonly account_name: string | null;
      readonly role: string | null;
      readonly suspension_reason: string | null;
      readonly read_key_id: string | null;
      readonly write_key_id: string | null;
      readonly sealed_read_key: string | null;
      readonly sealed_write_key: string | null;
    };
  };
  /** Makes a person a member of the account to which its address was invited */
  accept_invitation: {
    parameters: {
      readonly invitation_id: string;
      readonly person_id: string;
    };
    row: {
      readonly outcome: string;
      readonly account_id: string | null;
    };
  };
  /** Begins the proof of an address by a code, which is mailed in the same commit */
  begin_proof: {
    parameters: {
      readonly proof_hash: Uint8Array;
      readonly address: string;
      readonly address_key: string;
      readonly code_hash: Uint8Array;
      readonly network: string;
      readonly lifetime: string;
      readonly address_max: number;
      readonly network_max: number;
      readonly mail_subject: string;
      readonly mail_text: string;
      readonly mail_html: string;
    };
    row: {
      readonly outcome: string;
      readonly retry_after_ms: bigint | null;
    };
  };
  /** Changes the role of a member, or removes the member, which ends the person's sessions in the account, and the agents that the person has connected to it */
  change_member: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly role: string | null;
      readonly acting_person: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Closes an account: its keys, agents, and sessions end, its feeds are deleted, its members leave, and those without another account are removed */
  close_account: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly owed_nanos: bigint | null;
    };
  };
  /** Creates a key like create_key, for an owner of the account */
  create_own_key: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly keys_max: number;
      readonly key_hash: Uint8Array;
      readonly key_start: string;
      readonly permission: string;
      readonly name: string | null;
      readonly expires_at: string | null;
      readonly daily_nanos: bigint | null;
      readonly feed_ids: readonly (string | null)[] | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly key_id: string | null;
    };
  };
  /** Changes a key like edit_key, for an owner of the account */
  edit_own_key: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly keys_max: number;
      readonly key_id: string;
      readonly fields: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Ends one session of a person, or all of them, with the keys that were created for them */
  end_person_sessions: {
    parameters: {
      readonly session_hash: Uint8Array;
      readonly is_everywhere: boolean;
    };
    row: {
    };
  };
  /** Switches a session to an account of its person, with keys that are created for the session and end with it */
  enter_account: {
    parameters: {
      readonly session_hash: Uint8Array;
      readonly account_id: string;
      readonly read_hash: Uint8Array;
      readonly read_start: string;
      readonly sealed_read: string;
      readonly write_hash: Uint8Array;
      readonly write_start: string;
      readonly sealed_write: string;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Signs in the person of a proven address, once for each proof */
  enter_by_proof: {
    parameters: {
      readonly proof_hash: Uint8Array;
      readonly session_hash: Uint8Array;
      readonly lifetime: string;
    };
    row: {
      readonly outcome: string;
      readonly person_id: string | null;
    };
  };
  /** Invites an address to an account, or renews its invitation, and queues the mail */
  invite_member: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string | null;
      readonly address: string;
      readonly address_key: string;
      readonly role: string;
      readonly lifetime: string;
      readonly invitations_max: number;
      readonly address_max: number;
      readonly account_max: number;
      readonly mail_subject: string | null;
      readonly mail_text: string | null;
      readonly mail_html: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly invitation_id: string | null;
      readonly created_at: string | null;
      readonly expires_at: string | null;
    };
  };
  /** Creates the person of a proven address, with an account of its own if sign-up allows that, welcome credits, and a session */
  join_by_proof: {
    parameters: {
      readonly proof_hash: Uint8Array;
      readonly session_hash: Uint8Array;
      readonly lifetime: string;
      readonly name: string;
      readonly has_agreed: boolean;
      readonly sign_up: string;
      readonly is_own_domain: boolean;
      readonly feeds_max: number;
      readonly network: string;
      readonly day_max: number;
      readonly network_max: number;
      readonly welcome_nanos: bigint;
      readonly welcome_day_nanos: bigint;
      readonly address_hash: Uint8Array;
    };
    row: {
      readonly outcome: string;
      readonly person_id: string | null;
      readonly account_id: string | null;
      readonly retry_after_ms: bigint | null;
    };
  };
  /** Removes a person from all accounts, and deletes the person's data */
  remove_person: {
    parameters: {
      readonly person_id: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly account_id: string | null;
    };
  };
  /** Rotates a key like rotate_key, for an owner of the account */
  rotate_own_key: {
    parameters: {
      readonly account_id: string;
      readonly person_id: string;
      readonly keys_max: number;
      readonly key_id: string;
      readonly new_hash: Uint8Array;
      readonly new_start: string;
      readonly grace: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
      readonly key_id: string | null;
    };
  };
  /** Withdraws an invitation, on behalf of an owner, an operator, or the person who was invited */
  withdraw_invitation: {
    parameters: {
      readonly invitation_id: string;
      readonly person_id: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** stores that an OpenID Connect provider has vouched for an address */
  keep_vouched_proof: {
    parameters: {
      readonly proof_hash: Uint8Array;
      readonly address: string;
      readonly address_key: string;
      readonly issuer: string;
      readonly subject: string;
      readonly name: string | null;
      readonly network: string;
      readonly lifetime: string;
    };
    row: {
      readonly proof_hash: Uint8Array;
    };
  };
  /** invitations that may still be accepted: those of an account, or those to an address */
  list_invitations: {
    parameters: {
      readonly account_id: string | null;
      readonly address_key: string | null;
    };
    row: {
      readonly invitation_id: string;
      readonly account_id: string;
      readonly account_name: string;
      readonly address: string;
      readonly role: string;
      readonly created_at: string;
      readonly expires_at: string;
    };
  };
  /** the members of an account, owners first */
  list_members: {
    parameters: {
      readonly account_id: string;
    };
    row: {
      readonly person_id: string;
      readonly name: string;
      readonly address: string;
      readonly role: string;
      readonly since: string;
    };
  };
  /** the accounts of a person, by name */
  list_memberships: {
    parameters: {
      readonly person_id: string;
    };
    row: {
      readonly account_id: string;
      readonly account_name: string;
      readonly role: string;
      readonly suspension_reason: string | null;
      readonly balance_nanos: bigint;
    };
  };
  /** how a person receives notices by mail in each account, for the export of personal data */
  list_person_mail_choices: {
    parameters: {
      readonly person_id: string;
    };
    row: {
      readonly account_id: string;
      readonly type: string;
      readonly choice: string;
    };
  };
  /** the recent sign-ins with a person's address, for the export of personal data */
  list_person_proofs: {
    parameters: {
      readonly address_key: string;
    };
    row: {
      readonly network: string;
      readonly happened_at: string;
      readonly used_at: string | null;
    };
  };
  /** the open sessions of a person, for the export of personal data */
  list_person_sessions: {
    parameters: {
      readonly person_id: string;
    };
    row: {
      readonly account_id: string | null;
      readonly created_at: string;
      readonly expires_at: string;
    };
  };
  /** persons, oldest first, after the previous page; or one by its id or address */
  list_persons: {
    parameters: {
      readonly person_id: string | null;
      readonly address_key: string | null;
      readonly after_person_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly person_id: string;
      readonly address: string;
      readonly name: string;
      readonly created_at: string;
      readonly agreed_at: string | null;
      readonly mail_proven_at: string | null;
      readonly issuers: string;
      readonly accounts: string;
    };
  };
  /** claims the mails that are due, exclusively for this process until the lease ends */
  claim_mails: {
    parameters: {
      readonly moment: string | null;
      readonly lease: string;
      readonly limit: bigint;
    };
    row: {
      readonly mail_id: string;
      readonly address: string;
      readonly subject: string;
      readonly body_text: string;
      readonly body_html: string;
      readonly unsubscribe_url: string | null;
      readonly attempts: number;
    };
  };
  /** the number of mails to be sent, and how long the oldest has been waiting, for the metrics */
  find_waiting_mails: {
    parameters: {
    };
    row: {
      readonly waiting: bigint;
      readonly oldest_seconds: number | null;
    };
  };
  /** removes a mail that a server has accepted */
  forget_mail: {
    parameters: {
      readonly mail_id: string;
    };
    row: {
      readonly mail_id: string;
    };
  };
  /** Queues a mail */
  queue_mail: {
    parameters: {
      readonly person_id: string | null;
      readonly address: string;
      readonly subject: string;
      readonly body_text: string;
      readonly body_html: string;
      readonly lifetime: string;
    };
    row: {
      readonly mail_id: string;
    };
  };
  /** records why an attempt failed, and when the next one is due */
  postpone_mail: {
    parameters: {
      readonly moment: string | null;
      readonly mail_id: string;
      readonly attempts: number;
      readonly due_in: string | null;
      readonly error: string;
    };
    row: {
      readonly mail_id: string;
    };
  };
  /** removes mails that are no longer worth sending */
  remove_expired_mails: {
    parameters: {
      readonly moment: string | null;
      readonly limit: bigint;
    };
    row: {
      readonly is_refused: boolean;
    };
  };
  /** whether a standby has caught up with the primary, checked before it is read */
  await_replay: {
    parameters: {
      readonly wal_position: string;
      readonly wait_max: string;
    };
    row: {
      readonly is_caught_up: boolean;
    };
  };
  /** the number of sessions that this role and database may have, and how many are open */
  find_connection_room: {
    parameters: {
    };
    row: {
      readonly room: number;
      readonly open_count: number;
    };
  };
  /** whether a commit of this session survives a crash of the server, of its machine, or a failover */
  find_durability: {
    parameters: {
    };
    row: {
      readonly synchronous_commit: string;
      readonly fsync: string;
      readonly full_page_writes: string;
      readonly standby_names: string;
    };
  };
  /** the age of a standby's data, for the metrics */
  find_replica_lag: {
    parameters: {
      readonly wal_position: string;
      readonly wait_max: string;
    };
    row: {
      readonly lag_seconds: number;
    };
  };
  /** whether a server is a standby that is connected to its primary */
  find_replica_state: {
    parameters: {
    };
    row: {
      readonly is_following: boolean;
    };
  };
  /** the server's version, its clock, and the size of the database */
  find_server: {
    parameters: {
    };
    row: {
      readonly version: string;
      readonly version_number: number;
      readonly is_standby: boolean;
      readonly now_seconds: number;
      readonly database_bytes: bigint | null;
    };
  };
  /** a value that all processes must agree on; the first one that is written is kept */
  keep_setting: {
    parameters: {
      readonly name: string;
      readonly value: string;
    };
    row: {
      readonly value: string;
    };
  };
  /** stores a cluster's newest timeline that any gateway has seen, in each reachable database of the cluster */
  keep_timeline: {
    parameters: {
      readonly system: string;
      readonly timeline: number;
    };
    row: {
      readonly timeline: number;
    };
  };
  /** which migrations were applied, and the record of the schema that they made */
  list_migrations: {
    parameters: {
    };
    row: {
      readonly version: number;
      readonly digest: string | null;
      readonly parts: string | null;
    };
  };
  /** the parts of the schema of a table, each with a digest of its definition, for comparison */
  list_schema_parts: {
    parameters: {
      readonly table_name: string;
    };
    row: {
      readonly part: string;
    };
  };
  /** whether the database answers */
  ping: {
    parameters: {
    };
    row: {
      readonly answer: number;
    };
  };
  /** how far the primary's WAL is on disk; everything that was acknowledged as committed is before it */
  read_wal_position: {
    parameters: {
    };
    row: {
      readonly wal_position: string;
    };
  };
  /** the mistakes in the rows of a feed's newest refused push */
  find_push_mistakes: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly detail: string;
      readonly mistakes: string;
      readonly mistake_count: number;
    };
  };
  /** reads, earnings, pushes, and punctuality of a feed on each of the last UTC days, including today */
  list_feed_days: {
    parameters: {
      readonly feed_id: string;
      readonly days: number;
      readonly counted_max: number;
    };
    row: {
      readonly day: string;
      readonly reads: bigint;
      readonly readers: bigint;
      readonly net_nanos: bigint;
      readonly rows_new: bigint;
      readonly rows_changed: bigint;
      readonly refusals: bigint;
      readonly on_time_percent: string | null;
    };
  };
  /** counts a push that is refused for its content, like any other */
  count_push: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly key_id: string;
      readonly definition_version: bigint | null;
      readonly window_limit: number;
      readonly window_us: bigint;
    };
    row: {
      readonly outcome: string;
      readonly window_used: number | null;
      readonly reset_seconds: bigint | null;
      readonly retry_after_ms: number | null;
    };
  };
  /** releases the feed of an import that did not finish, retires its staged rows, and records it in the history */
  end_import: {
    parameters: {
      readonly feed_id: string;
      readonly import_id: string;
      readonly code: string;
      readonly detail: string;
      readonly rows_received: number;
      readonly body_bytes: bigint;
      readonly elapsed_ms: number;
    };
    row: {
      readonly is_ended: boolean;
    };
  };
  /** Admits an import as one push, and claims the feed for it */
  begin_import: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly key_id: string;
      readonly definition_version: bigint;
      readonly window_limit: number;
      readonly window_us: bigint;
      readonly feed_type: string;
      readonly import_id: string;
      readonly lease: string;
    };
    row: {
      readonly outcome: string;
      readonly window_used: number | null;
      readonly reset_seconds: bigint | null;
      readonly retry_after_ms: number | null;
    };
  };
  /** Completes an import, as one push: readers of a collection see the staged batch from now on, and the history gets one entry for all rows */
  finish_import: {
    parameters: {
      readonly feed_id: string;
      readonly import_id: string;
      readonly definition_version: bigint;
      readonly account_id: string;
      readonly key_id: string;
      readonly feed_type: string;
      readonly rows_received: number;
      readonly rows_inserted: number;
      readonly body_bytes: bigint;
      readonly elapsed_ms: number;
      readonly actor: string;
    };
    row: {
      readonly outcome: string;
      readonly status: string | null;
      readonly last_sync_at: string | null;
      readonly data_version: bigint | null;
    };
  };
  /** stores a part of an import in one commit, if the import still has its claim */
  import_rows: {
    parameters: {
      readonly feed_id: string;
      readonly import_id: string;
      readonly definition_version: bigint;
      readonly account_id: string;
      readonly key_id: string;
      readonly row_texts: string;
      readonly row_ids: readonly (string | null)[];
      readonly event_times: readonly (string | null)[];
      readonly part_rows: number;
      readonly body_bytes: bigint;
    };
    row: {
      readonly outcome: string;
      readonly rows_inserted: number | null;
      readonly repeated_ids: string | null;
      readonly data_version: bigint | null;
    };
  };
  /** stores the mistakes of a feed's newest refused push, in place of those of an earlier one */
  keep_push_mistakes: {
    parameters: {
      readonly feed_id: string;
      readonly detail: string;
      readonly mistakes: string;
      readonly mistake_count: number;
    };
    row: {
      readonly feed_id: string;
    };
  };
  /** admits and stores one push, all or nothing, in one round trip and one commit */
  push_to_feed: {
    parameters: {
      readonly feed_id: string;
      readonly feed_type: string;
      readonly definition_version: bigint;
      readonly row_count: number;
      readonly row_texts: string;
      readonly row_ids: readonly (string | null)[];
      readonly event_times: readonly (string | null)[];
      readonly batch_id: string | null;
      readonly is_complete: boolean;
      readonly is_dry_run: boolean;
      readonly body_bytes: bigint;
      readonly elapsed_ms: number;
      readonly account_id: string;
      readonly key_id: string;
      readonly actor: string;
      readonly window_limit: number;
      readonly window_us: bigint;
    };
    row: {
      readonly outcome: string;
      readonly status: string | null;
      readonly row_outcomes: string | null;
      readonly is_staged: boolean | null;
      readonly last_sync_at: string | null;
      readonly data_version: bigint | null;
      readonly window_used: number | null;
      readonly reset_seconds: bigint | null;
      readonly retry_after_ms: number | null;
    };
  };
  /** records refused pushes in the feed's history; pushes over the rate limit share one row a minute */
  record_push: {
    parameters: {
      readonly feed_id: string;
      readonly code: string;
      readonly detail: string;
      readonly rows_received: number;
      readonly body_bytes: bigint;
      readonly duration_ms: number;
      readonly batch_id: string | null;
      readonly times: number;
    };
    row: {
      readonly push_id: bigint;
    };
  };
  /** renews an import's claim of its feed while its client sends slowly; no row if the claim is lost */
  renew_import: {
    parameters: {
      readonly feed_id: string;
      readonly import_id: string;
    };
    row: {
      readonly feed_id: string;
    };
  };
  /** the first of some names that no row of a batch (0: of a stream) has, if known */
  find_absent_field: {
    parameters: {
      readonly feed_id: string;
      readonly batch_number: bigint;
      readonly names: readonly (string | null)[];
      readonly work_max: bigint;
      readonly unindexed_max: bigint;
      readonly names_max: number;
    };
    row: {
      readonly data_version: bigint;
      readonly absent: string | null;
      readonly present: string | null;
      readonly schema_definition: string | null;
    };
  };
  /** the times of a stream's oldest and newest readable event, by two index look-ups */
  find_event_span: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly oldest_event: string | null;
      readonly newest_event: string | null;
    };
  };
  /** Counts an export in the limit of its account and feed, and records what its version shows */
  claim_export: {
    parameters: {
      readonly export_id: string;
      readonly account_id: string;
      readonly feed_id: string;
      readonly data_version: bigint;
      readonly batch_number: bigint;
      readonly last_position: bigint;
      readonly exports_limit: number;
      readonly window_us: bigint;
    };
    row: {
      readonly is_granted: boolean;
      readonly used: number;
      readonly reset_seconds: bigint;
      readonly retry_after_ms: bigint | null;
    };
  };
  /** Adds the next rows of a batch or stream to its filter index: those that were replaced since they were indexed, or else those after the index */
  index_filter_rows: {
    parameters: {
      readonly feed_id: string;
      readonly batch_number: bigint;
      readonly work_max: bigint;
    };
    row: {
      readonly has_more: boolean;
    };
  };
  /** A page of a collection's batch, in arrival order */
  read_collection_page: {
    parameters: {
      readonly feed_id: string;
      readonly batch_number: bigint | null;
      readonly after_position: bigint;
      readonly offset: bigint;
      readonly limit: number;
      readonly names: readonly (string | null)[];
      readonly texts: readonly (string | null)[];
      readonly literals: readonly (string | null)[];
      readonly grace: string;
      readonly work_max: bigint;
      readonly whole_max: bigint;
    };
    row: {
      readonly data_version: bigint;
      readonly batch_number: bigint | null;
      readonly is_current: boolean | null;
      readonly is_readable: boolean | null;
      readonly unindexed: bigint;
      readonly is_refused: boolean;
      readonly data: string | null;
      readonly last_position: bigint | null;
      readonly has_more: boolean;
    };
  };
  /** A page of a stream, newest event first */
  read_stream_page: {
    parameters: {
      readonly feed_id: string;
      readonly before_event_at: string | null;
      readonly before_position: bigint | null;
      readonly start_time: string | null;
      readonly end_time: string | null;
      readonly offset: bigint;
      readonly limit: number;
      readonly names: readonly (string | null)[];
      readonly texts: readonly (string | null)[];
      readonly literals: readonly (string | null)[];
      readonly work_max: bigint;
      readonly whole_max: bigint;
    };
    row: {
      readonly data_version: bigint;
      readonly unindexed: bigint;
      readonly is_refused: boolean;
      readonly data: string | null;
      readonly last_event_at: string | null;
      readonly last_position: bigint | null;
      readonly oldest_event_at: string | null;
      readonly has_more: boolean;
    };
  };
  /** one page of the listed feeds, newest first, with the total */
  list_catalog: {
    parameters: {
      readonly limit: number;
      readonly offset: number;
    };
    row: {
      readonly feed_id: string | null;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly feed_type: string | null;
      readonly endpoint_path: string | null;
      readonly call_price_nanos: bigint | null;
      readonly price_type: string | null;
      readonly one_time_price_cents: bigint | null;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly update_frequency_text: string | null;
      readonly sync_interval_mins: number | null;
      readonly access: string | null;
      readonly schema_definition: string | null;
      readonly total: bigint;
    };
  };
  /** the categories in which a search has hits, best hits first, if the requested category has none */
  list_categories_found: {
    parameters: {
      readonly q: string;
      readonly matches_max: number;
      readonly categories_max: number;
    };
    row: {
      readonly category: string;
    };
  };
  /** one page of a category's listed feeds, newest first, with the total */
  list_category: {
    parameters: {
      readonly category: string;
      readonly limit: number;
      readonly offset: number;
    };
    row: {
      readonly feed_id: string | null;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly feed_type: string | null;
      readonly endpoint_path: string | null;
      readonly call_price_nanos: bigint | null;
      readonly price_type: string | null;
      readonly one_time_price_cents: bigint | null;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly update_frequency_text: string | null;
      readonly sync_interval_mins: number | null;
      readonly access: string | null;
      readonly schema_definition: string | null;
      readonly total: bigint;
    };
  };
  /** the fields of an export's first rows, in order of first occurrence: the columns if no schema names any */
  list_export_fields: {
    parameters: {
      readonly feed_id: string;
      readonly batch_number: bigint;
      readonly last_position: bigint;
      readonly oldest_event: string;
      readonly rows_max: number;
      readonly fields_max: number;
    };
    row: {
      readonly name: string;
    };
  };
  /** the schemas of feeds on a page of the catalog or of search by id, for the names of their fields */
  list_schemas: {
    parameters: {
      readonly feed_ids: readonly (string | null)[];
      readonly reader_id: string;
    };
    row: {
      readonly feed_id: string;
      readonly schema_definition: string | null;
    };
  };
  /** records the version and columns of an export that was counted before its rows were, so that it can resume */
  note_export: {
    parameters: {
      readonly export_id: string;
      readonly data_version: bigint;
      readonly batch_number: bigint;
      readonly last_position: bigint;
      readonly csv_columns: string | null;
    };
    row: {
      readonly export_id: string;
    };
  };
  /** the current batch's rows with the requested ids, in request order, and the ids that it does not contain */
  read_collection_rows: {
    parameters: {
      readonly feed_id: string;
      readonly row_ids: readonly (string | null)[];
    };
    row: {
      readonly data_version: bigint;
      readonly data: string | null;
      readonly missing: string;
    };
  };
  /** the one document of a singleton */
  read_document: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly data_version: bigint;
      readonly data: string;
    };
  };
  /** a stream's rows with the requested ids, in request order, and the ids that it does not contain */
  read_stream_rows: {
    parameters: {
      readonly feed_id: string;
      readonly row_ids: readonly (string | null)[];
    };
    row: {
      readonly data_version: bigint;
      readonly data: string | null;
      readonly missing: string;
    };
  };
  /** the events that arrived in a stream after a position, in arrival order */
  read_stream_tail: {
    parameters: {
      readonly feed_id: string;
      readonly after_position: bigint | null;
      readonly limit: number;
    };
    row: {
      readonly data_version: bigint;
      readonly newest_position: bigint;
      readonly data: string | null;
      readonly last_position: bigint | null;
      readonly has_more: boolean;
    };
  };
  /** removes an export from its limit that was counted but not answered */
  release_export: {
    parameters: {
      readonly export_id: string;
    };
    row: {
      readonly export_id: string;
    };
  };
  /** one page of a search's listed feeds, best first, with the total */
  search_feeds: {
    parameters: {
      readonly q: string;
      readonly category: string | null;
      readonly limit: number;
      readonly offset: number;
    };
    row: {
      readonly feed_id: string | null;
      readonly name: string | null;
      readonly description: string | null;
      readonly category: string | null;
      readonly feed_type: string | null;
      readonly endpoint_path: string | null;
      readonly call_price_nanos: bigint | null;
      readonly price_type: string | null;
      readonly one_time_price_cents: bigint | null;
      readonly reliability_score: string | null;
      readonly last_sync_at: string | null;
      readonly update_frequency_text: string | null;
      readonly sync_interval_mins: number | null;
      readonly access: string | null;
      readonly total: bigint;
    };
  };
  /** the rows of an export, in the snapshot in which they are then read; no row if they are not available */
  survey_export: {
    parameters: {
      readonly feed_id: string;
      readonly account_id: string;
      readonly version: bigint | null;
      readonly after: string | null;
      readonly grace: string;
      readonly is_counted: boolean;
    };
    row: {
      readonly data_version: bigint;
      readonly batch_number: bigint;
      readonly after_position: bigint;
      readonly last_position: bigint;
      readonly oldest_event: string;
      readonly row_count: bigint;
      readonly endpoint_path: string | null;
      readonly schema_definition: string | null;
      readonly csv_columns: string | null;
    };
  };
  /** the data from which a feed's agent skill is rendered; an unlisted feed has none */
  find_skill_feed: {
    parameters: {
      readonly feed_id: string;
    };
    row: {
      readonly feed_id: string;
      readonly account_name: string;
      readonly name: string;
      readonly description: string | null;
      readonly endpoint_path: string;
      readonly feed_type: string | null;
      readonly schema_definition: string | null;
      readonly schema_version: string;
      readonly sample_response: string | null;
      readonly price_type: string;
      readonly call_price_nanos: bigint | null;
      readonly one_time_price_cents: bigint | null;
      readonly sync_interval_mins: number;
      readonly update_frequency_text: string | null;
      readonly access: string;
    };
  };
  /** the version of a feed's skill, by id or slug */
  find_skill_version: {
    parameters: {
      readonly feed_id: string | null;
      readonly endpoint_path: string | null;
    };
    row: {
      readonly feed_id: string;
      readonly definition_version: bigint;
      readonly account_name: string;
    };
  };
  /** a page of the feeds with an agent skill, newest published first, each with the version of its skill */
  list_skill_versions: {
    parameters: {
      readonly limit: number;
      readonly offset: bigint;
    };
    row: {
      readonly versions: string;
      readonly has_more: boolean;
    };
  };
  /** alerts the operator to a top-up that needs attention */
  alert_topup: {
    parameters: {
      readonly topup_id: string;
      readonly alert: string;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** claims the top-ups whose payment method is due to be asked, exclusively for this process until the lease ends */
  claim_due_topups: {
    parameters: {
      readonly lease: string;
      readonly limit: bigint;
    };
    row: {
      readonly topup_id: string;
      readonly account_id: string | null;
      readonly way: string;
      readonly status: string;
      readonly amount_nanos: bigint;
      readonly payment_id: string | null;
      readonly pay_url: string | null;
      readonly details: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly ended_at: string | null;
      readonly entry_id: bigint | null;
      readonly taken_back_nanos: bigint;
      readonly unrecovered_nanos: bigint;
      readonly alert: string | null;
      readonly attempts: number;
      readonly last_error: string | null;
      readonly is_over: boolean;
    };
  };
  /** claims the granted top-ups that are due to be rechecked, exclusively for this process until the pause ends */
  claim_granted_topups: {
    parameters: {
      readonly age: string;
      readonly pause: string;
      readonly limit: bigint;
    };
    row: {
      readonly topup_id: string;
      readonly account_id: string | null;
      readonly way: string;
      readonly status: string;
      readonly amount_nanos: bigint;
      readonly payment_id: string | null;
      readonly pay_url: string | null;
      readonly details: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly ended_at: string | null;
      readonly entry_id: bigint | null;
      readonly taken_back_nanos: bigint;
      readonly unrecovered_nanos: bigint;
      readonly alert: string | null;
      readonly attempts: number;
      readonly last_error: string | null;
      readonly is_over: boolean;
    };
  };
  /** the number of pending payments of callers without a key, so that they can't fill the table */
  count_keyless_topups: {
    parameters: {
      readonly limit: number;
    };
    row: {
      readonly waiting: bigint;
    };
  };
  /** removes unpaid top-ups without an account, so that unauthenticated callers can't fill the table */
  delete_unpaid_topups: {
    parameters: {
      readonly age: string;
      readonly limit: bigint;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** ends an unpaid top-up */
  expire_topup: {
    parameters: {
      readonly topup_id: string;
      readonly alert: string | null;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** the current state of a top-up */
  find_topup: {
    parameters: {
      readonly topup_id: string;
    };
    row: {
      readonly topup_id: string;
      readonly account_id: string | null;
      readonly way: string;
      readonly status: string;
      readonly amount_nanos: bigint;
      readonly payment_id: string | null;
      readonly pay_url: string | null;
      readonly details: string;
      readonly created_at: string;
      readonly expires_at: string;
      readonly ended_at: string | null;
      readonly entry_id: bigint | null;
      readonly taken_back_nanos: bigint;
      readonly unrecovered_nanos: bigint;
      readonly alert: string | null;
      readonly attempts: number;
      readonly last_error: string | null;
      readonly is_over: boolean;
    };
  };
  /** the top-up that an account has ordered under an Idempotency-Key */
  find_topup_of_order: {
    parameters: {
      readonly account_id: string;
      readonly idempotency_hash: Uint8Array;
      readonly idempotency_age: string;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** the top-up of a payment, by the payment method's own id of it */
  find_topup_of_payment: {
    parameters: {
      readonly way: string;
      readonly payment_id: string;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** Creates the account of a top-up that was paid without a key, once */
  adopt_topup: {
    parameters: {
      readonly topup_id: string;
      readonly account_name: string;
      readonly max_feeds_allowed: number;
      readonly actor: string | null;
    };
    row: {
      readonly account_id: string | null;
    };
  };
  /** Stores an account's order of a top-up, before a payment is requested */
  begin_topup: {
    parameters: {
      readonly account_id: string | null;
      readonly key_id: string | null;
      readonly way: string;
      readonly amount_nanos: bigint;
      readonly payment_id: string | null;
      readonly details: string;
      readonly idempotency_hash: Uint8Array | null;
      readonly idempotency_age: string;
      readonly lifetime: string;
      readonly first_asked: string;
      readonly waiting_max: number;
      readonly agent_waiting_max: number;
      readonly account_day_nanos: bigint | null;
      readonly day_nanos: bigint | null;
      readonly network: string | null;
      readonly waiting_account_nanos: bigint | null;
      readonly waiting_network_nanos: bigint | null;
      readonly waiting_keyless_nanos: bigint | null;
      readonly waiting_all_nanos: bigint | null;
    };
    row: {
      readonly outcome: string;
      readonly topup_id: string | null;
    };
  };
  /** Creates the read key of an account that a top-up has created, once */
  give_topup_key: {
    parameters: {
      readonly topup_id: string;
      readonly key_hash: Uint8Array;
      readonly key_start: string;
      readonly name: string;
      readonly repeated_for: string;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Grants the credits of a top-up whose money has arrived, once, however often it is repeated */
  grant_topup: {
    parameters: {
      readonly topup_id: string;
      readonly reference: string;
      readonly paid_nanos: bigint;
      readonly payment_id: string | null;
      readonly details: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** Removes the alert of a top-up */
  settle_topup: {
    parameters: {
      readonly topup_id: string;
      readonly reason: string;
      readonly actor: string | null;
    };
    row: {
      readonly topup_id: string | null;
    };
  };
  /** Records what a payer has got back of a top-up, such as by a refund or a dispute, and revokes it from the balance as far as that allows */
  take_back_topup: {
    parameters: {
      readonly topup_id: string;
      readonly source: string;
      readonly rank: bigint;
      readonly total_nanos: bigint;
      readonly ended_nanos: bigint;
      readonly alert: string | null;
      readonly actor: string | null;
    };
    row: {
      readonly outcome: string;
    };
  };
  /** paid and pending top-ups of accounts, newest first, after the previous page */
  list_topups: {
    parameters: {
      readonly account_id: string | null;
      readonly way: string | null;
      readonly status: string | null;
      readonly alerts_only: boolean;
      readonly before_created_at: string | null;
      readonly before_topup_id: string | null;
      readonly limit: number;
    };
    row: {
      readonly topup_id: string;
      readonly account_id: string | null;
      readonly key_id: string | null;
      readonly way: string;
      readonly status: string;
      readonly amount_nanos: bigint;
      readonly reference: string | null;
      readonly payment_id: string | null;
      readonly created_at: string;
      readonly expires_at: string;
      readonly ended_at: string | null;
      readonly taken_back_nanos: bigint;
      readonly unrecovered_nanos: bigint;
      readonly alert: string | null;
      readonly last_error: string | null;
    };
  };
  /** records that a payment need not be rechecked on the chain */
  mark_topup_final: {
    parameters: {
      readonly topup_id: string;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** stores where a top-up is paid, once the payment method has started the payment */
  note_topup_payment: {
    parameters: {
      readonly topup_id: string;
      readonly payment_id: string;
      readonly pay_url: string | null;
      readonly expires_at: string;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** records when the payment method is asked again, and why it did not answer */
  postpone_topup: {
    parameters: {
      readonly topup_id: string;
      readonly due_in: string;
      readonly error: string | null;
    };
    row: {
      readonly topup_id: string;
    };
  };
  /** payments by payment method in a range of days, by when they were granted or expired */
  report_topups: {
    parameters: {
      readonly from_day: string;
      readonly to_day: string;
    };
    row: {
      readonly way: string;
      readonly granted: bigint;
      readonly paid_nanos: bigint;
      readonly taken_back_nanos: bigint;
      readonly unrecovered_nanos: bigint;
      readonly expired: bigint;
      readonly alerts: bigint;
    };
  };
}

/** The parameters of every statement in the order of their numbers. */
export const ARGUMENTS: {
  readonly [Name in keyof StatementTypes]: (
    by: StatementTypes[Name]["parameters"],
  ) => readonly unknown[];
} = {
  answer_access_request: (by) => [by.feed_id, by.request_id, by.is_approved, by.is_free, by.expires_at, by.reason, by.actor],
  end_access: (by) => [by.feed_id, by.account_id, by.actor],
  find_own_access: (by) => [by.account_id, by.feed_id, by.pause],
  find_shown_feeds: (by) => [by.account_id, by.feed_ids],
  take_access_invitation: (by) => [by.person_id, by.account_id, by.invitation_id],
  grant_access: (by) => [by.feed_id, by.account_id, by.is_free, by.expires_at, by.note, by.actor],
  invite_reader: (by) => [by.feed_id, by.address, by.address_key, by.is_free, by.expires_at, by.note, by.lifetime, by.invitations_max, by.address_max, by.account_max, by.mail_subject, by.mail_text, by.mail_html, by.actor],
  list_access_grants: (by) => [by.feed_id, by.account_id, by.before_time, by.before_account_id, by.before_feed_id, by.limit],
  list_access_requests: (by) => [by.feed_id, by.account_id, by.finder_id, by.status, by.before_time, by.before_id, by.limit],
  list_account_grants: (by) => [by.account_id, by.before_time, by.before_id, by.limit],
  list_address_invitations: (by) => [by.address_key, by.limit],
  list_feed_grants: (by) => [by.feed_id, by.account_id, by.before_time, by.before_id, by.limit],
  list_invited_feeds: (by) => [by.account_id, by.category, by.limit, by.offset],
  list_reader_invitations: (by) => [by.feed_id],
  list_waiting_feeds: (by) => [by.account_id, by.limit],
  request_access: (by) => [by.account_id, by.feed_id, by.message, by.pause],
  search_invited_feeds: (by) => [by.account_id, by.q, by.category, by.limit, by.offset],
  withdraw_reader_invitation: (by) => [by.feed_id, by.invitation_id],
  append_ledger_entry: (by) => [by.account_id, by.kind, by.amount_nanos, by.reason, by.reference, by.actor],
  create_promotion: (by) => [by.code, by.amount_nanos, by.max_redemptions, by.expires_at, by.actor],
  add_totals: (by) => [by.ages_ms, by.names, by.amounts],
  find_earned: (by) => [by.account_id],
  keep_fee_rate: (by) => [by.rate_millionths],
  list_earnings: (by) => [by.account_id, by.from_day, by.to_day, by.group_by],
  list_payouts: (by) => [by.account_id, by.since, by.until, by.before_payout_id, by.limit],
  list_recurring_spending: (by) => [by.account_id, by.from_day, by.to_day],
  list_spending: (by) => [by.account_id, by.from_day, by.to_day, by.group_by],
  record_payout: (by) => [by.account_id, by.amount_nanos, by.reference, by.allow_above, by.actor],
  undo_payout: (by) => [by.payout_id, by.reason, by.actor],
  end_agent: (by) => [by.account_id, by.key_id, by.chain_id, by.actor],
  find_account: (by) => [by.account_id, by.key_id],
  find_ledger_entry: (by) => [by.entry_id],
  find_purchase: (by) => [by.account_id, by.feed_id],
  find_usage_walk_end: (by) => [by.account_id, by.since, by.until, by.before_usage_id, by.events],
  create_key: (by) => [by.account_id, by.key_hash, by.key_start, by.permission, by.name, by.expires_at, by.daily_nanos, by.feed_ids, by.actor],
  edit_key: (by) => [by.key_id, by.fields, by.actor],
  rotate_key: (by) => [by.key_id, by.new_hash, by.new_start, by.grace, by.actor],
  list_agents: (by) => [by.account_id, by.chain_id, by.limit],
  list_key_budgets: (by) => [by.account_id, by.limit],
  list_keys: (by) => [by.account_id, by.is_admin_only, by.key_id, by.key_hash, by.beginning, by.after_key_id, by.limit],
  list_purchases: (by) => [by.account_id, by.feed_id, by.since, by.until, by.before_purchased_at, by.before_purchase_id, by.limit],
  page_usage: (by) => [by.account_id, by.feed_id, by.key_id, by.chain_id, by.is_discovery_hidden, by.since, by.until, by.before_usage_id, by.from_usage_id, by.limit],
  record_purchase: (by) => [by.account_id, by.feed_id, by.reference, by.actor],
  redeem_promotion: (by) => [by.code, by.account_id, by.actor],
  refund_event: (by) => [by.usage_id, by.reason, by.actor],
  touch_keys: (by) => [by.key_ids, by.ages_ms],
  undo_purchase: (by) => [by.account_id, by.feed_id, by.reason, by.actor],
  create_usage_partition: () => [],
  find_key: (by) => [by.key_hash, by.window_us],
  log_reads: (by) => [by.batch_token, by.new_version, by.clock_us, by.window_us, by.account_ids, by.known_versions, by.known_generations, by.known_us, by.amounts, by.account_numbers, by.operations, by.feed_ids, by.definition_versions, by.data_versions, by.charges, by.key_ids, by.key_ends, by.remembered_reads, by.idempotency_keys, by.query_hashes, by.answered_versions, by.beginnings, by.budget_accounts, by.budget_keys, by.budget_amounts],
  prove_calls: (by) => [by.account_ids, by.known_generations, by.known_us, by.key_ids, by.feed_ids, by.idempotency_keys, by.window_us, by.idempotency_us],
  refund_reads: (by) => [by.batch_token, by.account_ids, by.elapsed_ms, by.sent_at, by.only_usage],
  replay_read: (by) => [by.account_id, by.idempotency_key, by.usage_id],
  count_feeds: (by) => [by.account_id, by.status],
  delete_feed: (by) => [by.account_id, by.feed_id, by.endpoint_path, by.actor, by.deletions_per_feed],
  find_feed: (by) => [by.feed_id, by.endpoint_path, by.active_only, by.reader_id],
  find_feed_row: (by) => [by.feed_id, by.endpoint_path, by.active_only, by.reader_id],
  delete_rows: (by) => [by.account_id, by.feed_id, by.row_ids, by.actor],
  save_feed: (by) => [by.account_id, by.feed_id, by.save_mode, by.fields, by.price_type, by.call_price_nanos, by.one_time_price_cents, by.compared_version, by.is_breaking, by.is_dry_run, by.actor],
  list_data_versions: (by) => [by.feed_ids],
  list_feed_contents: (by) => [by.feed_ids, by.abandoned_after, by.batches_max, by.kept],
  list_feed_rows: (by) => [by.account_id, by.is_unlisted_only, by.status, by.review, by.health, by.is_full, by.limit, by.offset, by.after_feed_id],
  list_newest_rows: (by) => [by.feed_id, by.rows_max],
  list_pushes: (by) => [by.feed_id, by.kept, by.before_pushed_at, by.before_push_id, by.limit],
  list_slugs_near: (by) => [by.endpoint_path, by.slugs_max],
  run_job: (by) => [by.job, by.moment, by.pause, by.age, by.amount, by.work_max],
  list_findings: () => [],
  prove_ledgers: (by) => [by.mark, by.account_limit],
  delete_webhook: (by) => [by.account_id, by.permission, by.chain_id, by.webhook_id, by.actor],
  edit_webhook: (by) => [by.account_id, by.permission, by.chain_id, by.webhook_id, by.url, by.types, by.has_feed_ids, by.feed_ids, by.is_active, by.editor_chain_id, by.actor],
  find_low_balance: (by) => [by.account_id],
  find_waiting_notices: () => [],
  claim_deliveries: (by) => [by.moment, by.lease, by.lane, by.busy_accounts, by.amount],
  create_webhook: (by) => [by.account_id, by.permission, by.chain_id, by.url, by.types, by.feed_ids, by.webhook_id, by.sealed_secret, by.webhooks_max, by.agent_webhooks_max, by.actor],
  finish_delivery: (by) => [by.moment, by.delivery_id, by.attempts, by.is_success, by.code, by.ms, by.answer, by.error, by.retry_in, by.give_up_after, by.slow, by.is_last],
  queue_notice_mail: (by) => [by.account_id, by.person_id, by.notice_ids, by.address, by.subject, by.body_text, by.body_html, by.unsubscribe_url, by.lifetime],
  run_notice_job: (by) => [by.job, by.moment, by.pause, by.age, by.amount, by.mail_defaults],
  set_mail_choices: (by) => [by.account_id, by.person_id, by.types, by.choice],
  list_all_deliveries: (by) => [by.webhook_id, by.account_id, by.status, by.since, by.before_created_at, by.before_delivery_id, by.limit],
  list_deliveries: (by) => [by.webhook_id, by.since, by.limit, by.offset],
  list_due_notice_mails: (by) => [by.moment, by.limit],
  list_mail_choices: (by) => [by.account_id, by.person_id],
  list_webhooks: (by) => [by.account_id, by.permission, by.chain_id, by.webhook_id],
  note_failed_job: (by) => [by.job, by.error],
  resend_delivery: (by) => [by.is_operator, by.account_id, by.permission, by.chain_id, by.delivery_id],
  rotate_webhook: (by) => [by.account_id, by.permission, by.chain_id, by.webhook_id, by.sealed_secret, by.moment, by.overlap, by.actor],
  set_low_balance: (by) => [by.account_id, by.threshold_nanos],
  test_webhook: (by) => [by.account_id, by.permission, by.chain_id, by.webhook_id],
  agree_to_connection: (by) => [by.code_hash, by.account_id, by.client_id, by.client_name, by.redirect_uri, by.challenge, by.daily_nanos, by.feed_ids, by.key_ends_at, by.actor, by.agreed_key_id, by.agents_max],
  find_client: (by) => [by.client_id],
  redeem_code: (by) => [by.code_hash, by.client_id, by.redirect_uri, by.challenge, by.code_age, by.key_hash, by.key_start],
  register_client: (by) => [by.client_name, by.redirect_uris, by.unused_max, by.young],
  cancel_operator_call: (by) => [by.owner_id, by.idempotency_hash],
  count_rows_left: (by) => [by.feed_id],
  create_account: (by) => [by.name, by.max_feeds_allowed, by.account_id, by.actor],
  create_admin_key: (by) => [by.key_hash, by.key_start, by.name, by.expires_at, by.actor],
  create_sign_in_link: (by) => [by.link_hash, by.permission, by.account_id, by.made_by, by.lifetime, by.forgotten_max],
  decline_feed: (by) => [by.feed_id, by.reason, by.actor],
  edit_account: (by) => [by.account_id, by.fields, by.actor],
  edit_admin_key: (by) => [by.key_id, by.fields, by.actor],
  export_usage: (by) => [by.account_id, by.since, by.until, by.after_usage_id, by.limit],
  find_admin_key: (by) => [by.key_hash],
  find_home: () => [],
  find_proof: () => [],
  finish_operator_call: (by) => [by.owner_id, by.idempotency_hash, by.status, by.sealed_body],
  begin_operator_call: (by) => [by.admin_key_id, by.idempotency_hash, by.request_hash, by.forgotten_after, by.forgotten_max],
  rotate_admin_key: (by) => [by.key_id, by.new_hash, by.new_start, by.grace, by.actor],
  has_accounts: () => [],
  has_admin_keys: () => [],
  has_late_feeds: (by) => [by.found_within],
  has_long_log: (by) => [by.account_id, by.events_max],
  list_accounts: (by) => [by.account_id, by.name, by.after_account_id, by.limit],
  list_audit_events: (by) => [by.account_id, by.feed_id, by.actor, by.action_kind, by.since, by.until, by.before_event_id, by.limit],
  list_demo_settings: () => [],
  list_promotions: (by) => [by.after_code, by.limit],
  list_readers: (by) => [by.feed_id, by.from_day, by.to_day, by.ranked_max, by.limit],
  list_refusals: (by) => [by.since, by.newest_push_id, by.before_push_id, by.limit],
  list_revenue: (by) => [by.from_day, by.to_day, by.account_id, by.as_of, by.after_gross_nanos, by.after_feed_id, by.limit],
  list_stale_feeds: (by) => [by.since, by.as_of, by.after_synced_at, by.after_feed_id, by.limit],
  list_top_reads: (by) => [by.from_day, by.to_day, by.is_by_credits, by.limit],
  list_totals: (by) => [by.by, by.from, by.until],
  prove_ledger: (by) => [by.account_id],
  search_accounts: (by) => [by.part, by.is_suspended, by.order, by.after_account_id, by.limit],
  search_feeds_by_name: (by) => [by.part, by.account_id, by.status, by.review, by.after_feed_id, by.limit],
  set_feeds_public: (by) => [by.feed_ids, by.is_public, by.actor],
  suspend_feed: (by) => [by.feed_id, by.reason, by.actor],
  begin_session: (by) => [by.session_hash, by.permission, by.key_id, by.sealed_key, by.is_own_key, by.lifetime, by.forgotten_max],
  end_sessions: (by) => [by.session_hash, by.is_everywhere],
  find_names: (by) => [by.ids],
  find_overview_version: () => [],
  find_session: (by) => [by.session_hash],
  find_sign_in_link: (by) => [by.link_hash, by.is_for_operators],
  list_live_sessions: (by) => [by.hashes],
  use_sign_in_link: (by) => [by.link_hash, by.is_for_operators],
  explain_matches: (by) => [by.q, by.feed_ids],
  find_page_version: (by) => [by.endpoint_path],
  list_categories: (by) => [by.limit],
  list_feed_pages: (by) => [by.limit],
  list_push_days: (by) => [by.feed_id, by.days, by.counted_max],
  read_shown_rows: (by) => [by.feed_id, by.rows_max, by.bytes_max],
  check_code: (by) => [by.proof_hash, by.code_hash, by.tries_max, by.proven_lifetime],
  edit_person: (by) => [by.person_id, by.name],
  find_address_proof: (by) => [by.proof_hash],
  find_own_key: (by) => [by.account_id, by.key_id],
  find_person_session: (by) => [by.session_hash],
  accept_invitation: (by) => [by.invitation_id, by.person_id],
  begin_proof: (by) => [by.proof_hash, by.address, by.address_key, by.code_hash, by.network, by.lifetime, by.address_max, by.network_max, by.mail_subject, by.mail_text, by.mail_html],
  change_member: (by) => [by.account_id, by.person_id, by.role, by.acting_person, by.actor],
  close_account: (by) => [by.account_id, by.person_id, by.actor],
  create_own_key: (by) => [by.account_id, by.person_id, by.keys_max, by.key_hash, by.key_start, by.permission, by.name, by.expires_at, by.daily_nanos, by.feed_ids, by.actor],
  edit_own_key: (by) => [by.account_id, by.person_id, by.keys_max, by.key_id, by.fields, by.actor],
  end_person_sessions: (by) => [by.session_hash, by.is_everywhere],
  enter_account: (by) => [by.session_hash, by.account_id, by.read_hash, by.read_start, by.sealed_read, by.write_hash, by.write_start, by.sealed_write],
  enter_by_proof: (by) => [by.proof_hash, by.session_hash, by.lifetime],
  invite_member: (by) => [by.account_id, by.person_id, by.address, by.address_key, by.role, by.lifetime, by.invitations_max, by.address_max, by.account_max, by.mail_subject, by.mail_text, by.mail_html, by.actor],
  join_by_proof: (by) => [by.proof_hash, by.session_hash, by.lifetime, by.name, by.has_agreed, by.sign_up, by.is_own_domain, by.feeds_max, by.network, by.day_max, by.network_max, by.welcome_nanos, by.welcome_day_nanos, by.address_hash],
  remove_person: (by) => [by.person_id, by.actor],
  rotate_own_key: (by) => [by.account_id, by.person_id, by.keys_max, by.key_id, by.new_hash, by.new_start, by.grace, by.actor],
  withdraw_invitation: (by) => [by.invitation_id, by.person_id, by.actor],
  keep_vouched_proof: (by) => [by.proof_hash, by.address, by.address_key, by.issuer, by.subject, by.name, by.network, by.lifetime],
  list_invitations: (by) => [by.account_id, by.address_key],
  list_members: (by) => [by.account_id],
  list_memberships: (by) => [by.person_id],
  list_person_mail_choices: (by) => [by.person_id],
  list_person_proofs: (by) => [by.address_key],
  list_person_sessions: (by) => [by.person_id],
  list_persons: (by) => [by.person_id, by.address_key, by.after_person_id, by.limit],
  claim_mails: (by) => [by.moment, by.lease, by.limit],
  find_waiting_mails: () => [],
  forget_mail: (by) => [by.mail_id],
  queue_mail: (by) => [by.person_id, by.address, by.subject, by.body_text, by.body_html, by.lifetime],
  postpone_mail: (by) => [by.moment, by.mail_id, by.attempts, by.due_in, by.error],
  remove_expired_mails: (by) => [by.moment, by.limit],
  await_replay: (by) => [by.wal_position, by.wait_max],
  find_connection_room: () => [],
  find_durability: () => [],
  find_replica_lag: (by) => [by.wal_position, by.wait_max],
  find_replica_state: () => [],
  find_server: () => [],
  keep_setting: (by) => [by.name, by.value],
  keep_timeline: (by) => [by.system, by.timeline],
  list_migrations: () => [],
  list_schema_parts: (by) => [by.table_name],
  ping: () => [],
  read_wal_position: () => [],
  find_push_mistakes: (by) => [by.feed_id],
  list_feed_days: (by) => [by.feed_id, by.days, by.counted_max],
  count_push: (by) => [by.feed_id, by.account_id, by.key_id, by.definition_version, by.window_limit, by.window_us],
  end_import: (by) => [by.feed_id, by.import_id, by.code, by.detail, by.rows_received, by.body_bytes, by.elapsed_ms],
  begin_import: (by) => [by.feed_id, by.account_id, by.key_id, by.definition_version, by.window_limit, by.window_us, by.feed_type, by.import_id, by.lease],
  finish_import: (by) => [by.feed_id, by.import_id, by.definition_version, by.account_id, by.key_id, by.feed_type, by.rows_received, by.rows_inserted, by.body_bytes, by.elapsed_ms, by.actor],
  import_rows: (by) => [by.feed_id, by.import_id, by.definition_version, by.account_id, by.key_id, by.row_texts, by.row_ids, by.event_times, by.part_rows, by.body_bytes],
  keep_push_mistakes: (by) => [by.feed_id, by.detail, by.mistakes, by.mistake_count],
  push_to_feed: (by) => [by.feed_id, by.feed_type, by.definition_version, by.row_count, by.row_texts, by.row_ids, by.event_times, by.batch_id, by.is_complete, by.is_dry_run, by.body_bytes, by.elapsed_ms, by.account_id, by.key_id, by.actor, by.window_limit, by.window_us],
  record_push: (by) => [by.feed_id, by.code, by.detail, by.rows_received, by.body_bytes, by.duration_ms, by.batch_id, by.times],
  renew_import: (by) => [by.feed_id, by.import_id],
  find_absent_field: (by) => [by.feed_id, by.batch_number, by.names, by.work_max, by.unindexed_max, by.names_max],
  find_event_span: (by) => [by.feed_id],
  claim_export: (by) => [by.export_id, by.account_id, by.feed_id, by.data_version, by.batch_number, by.last_position, by.exports_limit, by.window_us],
  index_filter_rows: (by) => [by.feed_id, by.batch_number, by.work_max],
  read_collection_page: (by) => [by.feed_id, by.batch_number, by.after_position, by.offset, by.limit, by.names, by.texts, by.literals, by.grace, by.work_max, by.whole_max],
  read_stream_page: (by) => [by.feed_id, by.before_event_at, by.before_position, by.start_time, by.end_time, by.offset, by.limit, by.names, by.texts, by.literals, by.work_max, by.whole_max],
  list_catalog: (by) => [by.limit, by.offset],
  list_categories_found: (by) => [by.q, by.matches_max, by.categories_max],
  list_category: (by) => [by.category, by.limit, by.offset],
  list_export_fields: (by) => [by.feed_id, by.batch_number, by.last_position, by.oldest_event, by.rows_max, by.fields_max],
  list_schemas: (by) => [by.feed_ids, by.reader_id],
  note_export: (by) => [by.export_id, by.data_version, by.batch_number, by.last_position, by.csv_columns],
  read_collection_rows: (by) => [by.feed_id, by.row_ids],
  read_document: (by) => [by.feed_id],
  read_stream_rows: (by) => [by.feed_id, by.row_ids],
  read_stream_tail: (by) => [by.feed_id, by.after_position, by.limit],
  release_export: (by) => [by.export_id],
  search_feeds: (by) => [by.q, by.category, by.limit, by.offset],
  survey_export: (by) => [by.feed_id, by.account_id, by.version, by.after, by.grace, by.is_counted],
  find_skill_feed: (by) => [by.feed_id],
  find_skill_version: (by) => [by.feed_id, by.endpoint_path],
  list_skill_versions: (by) => [by.limit, by.offset],
  alert_topup: (by) => [by.topup_id, by.alert],
  claim_due_topups: (by) => [by.lease, by.limit],
  claim_granted_topups: (by) => [by.age, by.pause, by.limit],
  count_keyless_topups: (by) => [by.limit],
  delete_unpaid_topups: (by) => [by.age, by.limit],
  expire_topup: (by) => [by.topup_id, by.alert],
  find_topup: (by) => [by.topup_id],
  find_topup_of_order: (by) => [by.account_id, by.idempotency_hash, by.idempotency_age],
  find_topup_of_payment: (by) => [by.way, by.payment_id],
  adopt_topup: (by) => [by.topup_id, by.account_name, by.max_feeds_allowed, by.actor],
  begin_topup: (by) => [by.account_id, by.key_id, by.way, by.amount_nanos, by.payment_id, by.details, by.idempotency_hash, by.idempotency_age, by.lifetime, by.first_asked, by.waiting_max, by.agent_waiting_max, by.account_day_nanos, by.day_nanos, by.network, by.waiting_account_nanos, by.waiting_network_nanos, by.waiting_keyless_nanos, by.waiting_all_nanos],
  give_topup_key: (by) => [by.topup_id, by.key_hash, by.key_start, by.name, by.repeated_for, by.actor],
  grant_topup: (by) => [by.topup_id, by.reference, by.paid_nanos, by.payment_id, by.details, by.actor],
  settle_topup: (by) => [by.topup_id, by.reason, by.actor],
  take_back_topup: (by) => [by.topup_id, by.source, by.rank, by.total_nanos, by.ended_nanos, by.alert, by.actor],
  list_topups: (by) => [by.account_id, by.way, by.status, by.alerts_only, by.before_created_at, by.before_topup_id, by.limit],
  mark_topup_final: (by) => [by.topup_id],
  note_topup_payment: (by) => [by.topup_id, by.payment_id, by.pay_url, by.expires_at],
  postpone_topup: (by) => [by.topup_id, by.due_in, by.error],
  report_topups: (by) => [by.from_day, by.to_day],
};
